// Screening: measure blocks of behaviors fast, in single precision; distances that may
// be small are exact.
//
// Singles are compared more than twice as fast. What an approximation is off by at most is known: a
// share of itself and of the size of both rows, from rounding and summing them.
#pragma once
#include "distance/distance.h"

namespace SYMBED_NS {

// Half a unit in the last place of a single, as often as a sum is rounded: in a lane, when lanes are
// folded, in a term, and a few times more to be safe.
constexpr double UNIT = 0x1p-24;
constexpr double ROUNDED = (double(Singles::CHUNK) + 8.0) * UNIT;

// For p = 1, where sums of the larger outputs are as large as the rows are, and for p = 2.
constexpr double OF_ITSELF[] = {0x1p-40, ROUNDED};
constexpr double OF_SIZES[] = {2.0 * ROUNDED, 1.01 * UNIT};

// Largest outputs whose sums of powers singles can hold, and what is lost near zero.
constexpr double LARGEST[] = {0x1p100, 0x1p50};
constexpr double LOST[] = {0x1p-146, 0x1p-74};

// The rows of one side that singles can hold.
struct NarrowRows {
    List<Flat> flats;
    List<int64_t> places;  // of each in the rows
    List<double> sizes;    // distances from zero
    List<double> sums;     // of the rounded outputs over whole rows
    List<uint8_t> is_narrow;

    template <int ORDER>
    bool fill(const Rows& rows, int64_t length) {
        const int64_t count = rows.flats.count;
        if (!flats.reserve(count + 1) || !places.reserve(count + 1) || !sizes.reserve(count + 1) ||
            !sums.reserve(count + 1) || !is_narrow.reserve(count + 1))
            return false;
        for (int64_t k = 0; k < count; k++) {
            const Flat& row = rows.flats.items[k];
            const int64_t n = row.period < length ? row.period : length;
            const Totals totals = sum_up<ORDER>(row.data, n);
            is_narrow.push(totals.largest <= LARGEST[ORDER - 1]);
            if (totals.largest > LARGEST[ORDER - 1]) continue;
            flats.push(row);
            places.push(k);
            sizes.push(root(totals.powers / double(n), ORDER, PLAIN));
            sums.push(totals.rounded * double(length / n));
        }
        return true;
    }

    struct Totals {
        double largest, powers, rounded;
    };

    // In lanes as everywhere.
    template <int ORDER>
    static Totals sum_up(const double* row, int64_t n) {
        double largest[LANES] = {}, powers[LANES] = {}, rounded[LANES] = {};
        for (int64_t t = 0; t < n; t += LANES) {
            double some[LANES] = {};
            memcpy(some, row + t, size_t(n - t < LANES ? n - t : LANES) * sizeof(double));
            for (int lane = 0; lane < LANES; lane++) {
                const double size = __builtin_fabs(some[lane]);
                largest[lane] = size > largest[lane] ? size : largest[lane];
                powers[lane] += ORDER == 1 ? size : size * size;
                rounded[lane] += double(float(some[lane]));
            }
        }
        for (int lane = 1; lane < LANES; lane++)
            largest[0] = largest[lane] > largest[0] ? largest[lane] : largest[0];
        return {largest[0], fold_lanes(powers), fold_lanes(rounded)};
    }
};

// The exact distance of one pair of rows.
template <int ORDER>
static double exact(const Fast& fast, int64_t i, int64_t j) {
    double lanes[1][1][LANES];
    sum_tile<ORDER, false, 1, 1, TILE_REGISTERS>(fast.a.flats.items + i, fast.b.flats.items + j,
                                                 fast.length, PLAIN, lanes);
    return finish_sum<ORDER>(fast, i, j, fold_lanes(lanes[0][0]));
}

template <int ORDER>
static bool fill_screened(const Fast& fast, double within) {
    NarrowRows a, b;
    if (!a.fill<ORDER>(fast.a, fast.length) || !b.fill<ORDER>(fast.b, fast.length)) return false;
    const Pairs pairs{a.flats.items, b.flats.items, a.flats.count, b.flats.count, fast.length,
                      fast.same};
    const bool done = sum_pairs<Singles, ORDER>(pairs, [&](int64_t k, int64_t l, double sum) {
        if (ORDER == 1) sum = 2.0 * sum - (a.sums.items[k] + b.sums.items[l]);
        const double found = root(sum / double(fast.length), ORDER, PLAIN);
        const double sizes = a.sizes.items[k] + b.sizes.items[l];
        const double off =
            OF_ITSELF[ORDER - 1] * found + OF_SIZES[ORDER - 1] * sizes + LOST[ORDER - 1];
        const int64_t i = a.places.items[k], j = b.places.items[l];
        fast.entry(i, j) = found - off <= within ? exact<ORDER>(fast, i, j) : found;
        if (fast.same) fast.entry(j, i) = fast.entry(i, j);
    });
    for (int64_t i = 0; i < fast.a.flats.count; i++)
        for (int64_t j = 0; j < fast.b.flats.count; j++)
            if (!a.is_narrow.items[i] || !b.is_narrow.items[j])
                fast.entry(i, j) = exact<ORDER>(fast, i, j);
    return done;
}

static int64_t screen(const Behaviors& a, const Behaviors& b, const Measure& measure, double within,
                      double* out) {
    return cross_by(a, b, measure, out, [&](const Fast& fast) {
        return measure.order == 1 ? fill_screened<1>(fast, within) : fill_screened<2>(fast, within);
    });
}

// So many rounds of additions of singles and nothing else, as fast as this processor adds: what
// kernels are measured against. Gives the number of additions.
static int64_t add_singles(int64_t rounds, double* total) {
    constexpr int CHAINS = WIDTH == 8 ? 16 : 12;  // hide the latency; fit into the registers
    Singles::Numbers sums[CHAINS];
    const Singles::Numbers step = Singles::Numbers{} + float(1.0 + *total);
    SYMBED_UNROLL for (int chain = 0; chain < CHAINS; chain++) sums[chain] = step * float(chain);
    for (int64_t round = 0; round < rounds; round++) {
        _Pragma("GCC unroll 16") for (int chain = 0; chain < CHAINS; chain++) sums[chain] += step;
        __asm__ volatile("");  // rounds are not to be merged
    }
    for (int chain = 1; chain < CHAINS; chain++) sums[0] += sums[chain];
    *total = double(sums[0][0]);
    return rounds * CHAINS * Singles::WIDE;
}

}  // namespace SYMBED_NS
