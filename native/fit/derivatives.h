// The derivatives: an operator's code goes in, the loops that pull an adjoint through it come out.
//
// pull_<name>(a, y, bar, out, n) sets out = bar * df/da for an operand a, its result y = f(a) and the
// adjoint bar of the result; out may be bar. For two operands there is one loop for each of them.
// The names are those of operators.def; workbench/derivatives.py holds the same steps in NumPy. At a
// kink the slope is the mean of both sides; an infinite slope of a power at zero counts as zero.
#pragma once
#include "eval/block_functions.h"

namespace SYMBED_NS {

constexpr int64_t STRETCH = 256;  // points that adjoints are pulled for at once

namespace slopes {
using namespace elementary;

SYMBED_INLINE double neg_at(double, double) { return -1.0; }
SYMBED_INLINE double square_at(double a, double) { return a + a; }
SYMBED_INLINE double cube_at(double a, double) { return 3.0 * (a * a); }
SYMBED_INLINE double pow4_at(double a, double) { return 4.0 * (a * (a * a)); }
SYMBED_INLINE double pow5_at(double a, double) { return 5.0 * ((a * a) * (a * a)); }
SYMBED_INLINE double inv_at(double, double y) { return -(y * y); }
SYMBED_INLINE double tan_at(double, double y) { return 1.0 + y * y; }
SYMBED_INLINE double asin_at(double a, double) { return 1.0 / __builtin_sqrt((1.0 - a) * (1.0 + a)); }
SYMBED_INLINE double acos_at(double a, double) { return -1.0 / __builtin_sqrt((1.0 - a) * (1.0 + a)); }
SYMBED_INLINE double atan_at(double a, double) { return 1.0 / (1.0 + a * a); }
SYMBED_INLINE double tanh_at(double, double y) { return (1.0 - y) * (1.0 + y); }
SYMBED_INLINE double sqrt_at(double, double y) { return 0.5 / y; }
SYMBED_INLINE double cbrt_at(double, double y) { return 1.0 / (3.0 * (y * y)); }
SYMBED_INLINE double exp_at(double, double y) { return y; }
SYMBED_INLINE double ln_at(double a, double) { return 1.0 / a; }
SYMBED_INLINE double log10_at(double a, double) { return 0.4342944819032518 / a; }
SYMBED_INLINE double log2_at(double a, double) { return 1.4426950408889634 / a; }
SYMBED_INLINE double abs_at(double a, double) { return sign_of(a); }
SYMBED_INLINE double sign_at(double, double) { return 0.0; }

SYMBED_INLINE double add_first(double, double, double) { return 1.0; }
SYMBED_INLINE double add_second(double, double, double) { return 1.0; }
SYMBED_INLINE double sub_first(double, double, double) { return 1.0; }
SYMBED_INLINE double sub_second(double, double, double) { return -1.0; }
SYMBED_INLINE double mul_first(double, double b, double) { return b; }
SYMBED_INLINE double mul_second(double a, double, double) { return a; }
SYMBED_INLINE double div_first(double, double b, double) { return 1.0 / b; }
SYMBED_INLINE double div_second(double, double b, double y) { return -(y / b); }

// b a^(b-1) is b y / a; at a = 0 the power has no such quotient.
SYMBED_INLINE double pow_first(double a, double b, double y) {
    return select(a == 0.0, select(b == 1.0, 1.0, 0.0), b * (y / a));
}
SYMBED_INLINE double pow_second(double a, double, double y) {
    return select(a > 0.0, y * ln_of(a), 0.0);
}
SYMBED_INLINE double min_first(double a, double b, double) {
    return select(a < b, 1.0, select(a > b, 0.0, 0.5));
}
SYMBED_INLINE double min_second(double a, double b, double) { return min_first(b, a, 0.0); }
SYMBED_INLINE double max_first(double a, double b, double) { return min_first(b, a, 0.0); }
SYMBED_INLINE double max_second(double a, double b, double) { return min_first(a, b, 0.0); }

SYMBED_INLINE double pdiv_first(double, double b, double) {
    return select(magnitude(b) <= NEAR_ZERO, 0.0, 1.0 / b);
}
SYMBED_INLINE double pdiv_second(double, double b, double y) {
    return select(magnitude(b) <= NEAR_ZERO, 0.0, -(y / b));
}
SYMBED_INLINE double plog_at(double a, double) {
    return select(magnitude(a) <= NEAR_ZERO, 0.0, 1.0 / a);
}
SYMBED_INLINE double pinv_at(double, double y) { return -(y * y); }
SYMBED_INLINE double cond_first(double, double, double) { return 0.0; }
SYMBED_INLINE double cond_second(double a, double, double) { return select(a > 0.0, 1.0, 0.0); }
SYMBED_INLINE double floor_at(double, double) { return 0.0; }

}  // namespace slopes

using Pull = void (*)(const double* a, const double* y, const double* bar, double* out, long n);
using PullOfTwo = void (*)(const View& a, const View& b, const double* y, const double* bar,
                           double* out, long n);

#define SYMBED_PULL(name)                                                                      \
    static void pull_##name([[maybe_unused]] const double* a, [[maybe_unused]] const double* y, \
                            const double* bar, double* out, long n) {                          \
        SYMBED_ELEMENTWISE                                                                     \
        for (long i = 0; i < n; ++i) out[i] = bar[i] * slopes::name##_at(a[i], y[i]);          \
    }

