// sin, cos, tan, their reciprocals and inverses, length and angle of a point of the plane.
//
// engine/reference/elementary/_trigonometric.py is the twin.
#pragma once
#include "elementary/pairs.h"

namespace SYMBED_NS {
namespace elementary {

constexpr double LARGE = 262144.0;  // 2^18: up to here n * HALF_PI[0] and n * HALF_PI[1] are exact

// x = quarter * pi/2 + r - back, with |r| <= pi/4; only the last two bits of quarter count.
struct Reduced {
    double r, back;
    uint64_t quarter;
};

// Cody and Waite's subtraction in three parts, for |x| <= LARGE. The order of the signs keeps -0.
SYMBED_INLINE Reduced reduced(double x) {
    double rounded = x * TWO_OVER_PI + ROUNDER;
    double n = rounded - ROUNDER;
    double start = x - n * HALF_PI[0];
    double second = n * HALF_PI[1];
    double a = start - second;
    double rest = n * HALF_PI[2] - ((start - a) - second);
    double r = a - rest;
    return {r, (r - a) + rest, bits(rounded)};
}

// A 128-bit fraction below 1/2, times pi/2: its leading 106 bits become two doubles.
inline Reduced from_fraction(uint64_t high, uint64_t low, double sign, uint64_t quarter) {
    unsigned zeros = unsigned(__builtin_clzll(high | 1));  // at most 62 for any double
    if (zeros) {
        high = (high << zeros) | (low >> (64 - zeros));
        low <<= zeros;
    }
    double scale = power_of_two(0 - uint64_t(zeros));
    double h = double(high >> 11) * 0x1p-53 * scale;
    double l = double(((high & 0x7ff) << 42) | (low >> 22)) * 0x1p-106 * scale;
    double h1 = upper(h), h2 = h - h1;
    double r = h * PI_2[0];
    double leading = ((h1 * PI_2_SPLIT[0] - r) + h1 * PI_2_SPLIT[1]) + h2 * PI_2_SPLIT[0];
    double r_low = (leading + h2 * PI_2_SPLIT[1]) + (h * PI_2_SPLIT[2] + l * PI_2[0]);
    double sum = r + r_low;
    return {sign * sum, sign * ((sum - r) - r_low), quarter};
}

// Payne and Hanek's multiplication for |x| > LARGE: x = m * 2^e, and of m * (2/pi) only the 192
// bits from the weight 2 downward matter, whatever e is.
inline Reduced reduced_large(double x) {
    uint64_t u = bits(x);
    uint64_t m = (u & FRACTION) | (FRACTION + 1);
    unsigned place = unsigned((u >> 52) & 0x7ff) - 1075 + 62;  // bit of TWO_OVER_PI_WORDS
    unsigned word = place >> 6, by = place & 63;
    uint64_t window[3];
    for (int i = 0; i < 3; ++i) {
        uint64_t next = by ? TWO_OVER_PI_WORDS[word + i + 1] >> (64 - by) : 0;
        window[i] = (TWO_OVER_PI_WORDS[word + i] << by) | next;
    }
    __extension__ typedef unsigned __int128 Wide;
    Wide bottom = Wide(m) * window[2];
    Wide middle = Wide(m) * window[1] + uint64_t(bottom >> 64);
    uint64_t top = m * window[0] + uint64_t(middle >> 64);
    uint64_t mid = uint64_t(middle), end = uint64_t(bottom);
    uint64_t quarter = top >> 62;
    uint64_t high = (top << 2) | (mid >> 62), low = (mid << 2) | (end >> 62);
    bool past_half = high >> 63;
    if (past_half) {  // go to the next quarter, and back by what is missing
        quarter += 1;
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    bool negative = u >> 63;
    double sign = negative == past_half ? 1.0 : -1.0;
    return from_fraction(high, low, sign, negative ? 0 - quarter : quarter);
}

// Both functions of the small remainder, with the bits that their last rounding would drop; each
// quarter takes one of them with a sign. Who wants no more than the sums pays for no more.
struct SinCos {
    Pair sine, cosine;
};

SYMBED_INLINE SinCos sin_cos(const Reduced& v) {
    double z = v.r * v.r;
    double half = 0.5 * z;
    double w = 1.0 - half;
    Pair sine = ordered_sum(v.r, -(v.back * w - v.r * z * polynomial(z, SIN)));
    double rest = ((1.0 - w) - half) + (z * z * polynomial(z, COS) + v.r * v.back);
    return {sine, ordered_sum(w, rest)};
}

SYMBED_INLINE bool is_odd(uint64_t quarter) { return real((quarter << 63) | ONE_BITS) < 0.0; }

// Bit 0 of quarter changes the function, bit 1 the sign.
SYMBED_INLINE double in_quarter(uint64_t quarter, double even, double odd) {
    double chosen = select(is_odd(quarter), odd, even);
    return real(bits(chosen) ^ ((quarter & 2) << 62));
}

SYMBED_INLINE double sin_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    return in_quarter(v.quarter, both.sine.high, both.cosine.high);
}

SYMBED_INLINE double cos_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    return in_quarter(v.quarter + 1, both.sine.high, both.cosine.high);
}

// The quotient, and what the two roundings before it took from it; this order of signs keeps -0.
SYMBED_INLINE double tan_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    bool odd = is_odd(v.quarter);
    Pair top = select(odd, negated(both.cosine), both.sine);
    Pair bottom = select(odd, both.sine, both.cosine);
    double value = top.high / bottom.high;
    return value - (value * bottom.low - top.low) / bottom.high;
}

