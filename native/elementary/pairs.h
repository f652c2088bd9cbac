// Unevaluated sums of two doubles, for functions whose last bit needs more than 53 of them.
//
// The twins are in engine/reference/elementary/, _arithmetic.py and _exponential.py. A pair is kept such that high is the sum, rounded.
#pragma once
#include "elementary/exponential.h"

namespace SYMBED_NS {
namespace elementary {

struct Pair {
    double high, low;
};

// The exact sum of two doubles, the larger one first.
SYMBED_INLINE Pair ordered_sum(double large, double small) {
    double high = large + small;
    return {high, small - (high - large)};
}

// The exact sum of two doubles in any order.
SYMBED_INLINE Pair exact_sum(double a, double b) {
    double high = a + b;
    double back = high - a;
    return {high, (a - (high - back)) + (b - back)};
}

// The product of two doubles to 106 bits.
SYMBED_INLINE Pair exact_product(double a, double b) {
    double a1 = upper(a), a2 = a - a1;
    double b1 = upper(b), b2 = b - b1;
    double high = a * b;
    return {high, (((a1 * b1 - high) + a1 * b2) + a2 * b1) + a2 * b2};
}

SYMBED_INLINE Pair sum(const Pair& a, const Pair& b) {
    Pair s = exact_sum(a.high, b.high);
    return ordered_sum(s.high, s.low + (a.low + b.low));
}

SYMBED_INLINE Pair product(const Pair& a, const Pair& b) {
    Pair p = exact_product(a.high, b.high);
    return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

SYMBED_INLINE Pair quotient(const Pair& a, const Pair& b) {
    double q = a.high / b.high;
    Pair p = exact_product(q, b.high);
    double rest = (((a.high - p.high) - p.low) + a.low) - q * b.low;
    return ordered_sum(q, rest / b.high);
}

SYMBED_INLINE Pair negated(const Pair& a) { return {-a.high, -a.low}; }

SYMBED_INLINE Pair select(bool condition, const Pair& yes, const Pair& no) {
    return {select(condition, yes.high, no.high), select(condition, yes.low, no.low)};
}

// The square root of a positive pair.
SYMBED_INLINE Pair root(const Pair& a) {
    double high = __builtin_sqrt(a.high);
    Pair p = exact_product(high, high);
    return ordered_sum(high, (((a.high - p.high) - p.low) + a.low) / (high + high));
}

// exp(r + r_low) to about 57 bits; the power of two is still to be multiplied.
SYMBED_INLINE Pair exponential_pair(const Exponent& v) {
    Pair one = ordered_sum(1.0, v.r);
    return ordered_sum(one.high, one.low + exponential_tail(v));
}

// A value times 2^whole in two steps, so that it can overflow and become subnormal.
SYMBED_INLINE double times_power(double value, uint64_t whole) {
    uint64_t half = whole >> 1;
    return value * power_of_two(half) * power_of_two(whole - half);
}

// ln(x) of a positive finite x to about 66 bits: 2 atanh(s), s = (m - 1)/(m + 1), plus k ln 2.
SYMBED_INLINE Pair ln_pair(double x) {
    Scaled v = scaled(x);
    double f = v.m - 1.0;
    double d = v.m + 1.0;
    double d_low = v.m - (d - 1.0);
    double per_d = 1.0 / d;
    double s = f * per_d;
    double s1 = upper(s), s2 = s - s1;
    double d1 = upper(d), d2 = d - d1;
    double left = (((f - s1 * d1) - s1 * d2) - s2 * d1) - (s2 * d2 + s * d_low);
    s2 = s2 + left * per_d;  // s1 + s2 is the quotient to 78 bits

    // q = z/3 + z^2 POW(z), z = s^2; the product of the leading halves is exact
    double z1 = s1 * s1, z2 = (s1 + s1) * s2 + s2 * s2;
    double z = s * s;  // near enough for the small terms
    double z_cut = upper(z1);
    double q_main = z_cut * THIRD[0];
    double q_rest = ((z1 - z_cut) + z2) * THIRD[0] + (z * THIRD[1] + z * z * polynomial(z, POW));
    double q = q_main + q_rest;
    double q1 = upper(q), q2 = (q_main - q1) + q_rest;

    double whole = v.k * LN2[0];
    double twice = s1 + s1;
    double third = twice * q1;
    double small = (s2 + s2) + (twice * q2 + (s2 + s2) * q) + v.k * LN2[1];
    double sum = whole + twice;
    double sum_low = (whole - sum) + twice;
    double next = sum + third;
    double low = ((sum - next) + third) + (sum_low + small);
    double high = next + low;
    return {high, (next - high) + low};
}

// ln(a) of a positive pair.
SYMBED_INLINE Pair ln_of_pair(const Pair& a) {
    double part = a.low / a.high;
    return sum(ln_pair(a.high), {part - 0.5 * part * part, 0.0});
}

// ln(1 + a) of a pair above -1, with all its digits near zero.
SYMBED_INLINE Pair ln_of_one_and(const Pair& a) {
    Pair s = exact_sum(1.0, a.high);
    return ln_of_pair({s.high, s.low + a.low});
}

}  // namespace elementary
}  // namespace SYMBED_NS
