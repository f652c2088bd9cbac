// Cross-fitted lower bounds of Wasserstein-1 distances: a potential learned from one pair of
// samples, applied to another.
//
// engine/reference/_bounds.py says it in full; this does the same additions in the same order.
#include "api/core.h"

#include <math.h>
#include <stdlib.h>

namespace {

constexpr int LISTS = 4;  // E and F under one set of draws, then under the other

// Points that are walked through in turns: every step of one point waits for its last one, so that
// the processor has room for the steps of others.
constexpr int TURNS = 8;

// 0 or 1, hidden from the compiler, which would branch on what it knows of it.
inline int as_number(bool truth) {
    int number = truth;
    asm("" : "+r"(number));
    return number;
}

// Sums of sign * height * step; what comes before the first sign is added last, with that sign.
// Without branches: signs change in no order that a processor could foresee.
struct Sum {
    int64_t sign = 0, first = 0;
    double total = 0.0, before = 0.0;

    template <bool SIGNED>
    void add(int64_t signed_by, double area) {
        const int64_t found = (signed_by > 0) - (signed_by < 0);
        sign = found | (sign & -int64_t(found == 0));
        total += double(sign) * area;
        if (SIGNED) return;
        if (!sign) before += area;
        if (!first) first = sign;
    }
    // No negative zero.
    double over(int64_t share) const {
        return (total + double(first) * before) / double(share) + 0.0;
    }
};

// The way through the merged outputs of one point.
struct Walk {
    const double* behind[LISTS];  // what follows the next output of each list
    double next[LISTS];           // that output, infinity behind the last: it is compared often
    int64_t counts[LISTS], steps[LISTS];
    int64_t heights[2];  // F_E - F_F under each set of draws, times the product of counts
    double last;
    Sum sums[2];
    int64_t left;  // outputs; 0 where a list has none, and there is no bound

    // `outputs` has the lists one after the other, each with this much room.
    void begin(const Behaviors* const (&sides)[LISTS], int64_t point, double* outputs,
               int64_t room) {
        left = 0;
        bool all = true;
        for (int k = 0; k < LISTS; k++, outputs += room) {
            const int64_t count = sides[k]->defined[point];
            outputs[count] = INFINITY;
            next[k] = outputs[0], behind[k] = outputs + 1;
            counts[k] = count;
            left += count;
            all &= count > 0;
        }
        if (!all) left = 0;
        for (int k = 0; k < LISTS; k += 2) steps[k] = counts[k + 1], steps[k + 1] = -counts[k];
        heights[0] = heights[1] = 0;
        sums[0] = sums[1] = Sum();
        last = next[least()];
        for (; left && !(sums[0].sign && sums[1].sign); left--) step<false>();
    }

    int least() const {
        const int low = as_number(next[1] < next[0]), high = 2 + as_number(next[3] < next[2]);
        return low ^ ((low ^ high) & -as_number(next[high] < next[low]));
    }

    template <bool SIGNED>  // whether both sums have a sign already
    void step() {
        const int list = least();
        const double place = next[list], gap = place - last;
        sums[0].add<SIGNED>(heights[0], double(heights[1]) * gap);
        sums[1].add<SIGNED>(heights[1], double(heights[0]) * gap);
        heights[list / 2] += steps[list];
        next[list] = *behind[list]++;
        last = place;
    }

    // The signs of the first samples on the second, and the reverse.
    void end(double* first, double* second) const {
        const bool any = counts[0] && counts[1] && counts[2] && counts[3];
        *first = any ? sums[0].over(counts[2] * counts[3]) : NAN;
        *second = any ? sums[1].over(counts[0] * counts[1]) : NAN;
    }
};

// Copies the outputs at some neighboring points, list by list: read where they lie, one point after
// the other, each would wait for memory, of which a line holds eight points.
void copy_lists(const Behaviors* const (&sides)[LISTS], int64_t point, int walked, int64_t n_points,
                double* outputs, int64_t room) {
    for (int k = 0; k < LISTS; k++)
        for (int64_t j = 0; j < sides[k]->draws; j++) {
            const double* row = sides[k]->values + j * n_points + point;
            for (int w = 0; w < walked; w++) outputs[(w * LISTS + k) * room + j] = row[w];
        }
}

}  // namespace

// out [2, n_points] is filled; e and f under one set of draws, then under the other.
SYMBED_API int64_t symbed_dual_bounds(const Behaviors* e, const Behaviors* f,
                                      const Behaviors* e_again, const Behaviors* f_again,
                                      double* out) {
    const int64_t n_points = e->n_points;
    const Behaviors* sides[LISTS] = {e, f, e_again, f_again};
    for (const Behaviors* side : sides) {
        if (side->count != 1) return BAD_SHAPE;
        if (Status problem = problem_of(*e, *side)) return problem;
    }
    int64_t most = 0;
    for (const Behaviors* side : sides) most = side->draws > most ? side->draws : most;
    const int64_t room = most + 1;
    double* memory = static_cast<double*>(malloc(size_t(TURNS * LISTS * room) * sizeof(double)));
    if (!memory) return NO_MEMORY;
    for (int64_t i = 0; i < n_points; i += TURNS) {
        const int walked = int(n_points - i < TURNS ? n_points - i : TURNS);
        Walk walks[TURNS];
        copy_lists(sides, i, walked, n_points, memory, room);
        for (int w = 0; w < walked; w++)
            walks[w].begin(sides, i + w, memory + w * LISTS * room, room);
        if (walked == TURNS) {
            int64_t common = walks[0].left;
            for (const Walk& walk : walks) common = walk.left < common ? walk.left : common;
            for (int64_t t = 0; t < common; t++)
                for (Walk& walk : walks) walk.step<true>();
            for (Walk& walk : walks) walk.left -= common;
        }
        for (int w = 0; w < walked; w++) {
            while (walks[w].left-- > 0) walks[w].step<true>();
            walks[w].end(out + i + w, out + n_points + i + w);
        }
    }
    free(memory);
    return DONE;
}