// A quotient that may be infinite.
SYMBED_INLINE double guarded_quotient(const Pair& top, const Pair& bottom) {
    double plain = top.high / bottom.high;
    return select(magnitude(plain) < 0x1p1000, quotient(top, bottom).high, plain);
}

SYMBED_INLINE double sec_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    Pair chosen = select(is_odd(v.quarter), both.sine, both.cosine);
    double value = guarded_quotient({1.0, 0.0}, chosen);
    return real(bits(value) ^ (((v.quarter + 1) & 2) << 62));
}

SYMBED_INLINE double csc_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    Pair chosen = select(is_odd(v.quarter), both.cosine, both.sine);
    double value = guarded_quotient({1.0, 0.0}, chosen);
    return real(bits(value) ^ ((v.quarter & 2) << 62));
}

SYMBED_INLINE double cot_from(const Reduced& v) {
    SinCos both = sin_cos(v);
    bool odd = is_odd(v.quarter);
    Pair top = select(odd, negated(both.sine), both.cosine);
    return guarded_quotient(top, select(odd, both.cosine, both.sine));
}

// sin(pi x)/(pi x). Halves of x are exact, so the sine vanishes exactly at whole numbers.
SYMBED_INLINE double sinc_of(double x) {
    double a = magnitude(x);
    double inner = select(a < TWO_52, a, 1.0);
    double n = ((inner + inner) + TWO_52) - TWO_52;
    n = select(inner < 0.5 * TWO_52, n, inner + inner);
    Pair pi = {2.0 * PI_2[0], 2.0 * PI_2[1]};
    Pair angle = product({inner - 0.5 * n, 0.0}, pi);
    uint64_t quarter = uint64_t(int64_t(n));
    SinCos both = sin_cos({angle.high, -angle.low, quarter});
    Pair sine = select(is_odd(quarter), both.cosine, both.sine);
    double value = quotient(sine, product({inner, 0.0}, pi)).high;
    value = real(bits(value) ^ ((quarter & 2) << 62));
    value = select(a < TWO_52, value, select(x != x, x, 0.0));
    return select(a < 0x1p-28, 1.0, value);
}

SYMBED_INLINE double asin_of(double x) {
    double a = magnitude(x);
    bool far = a > 0.5;
    double z = select(far, 0.5 * (1.0 - a), a * a);
    double s = select(far, __builtin_sqrt(z), a);
    double rest = s * z * polynomial(z, ASIN);
    double turned = PI_2[0] - ((s + s) + ((rest + rest) - PI_2[1]));
    return signed_as(select(far, turned, s + rest), x);
}

