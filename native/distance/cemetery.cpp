// The cemetery: finite distances between behaviors with undefined outputs.
//
// Undefined mass sits on an extra point, joined to zero by an edge. engine/reference/distances.py says
// it in full; this does the same additions in the same order.
#include "api/core.h"

#include <math.h>
#include <stdlib.h>

namespace {

constexpr int LANES = 32;

// Outputs at one point, ascending, and the weight of each: its share over a common denominator.
struct Outputs {
    const double* values;
    int64_t count;
    double weight;
};

// The cost at one point: outputs and zero are merged, between neighbors the sub-CDFs are constant.
// It comes out times the scale, a power of two, which is 1 unless outputs are so large that their
// sums overflow.
double cost_at(Outputs u, Outputs v, double penalty, double scale) {
    const double gap = double(u.count) * u.weight - double(v.count) * v.weight;
    const double *u_end = u.values + u.count, *v_end = v.values + v.count;
    double area = 0.0, below = 0.0, last = 0.0;
    bool passed_zero = false, begun = false;
    while (u.values < u_end || v.values < v_end || !passed_zero) {
        const double from_u = u.values < u_end ? *u.values : INFINITY;
        const double from_v = v.values < v_end ? *v.values : INFINITY;
        double place = from_u <= from_v ? from_u : from_v;
        double step = from_u <= from_v ? u.weight : -v.weight;
        const bool is_zero = !passed_zero && place >= 0.0;
        if (is_zero) place = 0.0, step = 0.0;
        const double height = fabs(last < 0.0 ? below : gap - below);
        if (begun && height > 0.0) area += (place * scale - last * scale) * height;
        below += step;
        last = place;
        begun = true;
        if (is_zero)
            passed_zero = true;
        else if (from_u <= from_v)
            u.values++;
        else
            v.values++;
    }
    return area + penalty * scale * fabs(gap);
}

// Outputs [draws, points] as [points, draws].
void turn(const double* from, int64_t draws, int64_t n_points, double* to) {
    for (int64_t i = 0; i < n_points; i++)
        for (int64_t draw = 0; draw < draws; draw++) to[i * draws + draw] = from[draw * n_points + i];
}

// The mean over the points, in lanes as everywhere.
double mean(const double* costs, int64_t n_points, double scale) {
    double lanes[LANES] = {};
    for (int64_t i = 0; i < n_points; i++) lanes[i % LANES] += costs[i] * scale;
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) lanes[lane] += lanes[lane + half];
    return lanes[0] / double(n_points);
}

// What is finite must not become infinite on the way; what passes the largest number does.
constexpr double SCALE = 0x1p-64;

double finite_cost(Outputs u, Outputs v, double penalty, double whole) {
    const double cost = cost_at(u, v, penalty, 1.0) / whole;
    return isfinite(cost) ? cost : cost_at(u, v, penalty, SCALE) / whole / SCALE;
}

// The costs of one behavior of each side at all points; both are turned, [points, draws].
void costs_of(const Behaviors& a, int64_t k, const double* u, const Behaviors& b, int64_t j,
              const double* v, int64_t n_points, double penalty, double* costs) {
    const double u_weight = double(b.draws), v_weight = double(a.draws);
    for (int64_t i = 0; i < n_points; i++)
        costs[i] = finite_cost({u + i * a.draws, a.defined[k * n_points + i], u_weight},
                               {v + i * b.draws, b.defined[j * n_points + i], v_weight}, penalty,
                               u_weight * v_weight);
}

double finite_mean(const double* costs, int64_t n_points) {
    const double plain = mean(costs, n_points, 1.0);
    return isfinite(plain) ? plain : mean(costs, n_points, SCALE) / SCALE;
}

}  // namespace

// out [a.count, b.count] is filled.
SYMBED_API int64_t symbed_cemetery(const Behaviors* a, const Behaviors* b, double penalty,
                                   double* out) {
    if (Status problem = problem_of(*a, *b)) return problem;
    const int64_t n_points = a->n_points;
    const int64_t a_size = a->draws * n_points, b_size = b->draws * n_points;
    const int64_t numbers = a_size + b_size * b->count + n_points;
    double* memory = static_cast<double*>(malloc(size_t(numbers) * sizeof(double)));
    if (!memory) return NO_MEMORY;
    double *row = memory, *others = row + a_size, *costs = others + b_size * b->count;
    for (int64_t j = 0; j < b->count; j++)
        turn(b->values + j * b_size, b->draws, n_points, others + j * b_size);
    for (int64_t k = 0; k < a->count; k++) {
        turn(a->values + k * a_size, a->draws, n_points, row);
        for (int64_t j = 0; j < b->count; j++) {
            costs_of(*a, k, row, *b, j, others + j * b_size, n_points, penalty, costs);
            out[k * b->count + j] = finite_mean(costs, n_points);
        }
    }
    free(memory);
    return DONE;
}

// out [n_points] is filled with the costs of the first behavior of each side.
SYMBED_API int64_t symbed_cemetery_profile(const Behaviors* a, const Behaviors* b,
                                           double penalty, double* out) {
    if (Status problem = problem_of(*a, *b)) return problem;
    const int64_t n_points = a->n_points;
    if (a->count < 1 || b->count < 1) return BAD_SHAPE;
    const int64_t a_size = a->draws * n_points, b_size = b->draws * n_points;
    double* memory = static_cast<double*>(malloc(size_t(a_size + b_size) * sizeof(double)));
    if (!memory) return NO_MEMORY;
    turn(a->values, a->draws, n_points, memory);
    turn(b->values, b->draws, n_points, memory + a_size);
    costs_of(*a, 0, memory, *b, 0, memory + a_size, n_points, penalty, out);
    free(memory);
    return DONE;
}
