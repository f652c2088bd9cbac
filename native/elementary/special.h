// The error function and the family of the gamma function; .../elementary/_special.py is the twin.
#pragma once
#include "elementary/trigonometric.h"

namespace SYMBED_NS {
namespace elementary {

// ---- the error function ----

// erfc(x) of x >= 1/4: exp(-x^2) (1 + 2x)^-1 ERFC(t), t = (x - 3.75)/(x + 3.75), as a pair and a
// power of two (Shepherd and Laframboise's variable, 1981: one polynomial for all of them).
struct Scalable {
    Pair value;
    uint64_t whole;
};

SYMBED_INLINE Scalable erfc_tail(double x) {
    x = select(x > 30.0, 30.0, x);
    double t = (x - 3.75) / (x + 3.75);
    Pair series = sum({ERFC_MIDDLE[0], ERFC_MIDDLE[1]}, {t * polynomial(t, ERFC), 0.0});
    Pair square = exact_product(x, x);
    Exponent v = exponent(-square.high, -square.low, 0);
    Pair ratio = quotient(series, exact_sum(1.0, x + x));
    return {product(exponential_pair(v), ratio), v.whole};
}

SYMBED_INLINE double erf_near(double x) { return x + x * polynomial(x * x, ERF); }

SYMBED_INLINE double erf_of(double x) {
    double a = magnitude(x);
    Scalable tail = erfc_tail(select(a > 6.5, 6.5, a));  // beyond, erf is 1
    double scale = power_of_two(tail.whole);
    Pair rest = {tail.value.high * scale, tail.value.low * scale};
    double far = sum({1.0, 0.0}, negated(rest)).high;
    return select(a < 0.85, erf_near(x), signed_as(far, x));
}

SYMBED_INLINE double erfc_of(double x) {
    double a = magnitude(x);
    Scalable tail = erfc_tail(a);
    double right = times_power(tail.value.high, tail.whole);
    double left = 2.0 - right;
    double near = 1.0 - erf_near(x);
    return select(x < 0.25, select(x > -0.85, near, select(x <= -0.85, left, x)), right);
}

// ---- the gamma function ----

constexpr double GAMMA_FAR = 20.5;  // from here on Stirling's series
constexpr int MOST_FACTORS = 20;
constexpr int RGAMMA_PAIRS = sizeof RGAMMA_HIGH / sizeof *RGAMMA_HIGH;
constexpr int N_BERNOULLI = sizeof BERNOULLI / sizeof *BERNOULLI;

// R of 1/gamma(1 + u) = 1 + u R(u), |u| <= 1/2, to about 104 bits.
SYMBED_INLINE Pair reciprocal_gamma_rest(double u) {
    Pair value = {polynomial(u, RGAMMA_TAIL), 0.0};
    for (int k = RGAMMA_PAIRS - 1; k >= 0; --k)
        value = sum({RGAMMA_HIGH[k], RGAMMA_LOW[k]}, product(value, {u, 0.0}));
    return value;
}

// gamma(x), |x| < GAMMA_FAR: with x = n + u it is top/bottom, where the factors between 1 + u and
// x are in the top for n > 0, else in the bottom. `excess` is the quotient minus 1 for n = 1 and 2,
// where the logarithm vanishes.
struct GammaParts {
    Pair factors, base;  // base is 1/gamma(1 + u)
    Pair excess;
    double n;
};

SYMBED_INLINE GammaParts gamma_parts(double x) {
    double n = nearest_whole(x);
    double u = x - n;
    bool rising = n > 0.0;
    Pair rest = reciprocal_gamma_rest(u);
    Pair slope = product(rest, {u, 0.0});
    Pair base = sum({1.0, 0.0}, slope);
    Pair factors = {1.0, 0.0};
    for (int k = 0; k <= MOST_FACTORS; ++k) {
        double at = double(k);
        bool used = rising ? (k > 0) & (at < n) : at <= -n;
        Pair next = product(factors, exact_sum(rising ? at : -at, u));
        factors = select(used, next, factors);
    }
    Pair of_two = product(sum({1.0, 0.0}, negated(rest)), {u, 0.0});
    Pair excess = quotient(select(n == 1.0, negated(slope), of_two), base);
    return {factors, base, excess, n};
}

// ln gamma(x) of x >= GAMMA_FAR.
SYMBED_INLINE Pair stirling(double x) {
    x = select(x < 0x1p100, x, 0x1p100);
    double per_x = 1.0 / x;
    Pair main = product({x - 0.5, 0.0}, ln_pair(x));
    Pair rest = {HALF_LN_2PI[0], HALF_LN_2PI[1]};
    rest = sum(rest, {per_x * polynomial(per_x * per_x, STIRLING), 0.0});
    return sum(sum(main, {-x, 0.0}), rest);
}

// sin(pi u), |u| <= 1/2.
SYMBED_INLINE double sin_pi(double u) {
    double n = nearest_whole(u + u);
    Pair angle = product({u - 0.5 * n, 0.0}, {2.0 * PI_2[0], 2.0 * PI_2[1]});
    return sin_from({angle.high, -angle.low, uint64_t(int64_t(n))});
}

// ln|gamma(-a)| of a >= GAMMA_FAR, by reflection: pi / (a sin(pi a) gamma(a)).
SYMBED_INLINE Pair reflected(double a) {
    double sine = magnitude(sin_pi(a - nearest_whole(a)));
    double factor = 2.0 * PI_2[0] / (a * sine);
    return sum(ln_pair(factor), negated(stirling(a)));
}

SYMBED_INLINE double gamma_of(double x) {
    double a = magnitude(x);
    bool far = a >= GAMMA_FAR;
    GammaParts near = gamma_parts(select(far, 1.5, x));
    Pair bottom = select(near.n > 0.0, near.base, product(near.factors, near.base));
    Pair top = select(near.n > 0.0, near.factors, Pair{1.0, 0.0});
    double value = quotient(top, bottom).high;
    value = select(magnitude(x) < TINY, 1.0 / x, value);
    double large = select(far, select(a > 200.0, 200.5, a), 30.5);
    Pair log = select(x > 0.0, stirling(large), reflected(large));
    double size = exponential(exponent(log.high, log.low, 0));
    double below = 2.0 * nearest_whole(0.5 * nearest_whole(a - 0.5));  // an even floor, or near it
    double odd = magnitude(nearest_whole(a - 0.5) - below);
    double remote = select(x > 0.0, size, select(odd == 1.0, size, -size));
    value = select(far, remote, value);
    bool pole = (x < 0.0) & (nearest_whole(x) == x);
    return select(pole, NOT_A_NUMBER, select(x == INF, x, select(x != x, x, value)));
}

SYMBED_INLINE double lgamma_of(double x) {
    double a = magnitude(x);
    bool far = a >= GAMMA_FAR;
    GammaParts near = gamma_parts(select(far, 1.5, x));
    bool rising = near.n > 0.0;
    Pair whole = rising ? quotient(near.factors, near.base) : product(near.factors, near.base);
    Pair size = select(whole.high < 0.0, negated(whole), whole);
    Pair plain = ln_of_pair(size);
    Pair close = ln_of_one_and(near.excess);
    bool root = (near.n == 1.0) | (near.n == 2.0);
    double value = select(root, close.high, select(rising, plain.high, -plain.high));
    double large = select(far, a, 30.5);
    double huge = large * (ln_of(large) - 1.0);
    double right = select(a < 0x1p99, stirling(large).high, huge);
    double remote = select(x > 0.0, right, reflected(select(far & (a < TWO_52), a, 30.5)).high);
    value = select(far, remote, value);
    bool pole = (x <= 0.0) & (nearest_whole(x) == x);
    return select(pole, INF, select(a == INF, INF, select(x != x, x, value)));
}

// The derivatives of lgamma, for slopes: by shifting to x >= LEAST and the asymptotic series. Of
// order 0 the reflection reaches all negative numbers, of others the shift reaches -24.
constexpr double LEAST_SHIFTED = 24.0;
constexpr int MOST_SHIFTS = 48;
constexpr double MOST_ORDER = 20.0;

SYMBED_INLINE double whole_power(double base, double order) {  // order = 0 ... MOST_ORDER + 1
    double value = 1.0;
    for (int k = 0; k <= int(MOST_ORDER); ++k) value = select(double(k) < order, value * base, value);
    return value;
}

SYMBED_INLINE double polygamma_of(double order, double x) {
    bool reflect = (order == 0.0) & (x < 0.0);
    double y = select(reflect, 1.0 - x, x);
    double shifted = y, sum_of_powers = 0.0;
    for (int k = 0; k < MOST_SHIFTS; ++k) {
        bool more = shifted < LEAST_SHIFTED;
        double term = whole_power(1.0 / shifted, order + 1.0);
        sum_of_powers = select(more, sum_of_powers + term, sum_of_powers);
        shifted = select(more, shifted + 1.0, shifted);
    }
    double per = 1.0 / shifted, square = per * per;
    // (n-1)!/y^n + n!/(2 y^(n+1)) + sum of B_2k (2k+n-1)!/((2k)! y^(2k+n)), over n!.
    double per_order = whole_power(per, order);
    double series = 0.0;
    for (int k = N_BERNOULLI - 1; k >= 0; --k) {
        double even = double(2 * k + 2), rising = 1.0;  // (even + n - 1)! / (even! n!)
        for (int j = 1; j < int(MOST_ORDER); ++j)
            rising = select(double(j) < order, rising * ((even + double(j)) / (double(j) + 1.0)), rising);
        rising = select(order == 0.0, 1.0 / even, rising);
        series = series * square + BERNOULLI[k] * rising;
    }
    double main = select(order == 0.0, -ln_of(shifted), per_order / order);
    double total = sum_of_powers + (main + (0.5 * per * per_order + series * square * per_order));
    double factorial = 1.0;
    for (int k = 2; k <= int(MOST_ORDER); ++k)
        factorial = select(double(k) <= order, factorial * double(k), factorial);
    double half = 0.5 * order;
    double value = select(nearest_whole(half) == half, -total, total) * factorial;
    double u = x - nearest_whole(x);
    double cotangent = sin_pi(select(u > 0.0, 0.5 - u, -0.5 - u)) / magnitude(sin_pi(u));
    value = select(reflect, value - 2.0 * PI_2[0] * cotangent, value);
    bool known = (order >= 0.0) & (order <= MOST_ORDER) & (nearest_whole(order) == order);
    bool pole = (x <= 0.0) & (nearest_whole(x) == x);
    bool reached = reflect | (x >= -LEAST_SHIFTED);
    return select(known & reached & !pole, value, NOT_A_NUMBER);
}

}  // namespace elementary
}  // namespace SYMBED_NS
