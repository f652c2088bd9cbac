// exp and its family, the logarithms and cbrt; engine/reference/elementary/_exponential.py is the twin.
#pragma once
#include "elementary/bit_operations.h"

namespace SYMBED_NS {
namespace elementary {

// A number as whole * ln 2 + r + r_low, |r| <= ln(2)/2; only the low bits of whole count.
struct Exponent {
    double r, r_low;
    uint64_t whole;
};

// high + low, for a small correction low, plus shift * ln 2.
SYMBED_INLINE Exponent moderate_exponent(double high, double low, uint64_t shift) {
    double rounded = high * LOG2_E + ROUNDER;
    double n = rounded - ROUNDER;
    double start = high - n * LN2[0];
    double rest = n * LN2[1] - low;
    double r = start - rest;
    return {r, (start - r) - rest, bits(rounded) + shift};
}

// The same for any number: beyond these bounds every power overflows or vanishes.
SYMBED_INLINE Exponent exponent(double high, double low, uint64_t shift) {
    bool above = high > 712.0, below = high < -750.0;
    high = select(above, 712.0, high);
    high = select(below, -750.0, high);
    return moderate_exponent(high, low, shift);
}

// exp(r + r_low) - 1 - r.
SYMBED_INLINE double exponential_tail(const Exponent& v) {
    double z = v.r * v.r;
    double c = v.r - z * polynomial(z, EXP);
    return v.r * c / (2.0 - c) + v.r_low;
}

// exp(r + r_low), near 1.
SYMBED_INLINE double exponential_of_rest(const Exponent& v) {
    double one = 1.0 + v.r;
    return one + (((1.0 - one) + v.r) + exponential_tail(v));
}

// Scaling in two steps lets results overflow to infinity and sink into the subnormal numbers with
// one rounding.
SYMBED_INLINE double exponential(const Exponent& v) {
    uint64_t half = v.whole >> 1;
    return exponential_of_rest(v) * power_of_two(half) * power_of_two(v.whole - half);
}

// Up to here exp(x) is neither infinite nor subnormal, and its exponent a sum of integers.
constexpr double MODERATE = 700.0;

SYMBED_INLINE double moderate_exponential(const Exponent& v) {
    return real(bits(exponential_of_rest(v)) + (v.whole << 52));
}

// exp is exponential(exp_exponent(x)), the others <name>_from(x, exponential(<name>_exponent(x))).
SYMBED_INLINE Exponent exp_exponent(double x) { return exponent(x, 0.0, 0); }

SYMBED_INLINE Exponent sinh_exponent(double x) {  // of exp(|x|)/2, finite where sinh is
    return exponent(magnitude(x), 0.0, uint64_t(-1));
}

SYMBED_INLINE double sinh_from(double x, double half) {
    double a = magnitude(x);
    double z = a * a;
    double near = a + a * z * polynomial(z, SINH);
    double far = half - 0.25 / half;
    return signed_as(select(a < 1.0, near, far), x);
}

SYMBED_INLINE Exponent cosh_exponent(double x) { return sinh_exponent(x); }
SYMBED_INLINE double cosh_from(double, double half) { return half + 0.25 / half; }

SYMBED_INLINE Exponent tanh_exponent(double x) {
    return exponent(magnitude(x) + magnitude(x), 0.0, 0);
}

SYMBED_INLINE double tanh_from(double x, double squared) {
    double a = magnitude(x);
    double z = a * a;
    double near = a + a * z * polynomial(z, TANH);
    double far = 1.0 - 2.0 / (1.0 + squared);
    return signed_as(select(a < 0.55, near, far), x);
}

// A positive finite number as 2^k * m with sqrt(1/2) <= m < sqrt(2).
struct Scaled {
    double k, m;
};

SYMBED_INLINE Scaled scaled(double x) {
    bool tiny = x < TINY;
    uint64_t u = bits(select(tiny, x * TWO_54, x)) + (ONE_BITS - ROOT_HALF_BITS);
    double k = real((u >> 52) | TWO_52_BITS) - select(tiny, TWO_52 + 1077.0, TWO_52 + 1023.0);
    return {k, real((u & FRACTION) + ROOT_HALF_BITS)};
}

// The value of a logarithm where it is ordinary, its limits elsewhere.
SYMBED_INLINE double log_or_limit(double x, double value) {
    double finite = select(x < INF, value, x);
    return select(x > 0.0, finite, select(x == 0.0, -INF, NOT_A_NUMBER));
}

SYMBED_INLINE double ln_of(double x) {
    Scaled v = scaled(x);
    double f = v.m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double square = 0.5 * f * f;
    double tail = s * (square + z * polynomial(z, LN)) + v.k * LN2[1];
    return log_or_limit(x, v.k * LN2[0] - ((square - tail) - f));
}

// k * two + ln(m) * per, with two = log(2) and per = 1/ln(base) given as pairs.
SYMBED_INLINE double log_to_base(double x, double two, double two_low, const double (&per)[2]) {
    Scaled v = scaled(x);
    double f = v.m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double square = 0.5 * f * f;
    double high = upper(f - square);
    double low = ((f - high) - square) + s * (square + z * polynomial(z, LN));
    double main = high * per[0];
    double rest = (v.k * two_low + (low + high) * per[1]) + low * per[0];
    double whole = v.k * two;
    double sum = whole + main;
    return log_or_limit(x, sum + (((whole - sum) + main) + rest));
}

SYMBED_INLINE double log2_of(double x) { return log_to_base(x, 1.0, 0.0, PER_LN2); }
SYMBED_INLINE double log10_of(double x) { return log_to_base(x, LG2[0], LG2[1], PER_LN10); }

SYMBED_INLINE double cbrt_of(double x) {
    double size = magnitude(x);
    bool tiny = size < TINY;
    uint64_t u = bits(select(tiny, size * TWO_54, size));
    double m = real((u & FRACTION) | ONE_BITS);
    double e = real((u >> 52) | TWO_52_BITS) - (TWO_52 + 1023.0);
    double rounded = e * THIRD_NEAREST + ROUNDER;
    double over = e - 3.0 * (rounded - ROUNDER);  // -1, 0 or 1
    double a = m * select(over < 0.0, 0.5, select(over > 0.0, 2.0, 1.0));
    // y approaches a^(-1/3); then t = a y^2 is cut to 26 bits so that its cube is known exactly.
    double turn = select(over < 0.0, CBRT2[0], select(over > 0.0, CBRT2[1], 1.0));
    double y = polynomial(m, CBRT) * turn;
    double miss = 1.0 - a * y * (y * y);
    y = y + y * miss * (THIRD_NEAREST + (2.0 * THIRD_NEAREST * THIRD_NEAREST) * miss);
    double per_square = y * y;
    double t = a * per_square;
    double cut = upper(t);
    double square = cut * cut;
    double square_high = upper(square);
    double left = (a - square_high * cut) - (square - square_high) * cut;
    double root = cut + left * (per_square * THIRD_NEAREST) * (1.0 + (t - cut) * y);
    double value = root * power_of_two(bits(rounded)) * select(tiny, 1.0 / 262144.0, 1.0);
    return signed_as(select(size > 0.0, select(size < INF, value, size), size), x);
}

}  // namespace elementary
}  // namespace SYMBED_NS
