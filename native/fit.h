// Fitting: programs and data go in, the parameters with the least squared error come out.
//
// Levenberg and Marquardt's steps from several starts, with exact slopes, inside of bounds.
// workbench/fitting_twin.py does the same in NumPy, number by number.
#pragma once
#include "normal_equations.h"
#include "tape.h"

namespace SYMBED_NS {

constexpr double FIRST_DAMPING = 1e-3, AFFINE_DAMPING = 1e-12, MOST_DAMPING = 1e12;
constexpr double LEAST_DAMPING = 1e-15;
constexpr double SMALL_GAIN = 1e-10;     // of the loss; less than it is not worth a step
constexpr double SMALL_STEP = 0x1p-48;   // of a parameter
constexpr double COARSE = 0x1p-540;      // in this scale no sum of squares overflows

struct Fitter {
    const FitTask* task;
    Tape tape;
    Products products;
    Model here, there;
    Solver solver;
    List<double> at, trial, step, best, low, high, losses;
    List<int32_t> ranked;     // starts, by loss
    double scale, best_loss;  // factor of the residuals
    int32_t evaluations;

    bool reserve(const FitTask& given) {
        const int64_t p = given.n_slots;
        return products.reserve(p + 1) && here.reserve(p) && there.reserve(p) && solver.reserve(p) &&
               at.reserve(p + 1) && trial.reserve(p + 1) && step.reserve(p + 1) &&
               best.reserve(p + 1) && low.reserve(p + 1) && high.reserve(p + 1) &&
               losses.reserve(given.n_starts + 1) && ranked.reserve(given.n_starts + 1);
    }
};

SYMBED_INLINE bool is_finite(double number) { return number - number == 0.0; }

// Residuals of a stretch, filled up with zeros to whole lanes; the length with these comes out.
static int64_t residuals(const View& outputs, const double* target, double scale, double shrink,
                         int64_t n, double* out) {
    const double* from = outputs.data;
    if (outputs.is_array)
        for (int64_t i = 0; i < n; i++) out[i] = from[i] * scale - target[i] * shrink;
    else
        for (int64_t i = 0; i < n; i++) out[i] = *from * scale - target[i] * shrink;
    const int64_t length = (n + LANES - 1) / LANES * LANES;
    for (int64_t i = n; i < length; i++) out[i] = 0.0;
    return length;
}

// A slope that is not finite says nothing about where to go, and counts as zero.
static void mend_slopes(double* slopes, int64_t n) {
    for (int64_t i = 0; i < n; i++) slopes[i] = is_finite(slopes[i]) ? slopes[i] : 0.0;
}

// The sum of squared residuals at the parameters; infinite unless it is finite and below `bound`.
// With a model, its matrix and gradient are filled too.
static double measure_once(Fitter& f, double bound, Model* model, bool mend) {
    const int64_t p = f.tape.n_slots, n_points = f.tape.n_points, last = Products::pair(p, p, p + 1);
    double *columns = f.tape.slopes.items, *residual = columns + p * STRETCH, sum = 0.0;
    if (model) f.products.clear(p + 1);
    memset(f.products.lanes.items + last * LANES, 0, LANES * sizeof(double));
    for (int64_t point = 0; point < n_points; point += STRETCH) {
        const int64_t n = n_points - point < STRETCH ? n_points - point : STRETCH;
        const View outputs = record(f.tape, point, n);
        const int64_t length = residuals(outputs, f.task->target + point, f.scale,
                                         f.scale / f.task->scale, n, residual);
        add_row(f.products, columns, STRETCH, p, p, p + 1, length);
        sum = f.products.sum(last);
        // Sums of squares only grow, so the rest of the points cannot mend it.
        if (!(sum < bound)) return INFINITE;
        if (!model) continue;
        pull_back(f.tape, f.scale, point, n);
        for (int64_t i = 0; i < p; i++) {
            double* column = columns + i * STRETCH;
            if (mend) mend_slopes(column, n);
            for (int64_t rest = n; rest < length; rest++) column[rest] = 0.0;
        }
        for (int64_t i = 0; i < p; i++) add_row(f.products, columns, STRETCH, i, i, p + 1, length);
    }
    return sum;
}

static double measure(Fitter& f, const double* parameters, double bound, Model* model) {
    f.evaluations++;
    set_parameters(f.tape, parameters);
    if (model) weigh_scalars(f.tape);
    double loss = measure_once(f, bound, model, false);
    if (!model || loss == INFINITE) return loss;
    if (!fold_products(f.products, f.tape.n_slots, *model)) {
        loss = measure_once(f, bound, model, true);
        if (!fold_products(f.products, f.tape.n_slots, *model)) return INFINITE;
    }
    return model->loss = loss;
}

// The parameters that are not held by a bound against which the loss pushes them.
static void choose_free(Fitter& f) {
    f.solver.free.count = 0;
    for (int64_t i = 0; i < f.tape.n_slots; i++) {
        const double at = f.at.items[i], slope = f.here.gradient.items[i];
        const bool held = (at <= f.low.items[i] && slope > 0.0) || (at >= f.high.items[i] && slope < 0.0);
        if (!held) f.solver.free.push(int32_t(i));
    }
}

// Sets the free parameters of the trial; those that would cross a bound stop there, and are free no
// more. True if there were any.
static bool stop_at_bounds(Fitter& f) {
    List<int32_t>& free = f.solver.free;
    const int64_t n = free.count;
    free.count = 0;
    for (int64_t at = 0; at < n; at++) {
        const int32_t i = free.items[at];
        double& trial = f.trial.items[i];
        trial = f.at.items[i] + f.step.items[i];
        const double low = f.low.items[i], high = f.high.items[i];
        if (trial >= low && trial <= high) {
            free.push(i);
            continue;
        }
        trial = trial < low ? low : high;
        f.step.items[i] = trial - f.at.items[i];
    }
    return free.count < n;
}

// The damped step inside of the bounds, and where it leads; false if there is none.
static bool find_step(Fitter& f, double damping) {
    const int64_t p = f.tape.n_slots;
    for (int64_t i = 0; i < p; i++) f.step.items[i] = 0.0, f.trial.items[i] = f.at.items[i];
    choose_free(f);
    do {
        if (!f.solver.free.count) return true;
        if (!solve(f.solver, f.here, p, damping, f.step.items)) return false;
    } while (stop_at_bounds(f));
    return true;
}

// The parameters' scales in the damping: the sizes of their columns of slopes. Where the loss falls
// by orders of magnitude, as of exponentials, scales from earlier on would hold it up.
static void set_scales(Fitter& f) {
    const int64_t p = f.tape.n_slots;
    for (int64_t i = 0; i < p; i++) {
        const double size = __builtin_sqrt(f.here.matrix.items[i * p + i]);
        f.solver.scale.items[i] = size == 0.0 ? 1.0 : size;
    }
}

static double predicted_gain(const Fitter& f) {
    const int64_t p = f.tape.n_slots;
    double sum = 0.0;
    for (int64_t i = 0; i < p; i++) {
        double row = 2.0 * f.here.gradient.items[i];
        for (int64_t j = 0; j < p; j++) row += f.here.matrix.items[i * p + j] * f.step.items[j];
        sum += f.step.items[i] * row;
    }
    return -sum;
}

static bool is_small_step(const Fitter& f) {
    for (int64_t i = 0; i < f.tape.n_slots; i++)
        if (!(__builtin_fabs(f.step.items[i]) <= SMALL_STEP * __builtin_fabs(f.at.items[i])))
            return false;
    return true;
}

template <typename Item>
SYMBED_INLINE void exchange(Item& a, Item& b) {
    const Item kept = a;
    a = b;
    b = kept;
}

static void accept_trial(Fitter& f) {
    exchange(f.at.items, f.trial.items);
    exchange(f.here.matrix.items, f.there.matrix.items);
    exchange(f.here.gradient.items, f.there.gradient.items);
    exchange(f.here.loss, f.there.loss);
    set_scales(f);
}

// Nielsen's rule: the better the model foretold the gain, the less damping the next step needs.
inline double eased(double damping, double ratio) {
    const double off = 2.0 * ratio - 1.0;
    double factor = 1.0 - off * off * off;
    factor = factor < 0.1 ? 0.1 : factor;
    damping *= factor;
    return damping < LEAST_DAMPING ? LEAST_DAMPING : damping;
}

// Goes down from f.at, whose model is f.here; true if it came to rest.
static bool descend(Fitter& f, double damping, double floor) {
    double growth = 2.0;
    set_scales(f);
    for (int64_t turn = 0; turn < f.task->max_iterations; turn++) {
        if (f.here.loss <= floor) return true;
        double gain = 0.0, loss = INFINITE;
        const double worth = SMALL_GAIN * f.here.loss;
        if (find_step(f, damping)) {
            if (is_small_step(f)) return true;
            gain = predicted_gain(f);
            if (gain <= worth && damping <= FIRST_DAMPING) return true;
            if (gain > 0.0) loss = measure(f, f.trial.items, f.here.loss, &f.there);
        }
        if (loss == INFINITE) {
            if (gain > 0.0 && gain <= worth) return true;
            damping *= growth;
            growth *= 2.0;
            if (damping > MOST_DAMPING) return true;
            continue;
        }
        const double got = f.here.loss - loss;
        accept_trial(f);
        damping = eased(damping, got / gain);
        growth = 2.0;
        if (got <= worth && gain <= worth) return true;
    }
    return false;
}

static void use_start(Fitter& f, int64_t start) {
    const FitTask& task = *f.task;
    for (int64_t slot = 0; slot < f.tape.n_slots; slot++)
        f.at.items[slot] =
            task.initial[(f.tape.range_of[slot] * task.n_starts + start) * task.n_slots + slot];
}

// Ranks the starts by their loss, the earlier first of equal ones; how many have a finite one.
static int64_t rank_starts(Fitter& f) {
    int64_t n_finite = 0;
    f.ranked.count = 0;
    for (int64_t start = 0; start < f.task->n_starts; start++) {
        use_start(f, start);
        const double loss = measure(f, f.at.items, INFINITE, nullptr);
        f.losses.items[start] = loss;
        n_finite += loss < INFINITE;
        int64_t place = f.ranked.count++;
        for (; place > 0 && f.losses.items[f.ranked.items[place - 1]] > loss; place--)
            f.ranked.items[place] = f.ranked.items[place - 1];
        f.ranked.items[place] = int32_t(start);
    }
    return n_finite;
}

static void keep_best(Fitter& f, double loss) {
    if (!(loss < f.best_loss)) return;
    f.best_loss = loss;
    memcpy(f.best.items, f.at.items, size_t(f.tape.n_slots) * sizeof(double));
}

// Goes down from f.at, whose loss is known, and keeps what is found if it is the best so far.
static void try_start(Fitter& f, double loss, double floor, int32_t& converged) {
    const bool affine = f.tape.root().shape == AFFINE;
    if (measure(f, f.at.items, INFINITE, &f.here) == INFINITE) return keep_best(f, loss);
    const bool rested = descend(f, affine ? AFFINE_DAMPING : FIRST_DAMPING, floor);
    if (f.here.loss < f.best_loss) converged = rested;
    keep_best(f, f.here.loss);
}

// The best of the descents from the starts; an affine program needs one, it has no local minima.
static void try_starts(Fitter& f, int64_t n_finite, double floor, int32_t& converged) {
    const bool affine = f.tape.root().shape == AFFINE;
    for (int64_t rank = 0; rank < n_finite && f.best_loss > floor; rank++) {
        use_start(f, f.ranked.items[rank]);
        try_start(f, f.losses.items[f.ranked.items[rank]], floor, converged);
        if (affine) return;
    }
}

// Fits f.tape; f.best holds the values in the end, the first start where nothing is defined.
static void fit_parameters(Fitter& f, int32_t& converged) {
    const double floor = f.task->floor;
    use_start(f, 0);
    memcpy(f.best.items, f.at.items, size_t(f.tape.n_slots) * sizeof(double));
    f.best_loss = INFINITE;
    f.scale = f.task->scale;
    const int64_t n_finite = rank_starts(f);
    if (n_finite) return try_starts(f, n_finite, floor, converged);
    // Squares that overflow do not in smaller units; from there on it goes as usual.
    f.scale = COARSE;
    const int64_t n_coarse = rank_starts(f);
    if (!n_coarse) return;
    try_starts(f, n_coarse, 0.0, converged);
    f.scale = f.task->scale;
    memcpy(f.at.items, f.best.items, size_t(f.tape.n_slots) * sizeof(double));
    f.best_loss = measure(f, f.at.items, INFINITE, nullptr);
    if (f.best_loss < INFINITE) {
        const double loss = f.best_loss;
        f.best_loss = INFINITE;
        try_start(f, loss, floor, converged);
    }
}

// Sums of squares and magnitudes of the residuals, times a scale.
static void sum_errors(Fitter& f, double scale, double& squares, double& magnitudes) {
    double square_lanes[LANES] = {}, magnitude_lanes[LANES] = {};
    double* residual = f.tape.slopes.items + f.tape.n_slots * STRETCH;
    for (int64_t point = 0; point < f.tape.n_points; point += STRETCH) {
        const int64_t left = f.tape.n_points - point, n = left < STRETCH ? left : STRETCH;
        const int64_t length = residuals(record(f.tape, point, n), f.task->target + point,
                                         scale, scale / f.task->scale, n, residual);
        for (int64_t t = 0; t < length; t += LANES)
            for (int lane = 0; lane < LANES; lane++) {
                square_lanes[lane] += residual[t + lane] * residual[t + lane];
                magnitude_lanes[lane] += __builtin_fabs(residual[t + lane]);
            }
    }
    squares = fold_lanes(square_lanes);
    magnitudes = fold_lanes(magnitude_lanes);
}

// Root mean squared and mean absolute error at the best parameters; infinite where undefined.
static void find_errors(Fitter& f, double* errors) {
    set_parameters(f.tape, f.best.items);
    errors[0] = errors[1] = INFINITE;
    const double n = double(f.tape.n_points), scales[] = {f.task->scale, COARSE};
    for (double scale : scales) {
        double squares, magnitudes;
        sum_errors(f, scale, squares, magnitudes);
        if (!is_finite(squares)) continue;
        errors[0] = __builtin_sqrt(squares / n) / scale;
        errors[1] = magnitudes / n / scale;
        return;
    }
}

static Status fit_one(Fitter& f, int64_t k) {
    const FitTask& task = *f.task;
    Status status = read_program(f.tape, task.words + task.starts[k], task.words + task.starts[k + 1], task);
    if (status == DONE) status = prepare(f.tape, task);
    if (status != DONE) return status;
    const int64_t p = f.tape.n_slots;
    if (task.places[k] < 0 || task.places[k] + p != task.places[k + 1]) return BAD_STARTS;
    int32_t* counts = task.counts + 2 * k;
    f.evaluations = 1;
    counts[1] = p == 0;
    for (int64_t slot = 0; slot < p; slot++) {
        f.low.items[slot] = task.bounds[2 * f.tape.range_of[slot]];
        f.high.items[slot] = task.bounds[2 * f.tape.range_of[slot] + 1];
    }
    if (p) fit_parameters(f, counts[1]);
    find_errors(f, task.errors + 2 * k);
    memcpy(task.values + task.places[k], f.best.items, size_t(p) * sizeof(double));
    counts[0] = f.evaluations;
    return DONE;
}

static int64_t fit(const FitTask& task) {
    if (task.n_points < 1 || task.n_starts < 1) return BAD_SHAPE;
    if (task.n_slots < 0 || task.n_slots > MOST_FITTED) return NO_SUCH_COLUMN;
    Fitter f;
    int64_t longest = 1;
    for (int64_t k = 0; k < task.n_programs; k++) {
        const int64_t length = task.starts[k + 1] - task.starts[k];
        if (task.starts[k] < 0 || length < 0 || task.starts[k + 1] > task.n_words) return BAD_STARTS;
        if (length > longest) longest = length;
    }
    f.task = &task;
    if (!f.reserve(task) || !f.tape.reserve(longest)) return NO_MEMORY;
    for (int64_t k = 0; k < task.n_programs; k++)
        if (Status status = fit_one(f, k)) return status + 256 * k;
    return DONE;
}

}  // namespace SYMBED_NS
