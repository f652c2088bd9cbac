// The fast distance: sums of |u - v|^p between rows of fully defined behaviors.
//
// The order of summation is part of the definition: element t of the flattened draws x points is
// added to lane t % 32, then the lanes are folded in halves. So the bits do not depend on the
// instruction set, nor on the tile. A behavior with one draw is read over and over instead of being
// spread out.
#pragma once
#include "elementary/simd.h"

namespace SYMBED_NS {

constexpr int LANES = 32;

// A flattened behavior. One that repeats has a period and can be read for LANES numbers from any
// offset below it; for the others the period is endless.
struct Flat {
    const double* data;
    int64_t period;
};
constexpr int64_t ENDLESS = INT64_MAX;

// Factors for the second try after an overflow or underflow: before and after subtracting.
struct Scale {
    double before, after;
};

template <int ORDER>
SYMBED_INLINE Vector power(Vector difference) {
    return ORDER == 1 ? magnitude(difference) : difference * difference;
}

// Folds lanes in halves: 32 -> 16 -> ... -> 1, by whole vectors as far as these go.
SYMBED_INLINE double fold_lanes(const double* lanes) {
    Vector sums[LANES / WIDTH];
    for (int r = 0; r < LANES / WIDTH; r++) sums[r] = load(lanes + r * WIDTH);
    for (int half = LANES / WIDTH / 2; half > 0; half /= 2)
        for (int r = 0; r < half; r++) sums[r] += sums[r + half];
    double folded[WIDTH];
    store(folded, sums[0]);
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) folded[lane] += folded[lane + half];
    return folded[0];
}

// Adds to a tile of sums, REGISTERS vectors each, what the rows differ by at their addresses.
template <int ORDER, bool SCALED, int A, int B, int REGISTERS>
SYMBED_INLINE void add_differences(Vector (&sums)[A][B][REGISTERS], const double* const* a,
                                   const double* const* b, Scale scale) {
    for (int r = 0; r < REGISTERS; r++) {
        Vector u[A], v[B];
        for (int i = 0; i < A; i++) u[i] = load(a[i] + r * WIDTH);
        for (int j = 0; j < B; j++) v[j] = load(b[j] + r * WIDTH);
        for (int i = 0; i < A; i++)
            for (int j = 0; j < B; j++) {
                const Vector difference =
                    SCALED ? (u[i] * scale.before - v[j] * scale.before) * scale.after : u[i] - v[j];
                sums[i][j][r] += power<ORDER>(difference);
            }
    }
}

// Sums of A x B pairs of rows over `length` elements. The lanes are done in groups that fit into
// the registers together with the tile.
template <int ORDER, bool SCALED, int A, int B, int REGISTERS>
static void sum_tile(const Flat* a, const Flat* b, int64_t length, Scale scale,
                     double (&lanes)[A][B][LANES]) {
    constexpr int GROUP = REGISTERS * WIDTH;
    static_assert(LANES % GROUP == 0, "lanes are done in whole groups");
    const int64_t whole = length / LANES * LANES, rest = length - whole;
    const int64_t a_step = a->period < LANES ? LANES % a->period : LANES;
    const int64_t b_step = b->period < LANES ? LANES % b->period : LANES;
    double a_rest[A][LANES] = {}, b_rest[B][LANES] = {};
    for (int i = 0; i < A; i++)
        memcpy(a_rest[i], a[i].data + whole % a->period, size_t(rest) * sizeof(double));
    for (int j = 0; j < B; j++)
        memcpy(b_rest[j], b[j].data + whole % b->period, size_t(rest) * sizeof(double));
    for (int group = 0; group < LANES; group += GROUP) {
        Vector sums[A][B][REGISTERS] = {};
        const double *u[A], *v[B];
        int64_t a_at = 0, b_at = 0;
        for (int64_t t = 0; t < whole; t += LANES) {
            for (int i = 0; i < A; i++) u[i] = a[i].data + a_at + group;
            for (int j = 0; j < B; j++) v[j] = b[j].data + b_at + group;
            add_differences<ORDER, SCALED>(sums, u, v, scale);
            a_at += a_step;
            b_at += b_step;
            if (a_at >= a->period) a_at -= a->period;
            if (b_at >= b->period) b_at -= b->period;
        }
        for (int i = 0; i < A; i++) u[i] = a_rest[i] + group;
        for (int j = 0; j < B; j++) v[j] = b_rest[j] + group;
        if (rest) add_differences<ORDER, SCALED>(sums, u, v, scale);
        for (int i = 0; i < A; i++)
            for (int j = 0; j < B; j++)
                for (int r = 0; r < REGISTERS; r++)
                    store(&lanes[i][j][group + r * WIDTH], sums[i][j][r]);
    }
}

}  // namespace SYMBED_NS
