// Panels: copies of rows of behaviors that a tile of pairs reads in two straight streams.
//
// A panel holds a few rows, interleaved: [group of lanes][block of LANES elements][row][vector]. So
// loads are aligned, hardware prefetching sees sequences, and rows that lie a power of two apart do
// not meet in the caches. Copying costs what comparing with a dozen rows does, and is done when
// there are more. Rows are filled up with zeros, which add nothing to any sum.
#pragma once
#include "distance/lane_sums.h"
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__clang__)
#define SYMBED_UNROLL _Pragma("unroll")
#else
#define SYMBED_UNROLL _Pragma("GCC unroll 8")
#endif

namespace SYMBED_NS {

// Kinds of numbers. Doubles are summed as everywhere. Singles are summed in half as many lanes, which
// are folded and moved to doubles after CHUNK blocks, before rounding can grow.
struct Doubles {
    typedef double Number;
    typedef Vector Numbers;
    static constexpr int WIDE = WIDTH, BLOCK = LANES;
    static constexpr int64_t CHUNK = INT64_MAX;
};
struct Singles {
    typedef float Number;
    typedef float Numbers __attribute__((vector_size(8 * WIDTH)));
    static constexpr int WIDE = 2 * WIDTH, BLOCK = 16;
    static constexpr int64_t CHUNK = 128;
};

// Rows of the panels of both sides: as many pairs as the registers hold, chosen by measurement.
#if defined(__AVX512F__)
constexpr int PANEL_A = 6, PANEL_B = 4;
#elif defined(__AVX2__)
constexpr int PANEL_A = 4, PANEL_B = 3;
#else
constexpr int PANEL_A = 3, PANEL_B = 3;
#endif
constexpr int64_t FEW_ROWS = 24;       // with fewer on a side, copying does not pay
constexpr int64_t PACKED = 1 << 25;    // bytes of a's panels at once
constexpr int64_t HUGE_PAGE = 1 << 21;

// Bytes of b's panels that stay in the second cache while all panels of a pass by.
static int64_t cached_bytes() {
    int64_t cache = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return (cache > 0 ? cache : 512 << 10) / 2;
}

// Memory for panels, in huge pages where there are any: a tile touches many pages at once.
struct Sheet {
    void* memory = nullptr;

    Sheet() = default;
    Sheet(const Sheet&) = delete;
    ~Sheet() { free(memory); }

    bool reserve(int64_t bytes) {
        const int64_t page = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
        const size_t whole = size_t((bytes + page - 1) / page * page);
        memory = aligned_alloc(size_t(page), whole);
#if defined(MADV_HUGEPAGE)
        if (memory && page == HUGE_PAGE) madvise(memory, whole, MADV_HUGEPAGE);
#endif
        return memory;
    }
};

// Length of a row in a panel, in numbers.
static int64_t padded(int64_t length) { return (length + LANES - 1) / LANES * LANES; }

// Copies one row into its place in a panel of N rows.
template <class Kind, int N>
static void pack_row(const Flat& row, int64_t length, typename Kind::Number* place) {
    constexpr int WIDE = Kind::WIDE, BLOCK = Kind::BLOCK;
    const int64_t blocks = padded(length) / BLOCK;
    const int64_t step = row.period < LANES ? LANES % row.period : LANES;
    int64_t at = 0;
    for (int64_t t = 0; t < length; t += LANES) {
        double some[LANES] = {};
        const double* from = row.data + at;
        if (length - t < LANES)
            from = (const double*)memcpy(some, from, size_t(length - t) * sizeof(double));
        for (int e = 0; e < LANES; e += WIDE) {
            const int64_t group = e % BLOCK / WIDE, block = (t + e) / BLOCK;
            for (int lane = 0; lane < WIDE; lane++)
                place[(group * blocks + block) * N * WIDE + lane] =
                    typename Kind::Number(from[e + lane]);
        }
        at += step;
        if (at >= row.period) at -= row.period;
    }
}

// Copies `count` rows into panels of N rows; the last panel is filled up with zeros.
template <class Kind, int N>
static void pack_rows(const Flat* rows, int64_t count, int64_t length,
                      typename Kind::Number* panels) {
    const int64_t last = count / N * N, size = padded(length);
    if (last < count) memset(panels + last * size, 0, size_t(N * size) * sizeof *panels);
    for (int64_t i = 0; i < count; i++)
        pack_row<Kind, N>(rows[i], length, panels + i / N * N * size + i % N * Kind::WIDE);
}

#if defined(__AVX512F__)
SYMBED_INLINE Singles::Numbers larger(Singles::Numbers a, Singles::Numbers b) {
    return _mm512_maskz_max_ps(0xffff, a, b);
}
#elif defined(__AVX2__)
SYMBED_INLINE Singles::Numbers larger(Singles::Numbers a, Singles::Numbers b) {
    return _mm256_max_ps(a, b);
}
#elif defined(__SSE2__)
SYMBED_INLINE Singles::Numbers larger(Singles::Numbers a, Singles::Numbers b) {
    return _mm_max_ps(a, b);
}
#else
SYMBED_INLINE Singles::Numbers larger(Singles::Numbers a, Singles::Numbers b) {
    return a > b ? a : b;
}
#endif

// What a pair of elements adds to its sum: |u - v|^p. In singles with p = 1 it is the larger one, from
// which the sum of |u - v| = 2 max(u, v) - u - v follows: two instructions instead of three.
template <class Kind, int ORDER>
SYMBED_INLINE typename Kind::Numbers term(typename Kind::Numbers u, typename Kind::Numbers v) {
    if constexpr (ORDER == 2)
        return (u - v) * (u - v);
    else if constexpr (Kind::WIDE == WIDTH)
        return magnitude(u - v);
    else
        return larger(u, v);
}

// Numbers 0 ... N-1 as a pack, for shuffles.
template <int... K>
struct Places {};
template <int N, int... K>
struct Counted : Counted<N - 1, N - 1, K...> {};
template <int... K>
struct Counted<0, K...> {
    typedef Places<K...> Type;
};

// Adds the halves of runs of 2 * HALF lanes in two vectors: the sums of the first come first.
template <int HALF, class Numbers, int... K>
SYMBED_INLINE Numbers add_halves(Numbers a, Numbers b, Places<K...>) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, (K / HALF * 2 * HALF + K % HALF)...) +
           __builtin_shufflevector(a, b, (K / HALF * 2 * HALF + K % HALF + HALF)...);
