// The derivatives of the operators, as loops that pull an adjoint through them.
//
// pull_<name>_<operand>(a, y, bar, out, n) sets out = bar * df/da for an operand a, its result
// y = f(a) and the adjoint bar of the result; out may be bar. The slopes are those of the operators'
// table (slopes.def), which engine/reference/tape.py evaluates in NumPy. At a kink the
// slope is the mean of both sides; an infinite slope of a power at zero counts as zero.
#pragma once
#include "eval/block_functions.h"

namespace SYMBED_NS {

constexpr int64_t STRETCH = 256;  // points that adjoints are pulled for at once

using Pull = void (*)(const double* a, const double* y, const double* bar, double* out, long n);
using PullOfTwo = void (*)(const View& a, const View& b, const double* y, const double* bar,
                           double* out, long n);

// An operand is an array, or one number for all elements.
#define SYMBED_OPERANDS                                                            \
    [[maybe_unused]] const double a = A_IS_ARRAY ? as[i] : a0, b = B_IS_ARRAY ? bs[i] : b0, \
                                  y = ys[i];

// A function of the whole array that the slope needs, such as the cosine in that of the sine.
#define NO_STEPS
#define STEP(place, function, argument)                                            \
    SYMBED_ELEMENTWISE                                                             \
    for (long i = 0; i < n; ++i) {                                                 \
        SYMBED_OPERANDS                                                            \
        place[i] = (argument);                                                     \
    }                                                                              \
    map_##function(place, place, n);

// The steps come last, since they hold commas once they are expanded.
#define SYMBED_PULL(slope, ...)                                                    \
    using namespace elementary;                                                    \
    [[maybe_unused]] const double a0 = *as, b0 = *bs;                              \
    [[maybe_unused]] double s0[STRETCH] = {}, s1[STRETCH] = {};                    \
    __VA_ARGS__                                                                    \
    SYMBED_ELEMENTWISE                                                             \
    for (long i = 0; i < n; ++i) {                                                 \
        SYMBED_OPERANDS                                                            \
        out[i] = bar[i] * (slope);                                                 \
    }

#define SLOPE_1(name, side, steps, slope)                                          \
    static void pull_##name##_##side(const double* as, const double* ys, const double* bar, \
                                     double* out, long n) {                        \
        constexpr bool A_IS_ARRAY = true, B_IS_ARRAY = false;                      \
        const double* bs = as;                                                     \
        SYMBED_PULL(slope, steps)                                                  \
    }

#define SLOPE_2(name, side, steps, slope)                                          \
    template <bool A_IS_ARRAY, bool B_IS_ARRAY>                                    \
    static void pull_##name##_##side##_as(const double* as, const double* bs, const double* ys, \
                                          const double* bar, double* out, long n) { \
        SYMBED_PULL(slope, steps)                                                  \
    }                                                                              \
    static void pull_##name##_##side(const View& a, const View& b, const double* y, \
                                     const double* bar, double* out, long n) {     \
        if (a.is_array && b.is_array)                                              \
            pull_##name##_##side##_as<true, true>(a.data, b.data, y, bar, out, n); \
        else if (a.is_array)                                                       \
            pull_##name##_##side##_as<true, false>(a.data, b.data, y, bar, out, n); \
        else                                                                       \
            pull_##name##_##side##_as<false, true>(a.data, b.data, y, bar, out, n); \
    }

#include "fit/slopes.def"

struct Derivative {
    Pull unary;
    PullOfTwo sides[2];
};

#define DERIVATIVE_0(function) {nullptr, {nullptr, nullptr}}
#define DERIVATIVE_1(function) {pull_##function##_first, {nullptr, nullptr}}
#define DERIVATIVE_2(function) {nullptr, {pull_##function##_first, pull_##function##_second}}
#define OPERATOR(name, arity, function, loop) DERIVATIVE_##arity(function),
static const Derivative DERIVATIVES[] = {
#include "eval/operators.def"
};
#undef OPERATOR
#undef DERIVATIVE_0
#undef DERIVATIVE_1
#undef DERIVATIVE_2
#undef SLOPE_1
#undef SLOPE_2
#undef SYMBED_PULL
#undef SYMBED_OPERANDS
#undef STEP
#undef NO_STEPS

}  // namespace SYMBED_NS
