// Vectors of doubles, as wide as the instruction set that this file is compiled for.
//
// Everything below lives in the namespace of one instruction set (SYMBED_NS), so that the linker can
// never pick AVX-512 code for a processor without it. For the same reason no template of the
// standard library that emits code is used in these files.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define SYMBED_INLINE inline __attribute__((always_inline))

namespace SYMBED_NS {

#if defined(__AVX512F__)
constexpr int WIDTH = 8;
#elif defined(__AVX2__)
constexpr int WIDTH = 4;
#else
constexpr int WIDTH = 2;
#endif

typedef double Vector __attribute__((vector_size(8 * WIDTH)));
typedef int64_t Mask __attribute__((vector_size(8 * WIDTH)));

SYMBED_INLINE Vector load(const double* from) {
    Vector value;
    memcpy(&value, from, sizeof value);
    return value;
}

SYMBED_INLINE void store(double* to, Vector value) { memcpy(to, &value, sizeof value); }

SYMBED_INLINE Vector broadcast(double value) { return value - Vector{}; }

SYMBED_INLINE Vector magnitude(Vector value) {
    return (Vector)((Mask)value & (Mask{} + INT64_MAX));
}

// Smaller and larger of two, one instruction each. (GCC warns about the plain AVX-512 intrinsics.)
#if defined(__AVX512F__)
SYMBED_INLINE Vector smaller(Vector a, Vector b) { return _mm512_maskz_min_pd(0xff, a, b); }
SYMBED_INLINE Vector larger(Vector a, Vector b) { return _mm512_maskz_max_pd(0xff, a, b); }
#elif defined(__AVX2__)
SYMBED_INLINE Vector smaller(Vector a, Vector b) { return _mm256_min_pd(a, b); }
SYMBED_INLINE Vector larger(Vector a, Vector b) { return _mm256_max_pd(a, b); }
#elif defined(__SSE2__)
SYMBED_INLINE Vector smaller(Vector a, Vector b) { return _mm_min_pd(a, b); }
SYMBED_INLINE Vector larger(Vector a, Vector b) { return _mm_max_pd(a, b); }
#else
SYMBED_INLINE Vector smaller(Vector a, Vector b) { return a < b ? a : b; }
SYMBED_INLINE Vector larger(Vector a, Vector b) { return a > b ? a : b; }
#endif

// Of two numbers the one that is not `low`, which is one of them. By its bits with AVX-512: one
// operation that, unlike a maximum, need not wait for the units that minima are found in.
#if defined(__AVX512F__)
SYMBED_INLINE Vector the_other(Vector a, Vector b, Vector low) {
    return (Vector)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)low, 0x96);
}
#else
SYMBED_INLINE Vector the_other(Vector a, Vector b, Vector) { return larger(a, b); }
#endif

// Lanes in which something holds. AVX-512 has registers of their own for them.
#if defined(__AVX512F__)
typedef __mmask8 Lanes;
constexpr Lanes ALL_LANES = 0xff;
SYMBED_INLINE Lanes at_most(Lanes among, Vector a, Vector b) {
    return _mm512_mask_cmp_pd_mask(among, a, b, _CMP_LE_OQ);
}
SYMBED_INLINE Vector choose(Lanes lanes, Vector yes, Vector no) {
    return _mm512_mask_blend_pd(lanes, no, yes);
}
SYMBED_INLINE bool holds_everywhere(Lanes lanes) { return lanes == ALL_LANES; }
#else
typedef Mask Lanes;
constexpr Lanes ALL_LANES = Mask{} - 1;
SYMBED_INLINE Lanes at_most(Lanes among, Vector a, Vector b) { return among & (a <= b); }
SYMBED_INLINE Vector choose(Lanes lanes, Vector yes, Vector no) { return lanes ? yes : no; }
SYMBED_INLINE bool holds_everywhere(Lanes lanes) {
    int64_t all = -1;
    for (int lane = 0; lane < WIDTH; lane++) all &= lanes[lane];
    return all;
}
#endif

constexpr double INFINITE = __builtin_inf();
constexpr double UNDEFINED = __builtin_nan("");

}  // namespace SYMBED_NS