SYMBED_INLINE double acos_of(double x) {
    double a = magnitude(x);
    bool far = a > 0.5;
    double z = select(far, 0.5 * (1.0 - a), a * a);
    double s = select(far, __builtin_sqrt(z), x);
    double rest = s * z * polynomial(z, ASIN);
    double middle = PI_2[0] - (s + (rest - PI_2[1]));
    double right = (s + s) + (rest + rest);
    return select(far, select(x > 0.0, right, 2.0 * middle), middle);
}

// atan(a) = base + atan(t), t = a, (a - 1)/(a + 1) or -1/a, the quotient to twice the precision.
SYMBED_INLINE double atan_of(double x) {
    double a = magnitude(x);
    a = select(a > 0x1p60, 0x1p60, a);
    bool past_first = a > 0.41421356237309503, past_third = a > 2.4142135623730949;
    double a0 = select(past_third, 0.0, a), c0 = select(past_third, 0.0, 1.0);
    double a1 = select(past_first, a, 0.0), c1 = select(past_first, 1.0, 0.0);
    double base = select(past_first, select(past_third, PI_2[0], PI_4[0]), 0.0);
    double base_low = select(past_first, select(past_third, PI_2[1], PI_4[1]), 0.0);

    double n = a0 - c1, n_low = a0 - (n + c1);
    double d = c0 + a1, d_low = a1 - (d - c0);
    double per_d = 1.0 / d;
    double t = n * per_d;
    double t1 = upper(t), t2 = t - t1;
    double d1 = upper(d), d2 = d - d1;
    double left = ((((n - t1 * d1) - t1 * d2) - t2 * d1) - t2 * d2) + (n_low - t * d_low);
    double t_low = left * per_d;

    double z = t * t;
    double sum = base + t;
    double rest = ((base - sum) + t) + ((base_low + t_low) + t * z * polynomial(z, ATAN));
    return signed_as(sum + rest, x);
}

// A power of two that brings a length near 1, so that squares neither overflow nor vanish.
SYMBED_INLINE double toward_one(double length) {
    return select(length > 0x1p400, 0x1p-600, select(length < 0x1p-400, 0x1p600, 1.0));
}

SYMBED_INLINE double hypot_of(double x, double y) {
    double a = magnitude(x), b = magnitude(y);
    double longer = select(a > b, a, b), shorter = select(a > b, b, a);
    double scale = toward_one(longer);
    double p = longer * scale, q = shorter * scale;
    Pair square = sum(exact_product(p, p), exact_product(q, q));
    double value = root(square).high / scale;
    value = select(longer > 0.0, value, longer);
    double undefined = select((x != x) | (y != y), NOT_A_NUMBER, value);
    return select((longer == INF) & (x == x) & (y == y), INF, undefined);
}

// The angle of the point (x, y), from -pi to pi; of the origin, that of the signs of its zeros.
SYMBED_INLINE double atan2_of(double y, double x) {
    double a = magnitude(y), b = magnitude(x);
    double t = a / b;
    double scale = toward_one(select(a > b, a, b));
    double a_scaled = a * scale, b_scaled = b * scale;
    Pair back = exact_product(t, b_scaled);
    double t_low = ((a_scaled - back.high) - back.low) / b_scaled / (1.0 + t * t);
    t_low = select((t > 0x1p-500) & (t < 0x1p60), t_low, 0.0);
    double main = select(b > 0.0, atan_of(t), select(a > 0.0, PI_2[0], select(a == 0.0, 0.0, a)));
    double left = 2.0 * PI_2[0] - ((main - 2.0 * PI_2[1]) + t_low);
    bool behind = bits(x) >> 63;
    double value = select(behind, left, main + t_low);
    return signed_as(select((x != x) | (y != y), NOT_A_NUMBER, value), y);
}

}  // namespace elementary
}  // namespace SYMBED_NS
