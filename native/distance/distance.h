// Distances between behaviors: the matrix of the BED of blocks (cross), or the point-wise
// distances of two behaviors (profile).
#pragma once
#include "distance/wasserstein.h"
#include "api/growable_list.h"
#include "distance/interleaved_rows.h"

namespace SYMBED_NS {

// Pairs in a tile and vectors of lanes in a group: chosen by measurement.
#if defined(__AVX512F__)
constexpr int TILE_A = 3, TILE_B = 3, TILE_REGISTERS = 2;
#elif defined(__AVX2__)
constexpr int TILE_A = 2, TILE_B = 3, TILE_REGISTERS = 2;
#else
constexpr int TILE_A = 2, TILE_B = 2, TILE_REGISTERS = 2;
#endif
constexpr int LONE_REGISTERS = LANES / WIDTH < 8 ? LANES / WIDTH : 8;  // of a single pair
constexpr int64_t CACHED = 1 << 16;  // numbers of b's rows that stay in the second cache

// The fully defined behaviors of one side, flattened.
struct Rows {
    List<Flat> flats;
    List<int64_t> numbers;    // which behavior of the block each is
    List<double> repeated;    // copies that can be read across the end of a period, where needed
    List<uint8_t> is_full;    // for each behavior of the block

    // `spread`: the other side has more draws, so these rows repeat.
    bool fill(const Behaviors& side, bool spread) {
        const int64_t n = side.n_points;
        const bool copied = spread && n % LANES;
        const int64_t period = n + LANES - 1;
        if (!flats.reserve(side.count + 1) || !numbers.reserve(side.count + 1) ||
            !is_full.reserve(side.count + 1) || (copied && !repeated.reserve(side.count * period + 1)))
            return false;
        flats.count = numbers.count = is_full.count = 0;
        for (int64_t k = 0; k < side.count; k++) {
            int64_t missing = 0;
            for (int64_t i = 0; i < n; i++) missing += side.defined[k * n + i] != side.draws;
            is_full.push(missing == 0);
            if (missing) continue;
            const double* data = side.values + k * side.draws * n;
            if (copied) {
                double* copy = repeated.items + k * period;
                for (int64_t t = 0; t < period; t += n)
                    memcpy(copy + t, data, size_t(period - t < n ? period - t : n) * sizeof(double));
                data = copy;
            }
            flats.push({data, spread ? n : ENDLESS});
            numbers.push(k);
        }
        return true;
    }
};

// What the fast distances of one call share.
struct Fast {
    const Rows &a, &b;
    int64_t length, stride;  // elements in a row; from one row of out to the next
    bool same;               // whether both sides are the same behaviors
    double* out;