// The slope is another function of the table, with a sign.
#define SYMBED_PULL_BY(name, other, sign)                                                  \
    static void pull_##name(const double* a, const double*, const double* bar, double* out, \
                            long n) {                                                      \
        double slope[STRETCH];                                                             \
        map_##other(a, slope, n);                                                          \
        SYMBED_ELEMENTWISE                                                                 \
        for (long i = 0; i < n; ++i) out[i] = bar[i] * (sign slope[i]);                    \
    }

#define SYMBED_PULL_LOOP(name, a_at, b_at) \
    SYMBED_ELEMENTWISE                     \
    for (long i = 0; i < n; ++i) out[i] = bar[i] * slopes::name(a_at, b_at, y[i]);

#define SYMBED_PULL_SIDE(name)                                                                 \
    static void pull_##name(const View& a, const View& b, [[maybe_unused]] const double* y,    \
                            const double* bar, double* out, long n) {                          \
        [[maybe_unused]] const double *x = a.data, *z = b.data, x0 = *x, z0 = *z;              \
        if (a.is_array && b.is_array) {                                                        \
            SYMBED_PULL_LOOP(name, x[i], z[i])                                                 \
        } else if (a.is_array) {                                                               \
            SYMBED_PULL_LOOP(name, x[i], z0)                                                   \
        } else {                                                                               \
            SYMBED_PULL_LOOP(name, x0, z[i])                                                   \
        }                                                                                      \
    }

#define SYMBED_PULL_TWO(name) SYMBED_PULL_SIDE(name##_first) SYMBED_PULL_SIDE(name##_second)

SYMBED_PULL_BY(sin, cos, +)
SYMBED_PULL_BY(cos, sin, -)
SYMBED_PULL_BY(sinh, cosh, +)
SYMBED_PULL_BY(cosh, sinh, +)
SYMBED_PULL(neg)
SYMBED_PULL(square)
SYMBED_PULL(cube)
SYMBED_PULL(pow4)
SYMBED_PULL(pow5)
SYMBED_PULL(inv)
SYMBED_PULL(tan)
SYMBED_PULL(asin)
SYMBED_PULL(acos)
SYMBED_PULL(atan)
SYMBED_PULL(tanh)
SYMBED_PULL(sqrt)
SYMBED_PULL(cbrt)
SYMBED_PULL(exp)
SYMBED_PULL(ln)
SYMBED_PULL(log10)
SYMBED_PULL(log2)
SYMBED_PULL(abs)
SYMBED_PULL(sign)
SYMBED_PULL_TWO(add)
SYMBED_PULL_TWO(sub)
SYMBED_PULL_TWO(mul)
SYMBED_PULL_TWO(div)
SYMBED_PULL_TWO(pow)
SYMBED_PULL_TWO(min)
SYMBED_PULL_TWO(max)
SYMBED_PULL_TWO(pdiv)
SYMBED_PULL_TWO(cond)
SYMBED_PULL(plog)
SYMBED_PULL(pinv)
SYMBED_PULL(floor)

static void pull_sech(const double* a, const double* y, const double* bar, double* out, long n) {
    double slope[STRETCH];
    map_tanh(a, slope, n);
    SYMBED_ELEMENTWISE
    for (long i = 0; i < n; ++i) out[i] = bar[i] * -(y[i] * slope[i]);
}

struct Derivative {
    Pull unary;
    PullOfTwo sides[2];
};

#define DERIVATIVE_0(function) {nullptr, {nullptr, nullptr}}
#define DERIVATIVE_1(function) {pull_##function, {nullptr, nullptr}}
#define DERIVATIVE_2(function) {nullptr, {pull_##function##_first, pull_##function##_second}}
#define OPERATOR(name, arity, function) DERIVATIVE_##arity(function),
static const Derivative DERIVATIVES[] = {
#include "eval/operators.def"
};
#undef OPERATOR
#undef DERIVATIVE_0
#undef DERIVATIVE_1
#undef DERIVATIVE_2

}  // namespace SYMBED_NS