#else
    Numbers all[2] = {a, b}, low, high;
    for (int k = 0; k < int(sizeof...(K)); k++) {
        const int from = k / HALF * 2 * HALF + k % HALF;
        low[k] = all[from / int(sizeof...(K))][from % int(sizeof...(K))];
        high[k] = all[(from + HALF) / int(sizeof...(K))][(from + HALF) % int(sizeof...(K))];
    }
    return low + high;
#endif
}

// Folds as many vectors as a vector has lanes, each to one sum: 8 -> 4 -> 2 -> 1 for all of them at
// once, so that no addition waits for another.
template <class Kind, int HALF>
SYMBED_INLINE typename Kind::Numbers fold_vectors(typename Kind::Numbers* vectors) {
    if constexpr (HALF == 0) {
        return vectors[0];
    } else {
        const typename Counted<Kind::WIDE>::Type places{};
        SYMBED_UNROLL for (int r = 0; r < HALF; r++)
            vectors[r] = add_halves<HALF>(vectors[2 * r], vectors[2 * r + 1], places);
        return fold_vectors<Kind, HALF / 2>(vectors);
    }
}

// Folds the lanes of COUNT pairs in halves, 32 -> 16 -> ... -> 1, by whole vectors as far as these go.
template <class Kind, int COUNT>
SYMBED_INLINE void fold_pairs(const typename Kind::Number (&lanes)[COUNT][Kind::BLOCK],
                              typename Kind::Number (&sums)[COUNT]) {
    typedef typename Kind::Numbers Numbers;
    constexpr int WIDE = Kind::WIDE, GROUPS = Kind::BLOCK / WIDE;
    for (int first = 0; first < COUNT; first += WIDE) {
        Numbers vectors[WIDE];
        SYMBED_UNROLL for (int pair = 0; pair < WIDE; pair++) {
            Numbers groups[GROUPS];
            // Vector by vector: a copy of all at once goes by halves, and then loads must wait.
            SYMBED_UNROLL for (int r = 0; r < GROUPS; r++)
                memcpy(&groups[r], lanes[first + pair] + r * WIDE, sizeof(Numbers));
            for (int half = GROUPS / 2; half > 0; half /= 2)
                for (int r = 0; r < half; r++) groups[r] += groups[r + half];
            vectors[pair] = groups[0];
        }
        const Numbers folded = fold_vectors<Kind, WIDE / 2>(vectors);
        memcpy(sums + first, &folded, sizeof folded);
    }
}

// Sums of all pairs of a panel of A and a panel of B rows, over at most a chunk of blocks; `whole` is
// the number of blocks in a row. Meanwhile the panel that is needed next is fetched from far memory,
// one row of it from `ahead` on.
template <class Kind, int ORDER, int A, int B, int COUNT>
SYMBED_INLINE void sum_panels(const typename Kind::Number* a, const typename Kind::Number* b,
                              int64_t blocks, int64_t whole, const typename Kind::Number* ahead,
                              typename Kind::Number (&lanes)[COUNT][Kind::BLOCK]) {
    typedef typename Kind::Numbers Numbers;
    constexpr int WIDE = Kind::WIDE;
    for (int group = 0; group < Kind::BLOCK; group += WIDE) {
        Numbers sums[A][B];
        SYMBED_UNROLL for (int i = 0; i < A; i++)
            SYMBED_UNROLL for (int j = 0; j < B; j++) sums[i][j] = Numbers{};
        const typename Kind::Number *u_at = a, *v_at = b, *next = ahead;
        for (int64_t t = 0; t < blocks; t++) {
            __builtin_prefetch(next, 0, 2);
            Numbers u[A], v;
            SYMBED_UNROLL for (int i = 0; i < A; i++) memcpy(&u[i], u_at + i * WIDE, sizeof v);
            SYMBED_UNROLL for (int j = 0; j < B; j++) {
                memcpy(&v, v_at + j * WIDE, sizeof v);
                SYMBED_UNROLL for (int i = 0; i < A; i++)
                    sums[i][j] += term<Kind, ORDER>(u[i], v);
            }
            u_at += A * WIDE, v_at += B * WIDE, next += A * WIDE;
        }
        SYMBED_UNROLL for (int i = 0; i < A; i++)
            SYMBED_UNROLL for (int j = 0; j < B; j++)
                memcpy(lanes[i * B + j] + group, &sums[i][j], sizeof(Numbers));
        a += whole * A * WIDE, b += whole * B * WIDE, ahead += whole * A * WIDE;
    }
}