    double& entry(int64_t i, int64_t j) const {
        return out[a.numbers.items[i] * stride + b.numbers.items[j]];
    }
};

template <int ORDER>
static double sum_again(const Flat& u, const Flat& v, int64_t length, Scale scale) {
    double lanes[1][1][LANES];
    sum_tile<ORDER, true, 1, 1, TILE_REGISTERS>(&u, &v, length, scale, lanes);
    return fold_lanes(lanes[0][0]);
}

// From the sum of powers of a pair of rows to its distance.
template <int ORDER>
static double finish_sum(const Fast& fast, int64_t i, int64_t j, double sum) {
    const Scale scale = second_try(sum, ORDER);
    if (!is_plain(scale))
        sum = sum_again<ORDER>(fast.a.flats.items[i], fast.b.flats.items[j], fast.length, scale);
    return root(sum / double(fast.length), ORDER, scale);
}

template <int ORDER, int A, int B>
static void fill_tile(const Fast& fast, int64_t i0, int64_t j0) {
    constexpr int REGISTERS = A * B == 1 ? LONE_REGISTERS : TILE_REGISTERS;
    double lanes[A][B][LANES];
    const Flat *a = fast.a.flats.items + i0, *b = fast.b.flats.items + j0;
    sum_tile<ORDER, false, A, B, REGISTERS>(a, b, fast.length, PLAIN, lanes);
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            fast.entry(i0 + i, j0 + j) =
                finish_sum<ORDER>(fast, i0 + i, j0 + j, fold_lanes(lanes[i][j]));
}

// Tiles of a few rows; rows that fill no tile are done one pair at a time.
template <int ORDER>
static void fill_tiles(const Fast& fast) {
    const int64_t n_a = fast.a.flats.count, n_b = fast.b.flats.count;
    const int64_t held = CACHED / fast.length / TILE_B * TILE_B;
    const int64_t panel = held < TILE_B ? TILE_B : held;
    for (int64_t from = 0; from < n_b; from += panel) {
        const int64_t to = from + panel < n_b ? from + panel : n_b;
        int64_t i = 0;
        for (; i + TILE_A <= n_a; i += TILE_A) {
            int64_t j = from;
            for (; j + TILE_B <= to; j += TILE_B) fill_tile<ORDER, TILE_A, TILE_B>(fast, i, j);
            for (; j < to; j++) fill_tile<ORDER, TILE_A, 1>(fast, i, j);
        }
        for (; i < n_a; i++) {
            int64_t j = from;
            for (; j + TILE_B <= to; j += TILE_B) fill_tile<ORDER, 1, TILE_B>(fast, i, j);
            for (; j < to; j++) fill_tile<ORDER, 1, 1>(fast, i, j);
        }
    }
}

// All pairs of fully defined rows; where there are many, by panels. False if there is no memory.
template <int ORDER>
static bool fill_fast(const Fast& fast) {
    const int64_t n_a = fast.a.flats.count, n_b = fast.b.flats.count;
    if (n_a < FEW_ROWS || n_b < FEW_ROWS) {
        fill_tiles<ORDER>(fast);
        return true;
    }
    const Pairs pairs{fast.a.flats.items, fast.b.flats.items, n_a, n_b, fast.length, fast.same};
    return sum_pairs<Doubles, ORDER>(pairs, [&](int64_t i, int64_t j, double sum) {
        fast.entry(i, j) = finish_sum<ORDER>(fast, i, j, sum);
        if (fast.same) fast.entry(j, i) = fast.entry(i, j);
    });
}

static bool fill_by_order(const Fast& fast, int64_t order) {
    return order == 1 ? fill_fast<1>(fast) : fill_fast<2>(fast);
}

static bool are_same(const Behaviors& a, const Behaviors& b) {
    return a.values == b.values && a.defined == b.defined && a.count == b.count;
}

static Pair pair_of(const Behaviors& a, int64_t i, const Behaviors& b, int64_t j) {
    const int64_t n = a.n_points;
    return {a.values + i * a.draws * n, b.values + j * b.draws * n, a.defined + i * n,
            b.defined + j * n, a.draws, b.draws, n};
}

// Whether counts and sizes are such that nothing is read outside of the arrays.
static Status check(const Behaviors& a, const Behaviors& b, const Measure& measure) {
    if (measure.order != 1 && measure.order != 2) return BAD_ORDER;
    return problem_of(a, b);
}

// What comparing two sides works in.
struct Crossing {
    Rows a, b;
    List<double> costs;
};

// All pairs: those of fully defined rows by fill(fast), which tells whether there was memory, the
// others one by one.
template <class Fill>
static int64_t cross_rows(Crossing& crossing, const Behaviors& a, const Behaviors& b,
                          const Measure& measure, double* out, const Fill& fill) {
    const int64_t n = a.n_points;
    const bool can_pair = a.draws == b.draws || a.draws == 1 || b.draws == 1;
    const bool same = are_same(a, b);
    const Fast fast{crossing.a, crossing.b, n * (a.draws > b.draws ? a.draws : b.draws), b.count,
                    same, out};
    if (can_pair && !fill(fast)) return NO_MEMORY;
    for (int64_t i = 0; i < a.count; i++)
        for (int64_t j = 0; j < b.count; j++) {
            if (can_pair && crossing.a.is_full.items[i] && crossing.b.is_full.items[j]) continue;
            out[i * b.count + j] =
                same && j < i ? out[j * b.count + i]
                              : general_distance(pair_of(a, i, b, j), measure,
                                                 crossing.costs.items);
        }
    return DONE;
}

template <class Fill>
static int64_t cross_by(const Behaviors& a, const Behaviors& b, const Measure& measure, double* out,
                        const Fill& fill) {
    if (Status status = check(a, b, measure)) return status;
    const int64_t n = a.n_points;
    Crossing crossing;
    if (!crossing.a.fill(a, a.draws < b.draws) || !crossing.b.fill(b, b.draws < a.draws) ||
        !crossing.costs.reserve(n))
        return NO_MEMORY;
    return cross_rows(crossing, a, b, measure, out, fill);
}

static int64_t cross(const Behaviors& a, const Behaviors& b, const Measure& measure, double* out) {
    return cross_by(a, b, measure, out,
                    [&](const Fast& fast) { return fill_by_order(fast, measure.order); });
}

// Where a point's cost overflowed or underflowed, it alone is computed again.
static int64_t profile(const Behaviors& u, const Behaviors& v, const Measure& measure, double* out) {
    if (Status status = check(u, v, measure)) return status;
    if (u.count != 1 || v.count != 1) return BAD_SHAPE;
    const Pair pair = pair_of(u, 0, v, 0);
    point_costs(pair, measure, PLAIN, out);
    for (int64_t i = 0; i < u.n_points; i++) {
        const Scale scale = second_try(out[i], measure.order);
        if (!is_plain(scale))
            out[i] = measure.order == 1 ? point_cost<1>(pair, i, measure.mismatch, scale)
                                        : point_cost<2>(pair, i, measure.mismatch, scale);
        out[i] = root(out[i], measure.order, scale);
    }
    return DONE;
}

}  // namespace SYMBED_NS
