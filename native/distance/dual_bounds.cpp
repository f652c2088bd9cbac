// Cross-fitted lower bounds of Wasserstein-1 distances: a potential learned from one pair of
// samples, applied to another.
//
// symbed.engine.reference.dual_bounds says it in full; this does the same additions in the same order.
#include "api/core.h"

#include <math.h>
#include <stdlib.h>

namespace {

constexpr int LISTS = 4;  // E and F under one set of draws, then under the other

// Outputs at one point, ascending, with infinity behind them.
struct List {
    const double* at;
    int64_t count;
};

// Copies the outputs of a side at a point to `to`: read one by one where they lie, each would wait
// for the one before.
List list_at(const Behaviors& side, int64_t point, int64_t n_points, double* to) {
    const int64_t count = side.defined[point];
    for (int64_t k = 0; k < count; k++) to[k] = side.values[k * n_points + point];
    to[count] = INFINITY;
    return {to, count};
}

// Sums of sign * height * step; what comes before the first sign is added last, with that sign.
// Without branches: signs change in no order that a processor could foresee.
struct Sum {
    double sign = 0.0, first = 0.0, total = 0.0, before = 0.0;

    void add(int64_t signed_by, double area) {
        const double found = double(signed_by > 0) - double(signed_by < 0);
        sign = found != 0.0 ? found : sign;
        first = first != 0.0 ? first : sign;
        total += sign * area;
        before += sign == 0.0 ? area : 0.0;
    }
    // No negative zero.
    double over(int64_t share) const { return (total + first * before) / double(share) + 0.0; }
};

// The two bounds at one point: the signs of the first samples on the second, and the reverse.
void bounds_at(List (&lists)[LISTS], double* first, double* second) {
    const int64_t counts[LISTS] = {lists[0].count, lists[1].count, lists[2].count, lists[3].count};
    if (!counts[0] || !counts[1] || !counts[2] || !counts[3]) {
        *first = *second = NAN;
        return;
    }
    // What an output of each list does to F_E - F_F under its draws, times the product of counts.
    const int64_t steps[LISTS] = {counts[1], -counts[0], counts[3], -counts[2]};
    int64_t heights[2] = {0, 0};
    Sum sums[2];
    double last = 0.0;
    const int64_t total = counts[0] + counts[1] + counts[2] + counts[3];
    for (int64_t t = 0; t < total; t++) {
        const int low = *lists[1].at < *lists[0].at, high = 2 + (*lists[3].at < *lists[2].at);
        const int least = *lists[high].at < *lists[low].at ? high : low;
        const double place = *lists[least].at;
        if (t) {
            const double gap = place - last;
            sums[0].add(heights[0], double(heights[1]) * gap);
            sums[1].add(heights[1], double(heights[0]) * gap);
        }
        heights[least / 2] += steps[least];
        lists[least].at++;
        last = place;
    }
    *first = sums[0].over(counts[2] * counts[3]);
    *second = sums[1].over(counts[0] * counts[1]);
}

bool counts_are_possible(const Behaviors& side, int64_t n_points) {
    int64_t wrong = side.count != 1 || side.draws < 1;
    for (int64_t i = 0; !wrong && i < n_points; i++)
        wrong |= (side.defined[i] < 0) | (side.defined[i] > side.draws);
    return !wrong;
}

}  // namespace

// out [2, n_points] is filled; e and f under one set of draws, then under the other.
SYMBED_API int64_t symbed_dual_bounds(const Behaviors* e, const Behaviors* f,
                                      const Behaviors* e_again, const Behaviors* f_again,
                                      int64_t n_points, double* out) {
    if (n_points < 1) return BAD_SHAPE;
    const Behaviors* sides[LISTS] = {e, f, e_again, f_again};
    for (const Behaviors* side : sides)
        if (!counts_are_possible(*side, n_points)) return BAD_COUNT;
    int64_t most = 0;
    for (const Behaviors* side : sides) most = side->draws > most ? side->draws : most;
    double* memory = static_cast<double*>(malloc(size_t(LISTS * (most + 1)) * sizeof(double)));
    if (!memory) return NO_MEMORY;
    for (int64_t i = 0; i < n_points; i++) {
        List lists[LISTS];
        for (int k = 0; k < LISTS; k++)
            lists[k] = list_at(*sides[k], i, n_points, memory + k * (most + 1));
        bounds_at(lists, out + i, out + n_points + i);
    }
    free(memory);
    return DONE;
}
