// Fast division of strips, rounded as IEEE 754 says.
//
// The divider of a processor takes 16 cycles for a vector of AVX-512, two cycles for a number. Where
// a and b are of moderate size, the correctly rounded quotient is found sooner by multiplications
// with exact remainders (Markstein). Let B < 2^53 be the integer in the significand of b. Then
// y = 1/b has a relative error of at most (B + 2) 2^-106, q comes within 1/2 + 3 * 2^-53 units of its
// last place (ulp) to a/b, and q + (a - bq) y before it is rounded within half of (B + 6) 2^-106 ulp.
// No a/b is closer than 1/(2B) ulp to a place where rounding turns, so the result is a/b rounded
// unless B > 2^53 - 7. Those few divisors, and numbers that are zero, tiny, huge or not finite, go
// through the divider; a NaN gives a NaN either way.
#pragma once
#include "eval/strip.h"

namespace SYMBED_NS {

#if defined(__AVX512F__)

SYMBED_INLINE Vector plus_product(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
SYMBED_INLINE Vector minus_product(Vector a, Vector b, Vector c) { return _mm512_fnmadd_pd(a, b, c); }

// 1/b, but for the last place in rare cases.
SYMBED_INLINE Vector reciprocal(Vector b) {
    const Vector one = broadcast(1.0);
    Vector y = _mm512_maskz_rcp14_pd(0xff, b);
    for (int digits = 14; digits < 64; digits *= 2) y = plus_product(y, minus_product(b, y, one), y);
    return y;
}

// a/b, rounded correctly, for y = reciprocal(b).
SYMBED_INLINE Vector quotient(Vector a, Vector b, Vector y) {
    Vector q = a * y;
    q = plus_product(minus_product(b, q, a), y, q);
    return plus_product(minus_product(b, q, a), y, q);
}

typedef uint64_t Bits __attribute__((vector_size(8 * WIDTH)));

// Of the lanes so far, those whose number is between 2^-500 and 2^500.
SYMBED_INLINE __mmask8 moderate(__mmask8 lanes, Vector value) {
    const Bits low = Bits{} + (uint64_t(523) << 53), span = Bits{} + (uint64_t(1000) << 53);
    const Bits above = ((Bits)value << 1) - low;  // without the sign
    return _mm512_mask_cmplt_epu64_mask(lanes, (__m512i)above, (__m512i)span);
}

// Those of them whose number is not among the last before a power of two.
SYMBED_INLINE __mmask8 moderate_divisor(__mmask8 lanes, Vector value) {
    const Bits turned = ((Bits)value + 7) ^ (Bits)value;
    const Bits exponent = Bits{} + (uint64_t(0x7ff) << 52);
    return _mm512_mask_testn_epi64_mask(moderate(lanes, value), (__m512i)turned, (__m512i)exponent);
}

// A new reciprocal takes as long as half a division, so every other one is left to the divider, which
// works at the same time.
template <typename, Kind A, Kind B>
static void divide(const double* a, const double* b, double* out, int64_t rows) {
    constexpr int N = STRIP / WIDTH, STEP = B == POINTS ? 1 : 2;
    if (A == DRAWS || B == DRAWS) return work_two<Divide, A, B>(a, b, out, rows);
    const Reading<A> x(a);
    const Reading<B> y(b);
    Vector inverse[N];
    __mmask8 fixed = 0xff;
    for (int k = 0; k < N; k += STEP) {
        if (A == POINTS) fixed = moderate(fixed, x.at(a, 0, k));
        if (B == POINTS) fixed = moderate_divisor(fixed, y.at(b, 0, k));
        if (B == POINTS) inverse[k] = reciprocal(y.at(b, 0, k));
    }
    for (int64_t row = 0; row < rows; row++) {
        Vector quotients[N];
        __mmask8 lanes = fixed;
        for (int k = 0; k < N; k += STEP) {
            if (A == FULL) lanes = moderate(lanes, x.at(a, row, k));
            if (B == FULL) lanes = moderate_divisor(lanes, y.at(b, row, k));
        }
        for (int k = 0; k < N; k++) {
            const Vector numerator = x.at(a, row, k), divisor = y.at(b, row, k);
            if (k % STEP || lanes != 0xff)
                quotients[k] = numerator / divisor;
            else
                quotients[k] = quotient(numerator, divisor,
                                        B == POINTS ? inverse[k] : reciprocal(divisor));
        }
        for (int k = 0; k < N; k++) store(out + row * STRIP + k * WIDTH, quotients[k]);
    }
}

#else

template <typename, Kind A, Kind B>
static void divide(const double* a, const double* b, double* out, int64_t rows) {
    work_two<Divide, A, B>(a, b, out, rows);
}

#endif

}  // namespace SYMBED_NS
