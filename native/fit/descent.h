// Descents: from a start, find the parameters of a tape where its squared error on data is least
// nearby.
//
// Levenberg and Marquardt's steps, with exact slopes, inside of bounds. engine/reference/_fitting.py
// does the same in NumPy, number by number.
#pragma once
#include "fit/adjoints.h"
#include "fit/normal_equations.h"

namespace SYMBED_NS {

constexpr double FIRST_DAMPING = 1e-3, AFFINE_DAMPING = 1e-12, MOST_DAMPING = 1e12;
constexpr double LEAST_DAMPING = 1e-15;
constexpr double SMALL_GAIN = 1e-10;     // of the loss; less than it is not worth a step
constexpr double SMALL_STEP = 0x1p-48;   // of a parameter
constexpr double COARSE = 0x1p-540;      // in this scale no sum of squares overflows
constexpr double HUGE_RATIO = 0x1p500;   // its square would overflow

struct Fitter {
    const FitTask* task;
    Tape tape;
    Products products;
    Model here, there;
    Solver solver;
    List<double> at, trial, step, best, low, high, losses;
    List<int32_t> ranked;     // the best starts, by loss
    double scale, best_loss;  // factor of the residuals
    int32_t evaluations;
    const double *target, *starts;  // of the fit at hand: [n_points], [n_own, n_slots]
    double target_scale, floor, middle;
    int64_t n_defined;        // points where the target is a number
    bool on_circle;           // residuals are chords between stereographic images
    List<double> pulls;       // [2, STRETCH] of the chords: factors of the slopes, sines of the angles

    bool reserve(const FitTask& given) {
        const int64_t p = given.n_slots;
        return products.reserve(p + 1) && here.reserve(p) && there.reserve(p) && solver.reserve(p) &&
               at.reserve(p + 1) && trial.reserve(p + 1) && step.reserve(p + 1) &&
               best.reserve(p + 1) && low.reserve(p + 1) && high.reserve(p + 1) &&
               losses.reserve(given.n_starts + given.n_own + 1) &&
               ranked.reserve(given.n_starts + given.n_own + 1) && pulls.reserve(2 * STRETCH);
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

// A point without a target counts neither in the loss nor in the slopes.
static void leave_out(const double* target, double* column, int64_t n) {
    for (int64_t i = 0; i < n; i++) column[i] = target[i] == target[i] ? column[i] : 0.0;
}

struct HalfAngle {
    double sine, cosine;  // of half the angle 2*atan(u) of the image of u
};

SYMBED_INLINE HalfAngle half_angle(double u) {
    const double size = __builtin_fabs(u);
    if (size > HUGE_RATIO) return {u > 0.0 ? 1.0 : -1.0, 1.0 / size};
    const double root = __builtin_sqrt(1.0 + u * u);
    return {u / root, 1.0 / root};
}

// Residuals on the circle: the chord between the stereographic images of output and target, which is
// continuous where an output passes through a pole. f.pulls gets what the model of the loss needs.
static int64_t chords(Fitter& f, const View& outputs, int64_t point, int64_t n, double* out) {
    const double *from = outputs.data, *target = f.target + point;
    double *factors = f.pulls.items, *sines = factors + STRETCH;
    for (int64_t i = 0; i < n; i++) {
        const HalfAngle image = half_angle((outputs.is_array ? from[i] : *from) / f.middle);
        const HalfAngle goal = half_angle(target[i] / f.target_scale / f.middle);
        const double sine = image.sine * goal.cosine - image.cosine * goal.sine;
        const double cosine = image.cosine * goal.cosine + image.sine * goal.sine;
        out[i] = 2.0 * sine;
        sines[i] = 2.0 * (sine * cosine);
        factors[i] = 2.0 * (image.cosine * image.cosine) / f.middle;
    }
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
    const bool has_gaps = f.n_defined < n_points;
    double *columns = f.tape.slopes.items, *residual = columns + p * STRETCH, sum = 0.0;
    if (model) f.products.clear(p + 1);
    memset(f.products.lanes.items + last * LANES, 0, LANES * sizeof(double));
    for (int64_t point = 0; point < n_points; point += STRETCH) {
        const int64_t n = n_points - point < STRETCH ? n_points - point : STRETCH;
        const View outputs = record(f.tape, point, n);
        const int64_t length = f.on_circle ? chords(f, outputs, point, n, residual)
                                           : residuals(outputs, f.target + point, f.scale,
                                                       f.scale / f.target_scale, n, residual);
        if (has_gaps) leave_out(f.target + point, residual, n);
        add_row(f.products, columns, STRETCH, p, p, p + 1, length);
        sum = f.products.sum(last);
        // Sums of squares only grow, so the rest of the points cannot mend it.
        if (!(sum < bound)) return INFINITE;
        if (!model) continue;
        pull_back(f.tape, f.on_circle ? 1.0 : f.scale, point, n);
        for (int64_t i = 0; i < p; i++) {
            double* column = columns + i * STRETCH;
            if (f.on_circle)
                for (int64_t at = 0; at < n; at++) column[at] *= f.pulls.items[at];
            if (has_gaps) leave_out(f.target + point, column, n);
            if (mend) mend_slopes(column, n);
            for (int64_t rest = n; rest < length; rest++) column[rest] = 0.0;
        }
        if (f.on_circle) {
            memcpy(residual, f.pulls.items + STRETCH, size_t(n) * sizeof(double));
            if (has_gaps) leave_out(f.target + point, residual, n);
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

}  // namespace SYMBED_NS
