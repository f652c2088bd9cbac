// pow(x, y) = exp(y ln|x|) in doubled precision; engine/elementary_pow.py is the twin.
#pragma once
#include "elementary/exponential.h"

namespace SYMBED_NS {
namespace elementary {

struct Pair {
    double high, low;
};

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

// |y| beyond 2^53 is an even integer; below, adding and subtracting 2^52 rounds to an integer.
SYMBED_INLINE double rounded_size(double size) {
    return select(size < TWO_52, (size + TWO_52) - TWO_52, size);
}

// y * log. Beyond 2^80 every power of a number other than 1 overflows or vanishes, and infinity
// does not multiply.
SYMBED_INLINE Exponent pow_exponent(const Pair& log, double y) {
    y = select(y > 0x1p80, 0x1p80, select(y < -0x1p80, -0x1p80, y));
    double y1 = upper(y), y2 = y - y1;
    double l1 = upper(log.high), l2 = log.high - l1;
    double high = y * log.high;
    double low = ((((y1 * l1 - high) + y1 * l2) + y2 * l1) + y2 * l2) + y * log.low;
    low = select(magnitude(high) < 1024.0, low, 0.0);
    return exponent(high, low, 0);
}

// Whether the exponential is the answer already.
SYMBED_INLINE bool is_ordinary(double x, double y) {
    return (x > 0.0) & (x < INF) & (magnitude(y) < INF);
}

SYMBED_INLINE double with_special_cases(double x, double y, double value) {
    double size = magnitude(x);
    double rising = select(y > 0.0, INF, 0.0), falling = select(y > 0.0, 0.0, INF);
    value = select(size == 0.0, falling, select(size == INF, rising, value));
    // A negative base: the sign of an odd power, nothing real between integers.
    double y_size = magnitude(y);
    double half = 0.5 * y_size;
    double unsettled = select(x > -INF, NOT_A_NUMBER, value);
    bool whole = rounded_size(y_size) == y_size;
    bool even = rounded_size(half) == half;
    double turned = select(even, value, signed_as(value, x));
    value = select(whole, turned, select(x < 0.0, unsettled, value));
    value = select(x != x, x, select(y != y, y, value));
    return select(y == 0.0, 1.0, select(x == 1.0, 1.0, value));
}

}  // namespace elementary
}  // namespace SYMBED_NS
