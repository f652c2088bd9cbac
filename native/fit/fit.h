// Fitting: find the parameters of programs with the least squared error on data.
//
// Starts are measured, and descents go from the best ones. engine/reference/_fitting.py is the twin.
#pragma once
#include "fit/descent.h"

namespace SYMBED_NS {

constexpr double CIRCLE_FLOOR = 0x1p-60;  // chords so small that plain steps do the rest

static bool is_affine(const Fitter& f) { return f.tape.root().shape == AFFINE; }

static void use_start(Fitter& f, int64_t start) {
    const FitTask& task = *f.task;
    const int64_t shared = start - task.n_own;
    for (int64_t slot = 0; slot < f.tape.n_slots; slot++)
        f.at.items[slot] =
            shared < 0 ? f.starts[start * task.n_slots + slot]
                       : task.initial[(f.tape.range_of[slot] * task.n_starts + shared) * task.n_slots + slot];
}

// Ranks the best starts by their loss, the earlier first of equal ones; false if all are infinite.
static bool rank_starts(Fitter& f) {
    const FitTask& task = *f.task;
    const int64_t n_given = task.n_own + task.n_starts;
    const int64_t wanted = task.n_descents < n_given ? task.n_descents : n_given;
    const int64_t n_starts = is_affine(f) ? wanted : n_given;
    List<int32_t>& ranked = f.ranked;
    ranked.count = 0;
    for (int64_t start = 0; start < n_starts; start++) {
        const bool full = ranked.count == wanted;
        use_start(f, start);
        // Once there are enough, only what is better than the worst of them needs to be known.
        const double bound = full ? f.losses.items[ranked.items[wanted - 1]] : INFINITE;
        const double loss = measure(f, f.at.items, bound, nullptr);
        if (loss == INFINITE) continue;
        f.losses.items[start] = loss;
        int64_t place = full ? wanted - 1 : ranked.count++;
        for (; place > 0 && f.losses.items[ranked.items[place - 1]] > loss; place--)
            ranked.items[place] = ranked.items[place - 1];
        ranked.items[place] = int32_t(start);
    }
    return ranked.count;
}

static void keep_best(Fitter& f, double loss) {
    if (!(loss < f.best_loss)) return;
    f.best_loss = loss;
    memcpy(f.best.items, f.at.items, size_t(f.tape.n_slots) * sizeof(double));
}

// Goes down from f.at, whose loss is known, and keeps what is found if it is the best so far.
static void try_start(Fitter& f, double loss, double floor, int32_t& converged) {
    if (measure(f, f.at.items, INFINITE, &f.here) == INFINITE) return keep_best(f, loss);
    const bool rested = descend(f, is_affine(f) ? AFFINE_DAMPING : FIRST_DAMPING, floor);
    if (f.here.loss < f.best_loss) converged = rested;
    keep_best(f, f.here.loss);
}

// The same on the circle first, and then from where that ended: poles between the start and the
// solution, where the squared error is infinite, do not stand in the way there.
static void try_start_on_circle(Fitter& f, double floor, int32_t& converged) {
    f.on_circle = true;
    if (measure(f, f.at.items, INFINITE, &f.here) < INFINITE) descend(f, FIRST_DAMPING, CIRCLE_FLOOR);
    f.on_circle = false;
    const double loss = measure(f, f.at.items, INFINITE, nullptr);
    if (loss < INFINITE) try_start(f, loss, floor, converged);
}

// The best of the descents from the starts; an affine program needs one, it has no local minima.
static void try_starts(Fitter& f, double floor, int32_t& converged) {
    for (int64_t rank = 0; rank < f.ranked.count && f.best_loss > floor; rank++) {
        use_start(f, f.ranked.items[rank]);
        try_start(f, f.losses.items[f.ranked.items[rank]], floor, converged);
        if (is_affine(f)) return;
    }
}

// Fits f.tape; f.best holds the values in the end, the first start where nothing is defined.
static void fit_parameters(Fitter& f, int32_t& converged) {
    const double floor = f.floor;
    use_start(f, 0);
    memcpy(f.best.items, f.at.items, size_t(f.tape.n_slots) * sizeof(double));
    f.best_loss = INFINITE;
    f.scale = f.target_scale;
    if (f.task->middles && !is_affine(f)) {
        f.on_circle = true;
        rank_starts(f);
        f.on_circle = false;
        for (int64_t rank = 0; rank < f.ranked.count && f.best_loss > floor; rank++) {
            use_start(f, f.ranked.items[rank]);
            try_start_on_circle(f, floor, converged);
        }
        if (f.best_loss < INFINITE) return;
    }
    if (rank_starts(f)) return try_starts(f, floor, converged);
    // Squares that overflow do not in smaller units; from there on it goes as usual.
    f.scale = COARSE;
    if (!rank_starts(f)) return;
    try_starts(f, 0.0, converged);
    f.scale = f.target_scale;
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
        const int64_t length = residuals(record(f.tape, point, n), f.target + point, scale,
                                         scale / f.target_scale, n, residual);
        if (f.n_defined < f.tape.n_points) leave_out(f.target + point, residual, n);
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
    const double n = double(f.n_defined), scales[] = {f.target_scale, COARSE};
    for (double scale : scales) {
        double squares, magnitudes;
        sum_errors(f, scale, squares, magnitudes);
        if (!is_finite(squares)) continue;
        errors[0] = __builtin_sqrt(squares / n) / scale;
        errors[1] = magnitudes / n / scale;
        return;
    }
}

static void use_target(Fitter& f, int64_t target) {
    const FitTask& task = *f.task;
    f.target = task.targets + target * task.n_points;
    f.starts = task.own + target * task.n_own * task.n_slots;
    f.target_scale = task.scales[target];
    f.floor = task.floors[target];
    f.middle = task.middles ? task.middles[target] : 0.0;
    f.on_circle = false;
    f.n_defined = 0;
    for (int64_t i = 0; i < task.n_points; i++) f.n_defined += f.target[i] == f.target[i];
}

// Fits f.tape to one target; k is the number of the fit.
static Status fit_target(Fitter& f, int64_t k) {
    const FitTask& task = *f.task;
    const int64_t p = f.tape.n_slots;
    if (task.places[k] < 0 || task.places[k] + p != task.places[k + 1]) return BAD_STARTS;
    use_target(f, k % task.n_targets);
    int32_t* counts = task.counts + 2 * k;
    f.evaluations = 1;
    counts[1] = p == 0;
    if (p) fit_parameters(f, counts[1]);
    find_errors(f, task.errors + 2 * k);
    memcpy(task.values + task.places[k], f.best.items, size_t(p) * sizeof(double));
    counts[0] = f.evaluations;
    return DONE;
}

// What depends on the program and the points alone is done once for all targets.
static Status fit_one(Fitter& f, int64_t k) {
    const FitTask& task = *f.task;
    Status status = read_program(f.tape, task.words + task.starts[k], task.words + task.starts[k + 1], task);
    if (status == DONE) status = prepare(f.tape, task);
    for (int64_t slot = 0; slot < f.tape.n_slots; slot++) {
        f.low.items[slot] = task.bounds[2 * f.tape.range_of[slot]];
        f.high.items[slot] = task.bounds[2 * f.tape.range_of[slot] + 1];
    }
    for (int64_t target = 0; status == DONE && target < task.n_targets; target++)
        status = fit_target(f, k * task.n_targets + target);
    return status;
}

static int64_t fit(const FitTask& task) {
    if (task.n_points < 1 || task.n_targets < 1 || task.n_descents < 1) return BAD_SHAPE;
    if (task.n_starts < 0 || task.n_own < 0 || task.n_starts + task.n_own < 1) return BAD_SHAPE;
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
        if (Status status = fit_one(f, k)) return status + 256 * (k + 1);
    return DONE;
}

}  // namespace SYMBED_NS
