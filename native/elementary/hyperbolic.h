// Powers, and functions made of exponentials and logarithms that keep every digit.
//
// engine/reference/elementary/hyperbolic.py is the twin. Each is a short formula in pairs.
#pragma once
#include "elementary/pairs.h"

namespace SYMBED_NS {
namespace elementary {

constexpr double SMALL = 0x1p-28;  // below, x^3 is nothing beside x
constexpr double FAR = 0x1p28;     // above, 1 is nothing beside x^2
constexpr double MOST_EXP = 700.0; // up to here exp(-x) is a normal number

// exp(asinh(a)) - 1 = a + a^2/(sqrt(a^2 + 1) + 1) for a below FAR.
SYMBED_INLINE Pair asinh_growth(double a) {
    Pair square = exact_product(a, a);
    Pair over = quotient(square, sum(root(sum(square, {1.0, 0.0})), {1.0, 0.0}));
    return sum({a, 0.0}, over);
}

SYMBED_INLINE double asinh_of(double x) {
    double a = magnitude(x);
    double inner = select(a < FAR, a, 1.0);
    Pair near = ln_of_one_and(asinh_growth(inner));
    Pair far = sum(ln_pair(a), {LN2[0], LN2[1]});
    double value = select(a < SMALL, a, select(a < FAR, near.high, far.high));
    return signed_as(select(a < INF, value, a), x);
}

SYMBED_INLINE double acosh_of(double x) {
    double t = x - 1.0;  // exact up to 2^53
    double inner = select(x < FAR, t, 1.0);
    Pair square = sum(exact_product(inner, inner), {inner + inner, 0.0});
    Pair near = ln_of_one_and(sum({inner, 0.0}, root(square)));
    Pair far = sum(ln_pair(x), {LN2[0], LN2[1]});
    double value = select(x < FAR, near.high, far.high);
    double edge = select(x == 1.0, 0.0, NOT_A_NUMBER);
    return select(x > 1.0, select(x < INF, value, x), edge);
}

SYMBED_INLINE double atanh_of(double x) {
    double a = magnitude(x);
    double inner = select(a < 1.0, a, 0.5);
    Pair ratio = quotient({inner + inner, 0.0}, exact_sum(1.0, -inner));
    double near = 0.5 * ln_of_one_and(ratio).high;
    double value = select(a < SMALL, a, near);
    return signed_as(select(a < 1.0, value, select(a == 1.0, INF, NOT_A_NUMBER)), x);
}

// 2 (2^(k-1) - 1/2 + 2^(k-1) (r + tail)): half of the scale, so that it does not overflow.
SYMBED_INLINE double expm1_of(double x) {
    double inner = select(x < -50.0, -50.0, select(x > 709.78271289338397, 709.0, x));
    Exponent v = exponent(inner, 0.0, uint64_t(-1));
    double tail = exponential_tail(v);
    double scale = power_of_two(v.whole);
    Pair whole = exact_sum(scale, -0.5);
    Pair main = exact_sum(whole.high, scale * v.r);
    double value = main.high + (main.low + (whole.low + scale * tail));
    value = select(magnitude(x) < 0x1p-54, x, value + value);
    return select(x > 709.78271289338397, INF, value);
}

SYMBED_INLINE double log1p_of(double x) {
    double inner = select((x > -1.0) & (x < INF), x, 1.0);
    double value = ln_of_one_and({inner, 0.0}).high;
    value = select(magnitude(x) < 0x1p-54, x, value);
    double edge = select(x == -1.0, -INF, NOT_A_NUMBER);
    return select(x > -1.0, select(x < INF, value, x), edge);
}

// Near 1/2, where it vanishes, ln(1 + (2x - 1)/(1 - x)).
SYMBED_INLINE double logit_of(double x) {
    double inner = select((x > 0.0) & (x < 1.0), x, 0.5);
    Pair rest = exact_sum(1.0, -inner);
    double offset = inner + inner - 1.0;
    Pair near = ln_of_one_and(quotient({offset, 0.0}, rest));
    Pair far = sum(ln_pair(inner), negated(ln_of_pair(rest)));
    double value = select(magnitude(offset) <= 0.5, near.high, far.high);
    double edge = select(x == 0.0, -INF, select(x == 1.0, INF, NOT_A_NUMBER));
    return select((x > 0.0) & (x < 1.0), value, edge);
}

// exp(-|x|) as a pair, for |x| up to MOST_EXP.
SYMBED_INLINE Pair falling_exponential(double a) {
    Exponent v = exponent(-select(a > MOST_EXP, MOST_EXP, a), 0.0, 0);
    Pair value = exponential_pair(v);
    double scale = power_of_two(v.whole);
    return {value.high * scale, value.low * scale};
}

SYMBED_INLINE double sigmoid_of(double x) {
    Pair t = falling_exponential(magnitude(x));
    Pair top = select(x < 0.0, t, Pair{1.0, 0.0});
    double value = quotient(top, sum({1.0, 0.0}, t)).high;
    double tiny = exponential(exponent(x, 0.0, 0));
    return select(x < -MOST_EXP, tiny, value);
}

SYMBED_INLINE double softplus_of(double x) {
    Pair t = falling_exponential(magnitude(x));
    double ramp = select(x < 0.0, 0.0, x);
    double value = sum({ramp, 0.0}, ln_of_one_and(t)).high;
    double tiny = exponential(exponent(x, 0.0, 0));
    return select(x < -MOST_EXP, tiny, select(x > MOST_EXP, x, value));
}

SYMBED_INLINE double gauss_of(double x) {
    double a = magnitude(x);
    Pair square = exact_product(select(a > 30.0, 30.0, a), select(a > 30.0, 30.0, a));
    return exponential(exponent(-square.high, -square.low, 0));
}

SYMBED_INLINE double sech_of(double x) {
    double a = magnitude(x);
    Pair t = falling_exponential(a);
    Pair value = quotient({t.high + t.high, t.low + t.low}, sum({1.0, 0.0}, product(t, t)));
    return select(a > MOST_EXP, exponential(exponent(-a, 0.0, 1)), value.high);
}

SYMBED_INLINE double csch_of(double x) {
    double a = magnitude(x);
    double z = a * a;
    Pair t = falling_exponential(a);
    Pair far = quotient({t.high + t.high, t.low + t.low},
                        sum({1.0, 0.0}, negated(product(t, t))));
    Pair near = quotient({1.0, 0.0}, ordered_sum(a, a * z * polynomial(z, SINH)));
    double tiny = exponential(exponent(-a, 0.0, 1));
    double value = select(a < 1.0, near.high, select(a > MOST_EXP, tiny, far.high));
    return signed_as(select(a < 0x1p-54, 1.0 / a, value), x);
}

SYMBED_INLINE double coth_of(double x) {
    double a = magnitude(x);
    double z = a * a;
    Pair t = falling_exponential(a + a);
    Pair far = quotient(sum({1.0, 0.0}, t), sum({1.0, 0.0}, negated(t)));
    Pair near = quotient({1.0, 0.0}, ordered_sum(a, a * z * polynomial(z, TANH)));
    double value = select(a < 0.55, near.high, far.high);
    return signed_as(select(a < 0x1p-54, 1.0 / a, value), x);
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
    bool whole = nearest_whole(y_size) == y_size;
    bool even = nearest_whole(half) == half;
    double turned = select(even, value, signed_as(value, x));
    value = select(whole, turned, select(x < 0.0, unsettled, value));
    value = select(x != x, x, select(y != y, y, value));
    return select(y == 0.0, 1.0, select(x == 1.0, 1.0, value));
}

}  // namespace elementary
}  // namespace SYMBED_NS
