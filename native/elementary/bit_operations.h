// What every elementary function stands on: bits of a double, choice without branches, polynomials.
//
// engine/reference/elementary/_arithmetic.py holds the same steps in NumPy. A value here is one double; the loops
// of elementary.h are written so that the compiler turns them into vectors. Only + - * / sqrt,
// comparisons and integer operations appear, each correctly rounded by IEEE 754, so every
// instruction set and NumPy get the same bits, provided that nothing contracts a*b + c
// (-ffp-contract=off).
#pragma once
#include <stdint.h>
#include <string.h>

#include "elementary/coefficients.h"

#ifndef SYMBED_NS
#define SYMBED_NS baseline
#endif
#ifndef SYMBED_INLINE
#define SYMBED_INLINE inline __attribute__((always_inline))
#endif

namespace SYMBED_NS {
namespace elementary {

using namespace symbed_coefficients;

constexpr double INF = __builtin_inf();
constexpr double NOT_A_NUMBER = __builtin_nan("");
constexpr double ROUNDER = 6755399441055744.0;  // 1.5 * 2^52; the low bits of x + it are x, rounded
constexpr double TWO_52 = 4503599627370496.0;
constexpr double TWO_54 = 18014398509481984.0;
constexpr double TINY = 2.2250738585072014e-308;  // the smallest normal number
constexpr uint64_t SIGN_BIT = 0x8000000000000000u;
constexpr uint64_t FRACTION = 0x000fffffffffffffu;
constexpr uint64_t ONE_BITS = 0x3ff0000000000000u;
constexpr uint64_t TWO_52_BITS = 0x4330000000000000u;
constexpr uint64_t ROOT_HALF_BITS = 0x3fe6a09e00000000u;  // sqrt(1/2), cut
constexpr uint64_t UPPER = 0xfffffffff8000000u;           // keeps 26 bits of the significand

SYMBED_INLINE uint64_t bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

SYMBED_INLINE double real(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

SYMBED_INLINE double select(bool condition, double yes, double no) { return condition ? yes : no; }
SYMBED_INLINE double magnitude(double x) { return real(bits(x) & ~SIGN_BIT); }
SYMBED_INLINE double upper(double x) { return real(bits(x) & UPPER); }

// A value that is not negative, with the sign of another.
SYMBED_INLINE double signed_as(double value, double sign) {
    return real(bits(value) | (bits(sign) & SIGN_BIT));
}

// Adding 2^52 rounds to an integer, halves to the even one.
SYMBED_INLINE double nearest_whole(double x) {
    double size = magnitude(x);
    return select(size < TWO_52, signed_as((size + TWO_52) - TWO_52, x), x);
}

// 2^n for the integer in the low bits of n, -1022 <= n <= 1023.
SYMBED_INLINE double power_of_two(uint64_t n) { return real((n << 52) + ONE_BITS); }

template <int I, int N>
SYMBED_INLINE double every_other(double w, const double (&c)[N]) {
    if constexpr (I + 2 < N)
        return c[I] + w * every_other<I + 2>(w, c);
    else
        return c[I];
}

// c[0] + c[1] z + c[2] z^2 ..., even and odd powers apart: half the waiting of Horner's rule.
template <int N>
SYMBED_INLINE double polynomial(double z, const double (&c)[N]) {
    double w = z * z;
    return every_other<0>(w, c) + z * every_other<1>(w, c);
}

}  // namespace elementary
}  // namespace SYMBED_NS
