// The general distance: p-th powers of the Wasserstein distances between the sorted outputs at
// each point, exact for any two numbers of outputs.
#pragma once
#include "api/core.h"
#include "distance/lane_sums.h"

namespace SYMBED_NS {

constexpr Scale PLAIN{1.0, 1.0};
constexpr double TINY_SQUARE = 0x1p-900;  // squares below it may have lost digits

// How to compute a power sum again: nothing needs it in ordinary cases, where PLAIN comes back.
SYMBED_INLINE Scale second_try(double sum, int64_t order) {
    if (sum == INFINITE) return order == 1 ? Scale{0x1p-64, 1.0} : Scale{0x1p-600, 1.0};
    if (order == 2 && sum < TINY_SQUARE) return Scale{1.0, 0x1p600};
    return PLAIN;
}

SYMBED_INLINE bool is_plain(Scale scale) { return scale.before == 1.0 && scale.after == 1.0; }

// From a mean of powers to the distance.
SYMBED_INLINE double root(double mean, int64_t order, Scale scale) {
    const double distance = order == 1 ? mean : __builtin_sqrt(mean);
    return distance * (1.0 / (scale.before * scale.after));
}

template <int ORDER>
SYMBED_INLINE double cost_of(double u, double v, Scale scale) {
    const double difference = (u * scale.before - v * scale.before) * scale.after;
    return ORDER == 1 ? __builtin_fabs(difference) : difference * difference;
}

// Two behaviors at the same points, and the counts of their defined outputs.
struct Pair {
    const double *u, *v;
    const int32_t *u_defined, *v_defined;
    int64_t u_draws, v_draws, n_points;
};

inline int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Any two counts at one point: the quantile steps i / ku and j / kv are merged, as integers.
template <int ORDER>
static double merged_cost(const Pair& pair, int64_t point, Scale scale) {
    const int64_t n = pair.n_points;
    const double *u = pair.u + point, *v = pair.v + point;
    const int64_t ku = pair.u_defined[point], kv = pair.v_defined[point];
    const int64_t divisor = common_divisor(ku, kv);
    const int64_t u_step = kv / divisor, v_step = ku / divisor;
    int64_t u_end = u_step, v_end = v_step, reached = 0;
    const int64_t end = ku * u_step;
    double sum = 0.0;
    while (reached < end) {
        const int64_t next = u_end < v_end ? u_end : v_end;
        sum += cost_of<ORDER>(*u, *v, scale) * double(next - reached);
        reached = next;
        if (u_end == next) u += n, u_end += u_step;
        if (v_end == next) v += n, v_end += v_step;
    }
    return sum / double(end);
}

// The cost at one point, whatever the counts.
template <int ORDER>
static double point_cost(const Pair& pair, int64_t i, double mismatch, Scale scale) {
    if (pair.u_defined[i] && pair.v_defined[i]) return merged_cost<ORDER>(pair, i, scale);
    const bool one_sided = pair.u_defined[i] || pair.v_defined[i];
    return one_sided ? cost_of<ORDER>(mismatch, 0.0, scale) : 0.0;
}

// How many outputs are paired in order at a point: as many as there are where the counts agree, or
// where one side has the same single output for every draw. Zero: nothing to pair; -1: merge.
SYMBED_INLINE int32_t paired(const Pair& pair, int64_t i) {
    const int32_t ku = pair.u_defined[i], kv = pair.v_defined[i];
    if (!ku || !kv) return 0;
    if (pair.u_draws == 1) return kv;
    if (pair.v_draws == 1) return ku;
    return ku == kv ? ku : -1;
}

constexpr int TOGETHER = 64;  // points worked on together

// Costs of a strip of points; outputs that are paired in order are summed for all points at once.
template <int ORDER>
static void strip_costs(const Pair& pair, int64_t first, int n, double mismatch, Scale scale,
                        double* out) {
    double counts[TOGETHER], sums[TOGETHER];
    int32_t most = 0;
    for (int i = 0; i < n; i++) {
        const int32_t count = paired(pair, first + i);
        counts[i] = count;
        sums[i] = 0.0;
        most = count > most ? count : most;
    }
    for (int32_t draw = 0; draw < most; draw++) {
        const double* u = pair.u + (pair.u_draws == 1 ? 0 : draw) * pair.n_points + first;
        const double* v = pair.v + (pair.v_draws == 1 ? 0 : draw) * pair.n_points + first;
        for (int i = 0; i < n; i++)
            sums[i] += double(draw) < counts[i] ? cost_of<ORDER>(u[i], v[i], scale) : 0.0;
    }
    for (int i = 0; i < n; i++)
        out[i] = counts[i] > 0.0 ? sums[i] / counts[i]
                                 : point_cost<ORDER>(pair, first + i, mismatch, scale);
}

// The p-th power of the distance at each point.
static void point_costs(const Pair& pair, const Measure& measure, Scale scale, double* out) {
    for (int64_t first = 0; first < pair.n_points; first += TOGETHER) {
        const int64_t left = pair.n_points - first;
        const int n = left < TOGETHER ? int(left) : TOGETHER;
        if (measure.order == 1)
            strip_costs<1>(pair, first, n, measure.mismatch, scale, out + first);
        else
            strip_costs<2>(pair, first, n, measure.mismatch, scale, out + first);
    }
}

// The sum over the points, in lanes as everywhere.
static double sum_costs(const double* costs, int64_t n) {
    double lanes[LANES] = {};
    for (int64_t t = 0; t < n; t++) lanes[t % LANES] += costs[t];
    return fold_lanes(lanes);
}

static bool is_infinite(const Pair& pair, const Measure& measure) {
    if (measure.mismatch != INFINITE) return false;
    int one_sided = 0;
    for (int64_t i = 0; i < pair.n_points; i++)
        one_sided |= !pair.u_defined[i] != !pair.v_defined[i];
    return one_sided;
}

// BED of two behaviors of which some outputs are undefined, or whose draws differ in number.
static double general_distance(const Pair& pair, const Measure& measure, double* costs) {
    if (is_infinite(pair, measure)) return INFINITE;
    Scale scale = PLAIN;
    point_costs(pair, measure, scale, costs);
    double sum = sum_costs(costs, pair.n_points);
    scale = second_try(sum, measure.order);
    if (!is_plain(scale)) {
        point_costs(pair, measure, scale, costs);
        sum = sum_costs(costs, pair.n_points);
    }
    return root(sum / double(pair.n_points), measure.order, scale);
}

}  // namespace SYMBED_NS