// Sums of all pairs of two panels over whole rows.
template <class Kind, int ORDER, int A, int B>
static void sum_rows(const typename Kind::Number* a, const typename Kind::Number* b,
                     int64_t blocks, const typename Kind::Number* ahead, double (&sums)[A * B]) {
    constexpr int WIDE = Kind::WIDE, COUNT = (A * B + WIDE - 1) / WIDE * WIDE;
    alignas(64) typename Kind::Number lanes[COUNT][Kind::BLOCK], folded[COUNT];
    if (COUNT > A * B) memset(lanes[A * B], 0, sizeof lanes[0] * (COUNT - A * B));
    for (int64_t from = 0, some; from < blocks; from += some) {
        some = blocks - from < Kind::CHUNK ? blocks - from : Kind::CHUNK;
        sum_panels<Kind, ORDER, A, B>(a + from * A * WIDE, b + from * B * WIDE, some, blocks,
                                      ahead + from * A * WIDE, lanes);
        fold_pairs<Kind>(lanes, folded);
        for (int pair = 0; pair < A * B; pair++)
            sums[pair] = from ? sums[pair] + double(folded[pair]) : double(folded[pair]);
    }
}

// A block of pairs: flattened rows of both sides, and whether they are the same rows.
struct Pairs {
    const Flat *a, *b;
    int64_t n_a, n_b, length;
    bool same;
};

// Calls finish(i, j, sum) for every pair, with the sum of terms over the row; for i <= j (and some
// more) where both sides are the same. False if there is no memory.
template <class Kind, int ORDER, class Finish>
static bool sum_pairs(const Pairs& pairs, const Finish& finish) {
    typedef typename Kind::Number Number;
    constexpr int A = PANEL_A, B = PANEL_B;
    const int64_t per_row = padded(pairs.length), blocks = per_row / Kind::BLOCK;
    const int64_t row_bytes = per_row * int64_t(sizeof(Number));
    const int64_t a_most = (PACKED / row_bytes / A + 1) * A;
    const int64_t b_most = (cached_bytes() / row_bytes / B + 1) * B;
    const int64_t a_step = pairs.n_a < a_most ? pairs.n_a : a_most;
    const int64_t b_step = pairs.n_b < b_most ? pairs.n_b : b_most;
    Sheet a_sheet, b_sheet;
    if (!a_sheet.reserve((a_step + A) * row_bytes) || !b_sheet.reserve((b_step + B) * row_bytes))
        return false;
    Number *a = (Number*)a_sheet.memory, *b = (Number*)b_sheet.memory;
    double sums[A * B];
    for (int64_t i0 = 0; i0 < pairs.n_a; i0 += a_step) {
        const int64_t n_a = pairs.n_a - i0 < a_step ? pairs.n_a - i0 : a_step;
        pack_rows<Kind, A>(pairs.a + i0, n_a, pairs.length, a);
        for (int64_t j0 = 0; j0 < pairs.n_b; j0 += b_step) {
            const int64_t n_b = pairs.n_b - j0 < b_step ? pairs.n_b - j0 : b_step;
            if (pairs.same && j0 + n_b <= i0) continue;
            pack_rows<Kind, B>(pairs.b + j0, n_b, pairs.length, b);
            for (int64_t i = 0; i < n_a; i += A)
                for (int64_t j = 0; j < n_b; j += B) {
                    if (pairs.same && j0 + j + B <= i0 + i) continue;
                    const bool fetch = i + A < n_a && j / B < A;
                    const Number* panel = a + i * per_row;
                    const Number* ahead = fetch ? panel + A * per_row + j / B * Kind::WIDE : panel;
                    sum_rows<Kind, ORDER, A, B>(panel, b + j * per_row, blocks, ahead, sums);
                    for (int r = 0; r < A && i + r < n_a; r++)
                        for (int s = 0; s < B && j + s < n_b; s++)
                            finish(i0 + i + r, j0 + j + s, sums[r * B + s]);
                }
        }
    }
    return true;
}

}  // namespace SYMBED_NS
