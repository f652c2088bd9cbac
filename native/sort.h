// Sorting: a matrix of draws x points goes in, each point's draws come out sorted, undefined last.
//
// A network of min and max compares whole vectors of points at once. Up to 32 draws are sorted in
// registers by Batcher's odd-even merges (191 comparators for 32 draws); more are sorted as blocks
// of that size and joined by bitonic merges, whose comparators all point upwards, so that padding
// with +inf at the end works for any number of draws. Measured against std::sort of each point's
// draws, the network takes a tenth of the time at 256 draws and still less than half at 65536.
#pragma once
#include <utility>

#include "simd.h"

namespace SYMBED_NS {

SYMBED_INLINE void compare(Vector& a, Vector& b) {
    const Vector low = smaller(a, b);
    b = larger(a, b);
    a = low;
}

template <int LOW, int STEP, size_t... I>
SYMBED_INLINE void compare_steps(Vector* rows, std::index_sequence<I...>) {
    (compare(rows[LOW + STEP + 2 * STEP * int(I)], rows[LOW + 2 * STEP + 2 * STEP * int(I)]), ...);
}

// Odd-even merge of two sorted halves of SIZE rows, of which every STEP-th takes part.
template <int LOW, int SIZE, int STEP>
SYMBED_INLINE void merge_odd_even(Vector* rows) {
    if constexpr (2 * STEP < SIZE) {
        merge_odd_even<LOW, SIZE, 2 * STEP>(rows);
        merge_odd_even<LOW + STEP, SIZE, 2 * STEP>(rows);
        compare_steps<LOW, STEP>(rows, std::make_index_sequence<SIZE / (2 * STEP) - 1>());
    } else {
        compare(rows[LOW], rows[LOW + STEP]);
    }
}

template <int LOW, int SIZE>
SYMBED_INLINE void sort_registers(Vector* rows) {
    if constexpr (SIZE > 1) {
        sort_registers<LOW, SIZE / 2>(rows);
        sort_registers<LOW + SIZE / 2, SIZE / 2>(rows);
        merge_odd_even<LOW, SIZE, 1>(rows);
    }
}

template <int LOW, int HALF, size_t... I>
SYMBED_INLINE void compare_halves(Vector* rows, std::index_sequence<I...>) {
    (compare(rows[LOW + int(I)], rows[LOW + HALF + int(I)]), ...);
}

template <int LOW, int SIZE>
SYMBED_INLINE void merge_bitonic(Vector* rows) {
    if constexpr (SIZE > 1) {
        compare_halves<LOW, SIZE / 2>(rows, std::make_index_sequence<SIZE / 2>());
        merge_bitonic<LOW, SIZE / 2>(rows);
        merge_bitonic<LOW + SIZE / 2, SIZE / 2>(rows);
    }
}

// What counts as an output: finite and at most this large.
SYMBED_INLINE Vector usable_limit(double limit) {
    return broadcast(limit < __DBL_MAX__ ? limit : __DBL_MAX__);
}

// Undefined outputs become +inf, which sorts last; adding zero makes -0 and 0 the same bits.
SYMBED_INLINE Vector cleaned(Vector value, Vector limit, Mask& all_defined) {
    const Mask defined = magnitude(value) <= limit;
    all_defined &= defined;
    return defined ? value + broadcast(0.0) : broadcast(INFINITE);
}

SYMBED_INLINE bool holds_everywhere(Mask mask) {
    int64_t all = -1;
    for (int lane = 0; lane < WIDTH; lane++) all &= mask[lane];
    return all;
}

// Counts the defined outputs of one vector of points and marks the others, if there are any.
static void mark_undefined(double* values, int64_t stride, int64_t n_draws, Mask all_defined,
                           int32_t* defined) {
    Mask count = Mask{} + n_draws;
    if (!holds_everywhere(all_defined))
        for (int64_t j = 0; j < n_draws; j++) {
            const Vector row = load(values + j * stride);
            const Mask is_undefined = row == broadcast(INFINITE);
            count += is_undefined;
            store(values + j * stride, is_undefined ? broadcast(UNDEFINED) : row);
        }
    for (int lane = 0; lane < WIDTH; lane++) defined[lane] = int32_t(count[lane]);
}

// One vector of points of exactly SIZE draws, in registers from the first load to the last store.
template <int SIZE, size_t... I>
SYMBED_INLINE void sort_strip(double* values, int64_t stride, Vector limit, int32_t* defined,
                              std::index_sequence<I...>) {
    Vector rows[SIZE];
    Mask all_defined = Mask{} - 1;
    ((rows[I] = cleaned(load(values + int(I) * stride), limit, all_defined)), ...);
    sort_registers<0, SIZE>(rows);
    (store(values + int(I) * stride, rows[I]), ...);
    mark_undefined(values, stride, SIZE, all_defined, defined);
}

template <int SIZE, bool MERGE, size_t... I>
SYMBED_INLINE void with_registers(double* scratch, std::index_sequence<I...>) {
    Vector rows[SIZE];
    ((rows[I] = load(scratch + int(I) * WIDTH)), ...);
    if constexpr (MERGE)
        merge_bitonic<0, SIZE>(rows);
    else
        sort_registers<0, SIZE>(rows);
    (store(scratch + int(I) * WIDTH, rows[I]), ...);
}

SYMBED_INLINE void compare_rows(double* scratch, int64_t low, int64_t high) {
    Vector a = load(scratch + low * WIDTH), b = load(scratch + high * WIDTH);
    compare(a, b);
    store(scratch + low * WIDTH, a);
    store(scratch + high * WIDTH, b);
}

// Sorts `padded` vectors, a multiple of SIZE. Rows beyond them count as +inf and need no work.
template <int SIZE>
static void sort_scratch(double* scratch, int64_t padded) {
    constexpr auto rows = std::make_index_sequence<SIZE>();
    for (int64_t at = 0; at < padded; at += SIZE)
        with_registers<SIZE, false>(scratch + at * WIDTH, rows);
    for (int64_t size = 2 * SIZE; size < 2 * padded; size *= 2) {
        // The upper half in reverse order against the lower half ...
        for (int64_t at = 0; at < padded; at += size)
            for (int64_t i = size / 2; i < size && at + i < padded; i++)
                compare_rows(scratch, at + size - 1 - i, at + i);
        // ... then ever closer rows, the closest ones in registers.
        for (int64_t half = size / 4; half >= SIZE; half /= 2)
            for (int64_t at = 0; at + half < padded; at += 2 * half)
                for (int64_t i = at; i < at + half && i + half < padded; i++)
                    compare_rows(scratch, i, i + half);
        for (int64_t at = 0; at < padded; at += SIZE)
            with_registers<SIZE, true>(scratch + at * WIDTH, rows);
    }
}

// One vector of points of any number of draws, by way of the scratch.
template <int SIZE>
static void sort_long_strip(double* values, int64_t stride, int64_t n_draws, Vector limit,
                            int32_t* defined, double* scratch) {
    const int64_t padded = (n_draws + SIZE - 1) / SIZE * SIZE;
    Mask all_defined = Mask{} - 1;
    for (int64_t j = 0; j < n_draws; j++)
        store(scratch + j * WIDTH, cleaned(load(values + j * stride), limit, all_defined));
    for (int64_t j = n_draws; j < padded; j++) store(scratch + j * WIDTH, broadcast(INFINITE));
    sort_scratch<SIZE>(scratch, padded);
    for (int64_t j = 0; j < n_draws; j++) store(values + j * stride, load(scratch + j * WIDTH));
    mark_undefined(values, stride, n_draws, all_defined, defined);
}

template <int SIZE>
static void sort_strips(double* values, int64_t stride, int64_t n_draws, int64_t n, Vector limit,
                        int32_t* defined, double* scratch) {
    for (int64_t start = 0; start < n; start += WIDTH) {
        // Sorting some points once more changes nothing, so the rest is the last full vector.
        const int64_t i = start + WIDTH <= n ? start : n - WIDTH;
        if (n_draws == SIZE)
            sort_strip<SIZE>(values + i, stride, limit, defined + i, std::make_index_sequence<SIZE>());
        else
            sort_long_strip<SIZE>(values + i, stride, n_draws, limit, defined + i, scratch);
    }
}

static void mark_single(double* values, int64_t n, double limit, int32_t* defined) {
    const double largest = limit < __DBL_MAX__ ? limit : __DBL_MAX__;
    for (int64_t i = 0; i < n; i++) {
        const bool is_defined = __builtin_fabs(values[i]) <= largest;
        values[i] = is_defined ? values[i] + 0.0 : UNDEFINED;
        defined[i] = is_defined;
    }
}

// How many doubles of scratch sort_draws needs.
inline int64_t sort_scratch_size(int64_t n_draws) { return (2 * n_draws + 32) * WIDTH; }

static void sort_draws(double* values, int64_t stride, int64_t n_draws, int64_t n, double limit,
                       int32_t* defined, double* scratch);

// Fewer points than a vector has lanes: copied into one, and back.
static void sort_few_points(double* values, int64_t stride, int64_t n_draws, int64_t n, double limit,
                            int32_t* defined, double* scratch) {
    double* padded = scratch + (n_draws + 32) * WIDTH;
    int32_t counts[WIDTH];
    for (int64_t j = 0; j < n_draws; j++)
        for (int64_t i = 0; i < WIDTH; i++)
            padded[j * WIDTH + i] = i < n ? values[j * stride + i] : 0.0;
    sort_draws(padded, WIDTH, n_draws, WIDTH, limit, counts, scratch);
    for (int64_t j = 0; j < n_draws; j++)
        for (int64_t i = 0; i < n; i++) values[j * stride + i] = padded[j * WIDTH + i];
    for (int64_t i = 0; i < n; i++) defined[i] = counts[i];
}

// Sorts the draws of n points. Row j of the matrix begins at values + j * stride.
static void sort_draws(double* values, int64_t stride, int64_t n_draws, int64_t n, double limit,
                       int32_t* defined, double* scratch) {
    if (n_draws == 1) return mark_single(values, n, limit, defined);
    if (n < WIDTH) return sort_few_points(values, stride, n_draws, n, limit, defined, scratch);
    const auto sort =
        n_draws <= 8 ? sort_strips<8> : n_draws <= 16 ? sort_strips<16> : sort_strips<32>;
    sort(values, stride, n_draws, n, usable_limit(limit), defined, scratch);
}

}  // namespace SYMBED_NS
