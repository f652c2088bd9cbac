// The elementary functions of arrays, with the same bits on every instruction set.
//
// map_<name>(x, out, n) for one operand and map_<name>(x, y, out, n) for two, where x or y may be
// one number instead of an array; out may be an operand. The names are those of operators.def.
// Compile the including file once for each instruction set, with its own SYMBED_NS; results are the
// same bits on all of them and in engine/reference/elementary/functions.py.
#pragma once
#include "elementary/blocked_loops.h"
#include "elementary/hyperbolic.h"
#include "elementary/special.h"

namespace SYMBED_NS {
namespace elementary {

SYMBED_INLINE double sqrt_of(double x) { return __builtin_sqrt(x); }
SYMBED_INLINE double abs_of(double x) { return magnitude(x); }
SYMBED_INLINE double neg_of(double x) { return -x; }
SYMBED_INLINE double square_of(double x) { return x * x; }
SYMBED_INLINE double cube_of(double x) { return x * x * x; }
SYMBED_INLINE double pow4_of(double x) { return (x * x) * (x * x); }
SYMBED_INLINE double pow5_of(double x) { return ((x * x) * (x * x)) * x; }
SYMBED_INLINE double inv_of(double x) { return 1.0 / x; }

SYMBED_INLINE double sign_of(double x) {
    double zero_or_undefined = select(x == 0.0, 0.0, x);
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, zero_or_undefined));
}

SYMBED_INLINE double add_of(double x, double y) { return x + y; }
SYMBED_INLINE double sub_of(double x, double y) { return x - y; }
SYMBED_INLINE double mul_of(double x, double y) { return x * y; }
SYMBED_INLINE double div_of(double x, double y) { return x / y; }

// The operands may change places: of 0 and -0, min takes -0 and max takes 0.
SYMBED_INLINE double min_of(double x, double y) {
    double same = select(x == y, real(bits(x) | bits(y)), NOT_A_NUMBER);
    return select(x < y, x, select(y < x, y, same));
}

SYMBED_INLINE double max_of(double x, double y) {
    double same = select(x == y, real(bits(x) & bits(y)), NOT_A_NUMBER);
    return select(x > y, x, select(y > x, y, same));
}

// gplearn's protected functions: a fixed value near zero. What is undefined, that is infinite or
// no number, stays so, also where the other operand is near zero.
constexpr double NEAR_ZERO = 0.001;

SYMBED_INLINE double pdiv_of(double x, double y) {
    double value = select(magnitude(y) <= NEAR_ZERO, 1.0, x / y);
    return select((magnitude(x) < INF) & (magnitude(y) < INF), value, NOT_A_NUMBER);
}

SYMBED_INLINE double plog_of(double x) {
    double size = magnitude(x);
    return select(size <= NEAR_ZERO, 0.0, ln_of(size));
}

SYMBED_INLINE double pinv_of(double x) {
    double value = select(magnitude(x) <= NEAR_ZERO, 0.0, 1.0 / x);
    return select(magnitude(x) < INF, value, NOT_A_NUMBER);
}

// PySR's switch: y where x is positive, else 0.
SYMBED_INLINE double cond_of(double x, double y) {
    return select(x <= 0.0, 0.0, select(x > 0.0, y, NOT_A_NUMBER));
}

SYMBED_INLINE double unless_of(double x, double y) {
    return select(x > 0.0, 0.0, select(x <= 0.0, y, NOT_A_NUMBER));
}

// What was rounded up goes down by one.
SYMBED_INLINE double floor_of(double x) {
    double nearest = nearest_whole(x);
    return select(nearest > x, nearest - 1.0, nearest);
}

// The remainder of |a| by |b|, which is a double: long division, eleven bits at a time.
inline double remainder_of_sizes(double a, double b) {
    if (!(a < INF) || !(b > 0.0)) return NOT_A_NUMBER;
    if (a < b) return a;
    uint64_t a_exponent = bits(a) >> 52, b_exponent = bits(b) >> 52;
    uint64_t a_digits = a_exponent ? (bits(a) & FRACTION) | (FRACTION + 1) : bits(a);
    uint64_t b_digits = b_exponent ? (bits(b) & FRACTION) | (FRACTION + 1) : bits(b);
    a_exponent += !a_exponent;
    b_exponent += !b_exponent;
    uint64_t left = a_digits % b_digits;
    for (uint64_t shift = a_exponent - b_exponent; shift && left;) {
        uint64_t by = shift < 11 ? shift : 11;
        left = (left << by) % b_digits;
        shift -= by;
    }
    return double(left) * 0x1p-52 * power_of_two(b_exponent - 1023);
}

// The remainder with the sign of a.
inline double signed_remainder(double a, double b) {
    return signed_as(remainder_of_sizes(magnitude(a), magnitude(b)), a);
}

// With the sign of b, as Python, NumPy and Julia have it.
inline double mod_of(double a, double b) {
    double rest = signed_remainder(a, b);
    bool other_side = (rest < 0.0) != (b < 0.0);
    double turned = select(other_side, rest + b, rest);
    return select(rest == 0.0, signed_as(0.0, b), turned);
}

// floor(a/b) of the quotient before it is rounded.
inline double floordiv_of(double a, double b) {
    double rest = signed_remainder(a, b);
    double whole = (a - rest) / b;
    bool other_side = (rest < 0.0) != (b < 0.0);
    whole = select((rest != 0.0) & other_side, whole - 1.0, whole);
    return nearest_whole(whole);
}

SYMBED_INLINE double ceil_of(double x) { return -floor_of(-x); }
SYMBED_INLINE double round_of(double x) { return nearest_whole(x); }
SYMBED_INLINE double relu_of(double x) { return max_of(x, 0.0); }

SYMBED_INLINE double heaviside_of(double x) {
    return select(x > 0.0, 1.0, select(x < 0.0, 0.0, select(x == 0.0, 0.5, x)));
}

// Comparisons are 1 or 0; with an undefined operand they are undefined.
SYMBED_INLINE double greater_of(double x, double y) {
    return select(x > y, 1.0, select(x <= y, 0.0, NOT_A_NUMBER));
}

SYMBED_INLINE double greater_equal_of(double x, double y) {
    return select(x >= y, 1.0, select(x < y, 0.0, NOT_A_NUMBER));
}

SYMBED_INLINE double less_of(double x, double y) { return greater_of(y, x); }
SYMBED_INLINE double less_equal_of(double x, double y) { return greater_equal_of(y, x); }

SYMBED_INLINE double equal_of(double x, double y) {
    return select(x == y, 1.0, select((x < y) | (x > y), 0.0, NOT_A_NUMBER));
}

SYMBED_INLINE double not_equal_of(double x, double y) { return 1.0 - equal_of(x, y); }

}  // namespace elementary

#define SYMBED_MAP_ONE(name)                                                          \
    [[maybe_unused]] static void map_##name(const double* x, double* out, long n) {   \
        SYMBED_ELEMENTWISE                                                            \
        for (long i = 0; i < n; ++i) out[i] = elementary::name##_of(x[i]);            \
    }

// First every element's parts, then every result.
#define SYMBED_MAP_BLOCKS(name, Parts, take_parts, result)                                \
    [[maybe_unused]] static void map_##name(const double* x, double* out, long n) {       \
        using namespace elementary;                                                       \
        Parts parts;                                                                      \
        for (long start = 0; start < n; start += BLOCK) {                                 \
            const double* from = x + start;                                               \
            double* to = out + start;                                                     \
            long length = block_length(n - start);                                        \
            take_parts;                                                                   \
            SYMBED_ELEMENTWISE                                                            \
            for (long i = 0; i < length; ++i) to[i] = result;                             \
        }                                                                                 \
    }

#define SYMBED_TAKE(part) \
    SYMBED_ELEMENTWISE    \
    for (long i = 0; i < length; ++i) parts.set(i, part)

#define SYMBED_MAP_EXP(name)                                                                \
    SYMBED_MAP_BLOCKS(name, Triples<Exponent>, SYMBED_TAKE(name##_exponent(from[i])),       \
                      name##_from(from[i], exponential(parts[i])))

#define SYMBED_MAP_ANGLE(name)                                                            \
    SYMBED_MAP_BLOCKS(name, Triples<Reduced>, reduce_angles(from, parts, length),         \
                      name##_from(parts[i]))

#define SYMBED_MAP_TWO_AS(name, X, x_at, Y, y_at)                                                \
    [[maybe_unused]] static void map_##name(X x, Y y, double* out, long n) {                     \
        SYMBED_ELEMENTWISE                                                                       \
        for (long i = 0; i < n; ++i) out[i] = elementary::name##_of(x_at, y_at);                 \
    }

#define SYMBED_MAP_TWO(name)                                              \
    SYMBED_MAP_TWO_AS(name, const double*, x[i], const double*, y[i])     \
    SYMBED_MAP_TWO_AS(name, const double*, x[i], double, y)               \
    SYMBED_MAP_TWO_AS(name, double, x, const double*, y[i])

[[maybe_unused]] static void map_exp(const double* x, double* out, long n) {
    using namespace elementary;
    for (long start = 0; start < n; start += BLOCK)
        exp_block(x + start, out + start, block_length(n - start));
}

// Blocks without huge or undefined numbers need no second logarithm.
[[maybe_unused]] static void map_asinh(const double* x, double* out, long n) {
    using namespace elementary;
    for (long start = 0; start < n; start += BLOCK, x += BLOCK, out += BLOCK) {
        const long length = block_length(n - start);
        if (all_within(x, 0.5 * FAR, length)) {
            Pairs<Pair> growths;
            SYMBED_ELEMENTWISE
            for (long i = 0; i < length; ++i) growths.set(i, asinh_growth(magnitude(x[i])));
            SYMBED_ELEMENTWISE
            for (long i = 0; i < length; ++i) {
                const double a = magnitude(x[i]);
                out[i] = signed_as(select(a < SMALL, a, ln_of_one_and(growths[i]).high), x[i]);
            }
        } else {
            SYMBED_ELEMENTWISE
            for (long i = 0; i < length; ++i) out[i] = asinh_of(x[i]);
        }
    }
}

// Each row of the operators' table says how its array is gone through: element by element (PLAIN,
// ARITHMETIC), in two passes that share a first one (ANGLE, EXPONENTIAL), or by a map written out
// here (OWN).
#define MAP_0_PLAIN(name)
#define MAP_1_PLAIN(name) SYMBED_MAP_ONE(name)
#define MAP_1_ANGLE(name) SYMBED_MAP_ANGLE(name)
#define MAP_1_EXPONENTIAL(name) SYMBED_MAP_EXP(name)
#define MAP_1_OWN(name)
#define MAP_2_PLAIN(name) SYMBED_MAP_TWO(name)
#define MAP_2_ARITHMETIC(name) SYMBED_MAP_TWO(name)
#define MAP_2_OWN(name)
#define OPERATOR(name, arity, function, loop) MAP_##arity##_##loop(function)
#include "eval/operators.def"
#undef OPERATOR
#undef MAP_0_PLAIN
#undef MAP_1_PLAIN
#undef MAP_1_ANGLE
#undef MAP_1_EXPONENTIAL
#undef MAP_1_OWN
#undef MAP_2_PLAIN
#undef MAP_2_ARITHMETIC
#undef MAP_2_OWN

[[maybe_unused]] static void map_pow(const double* x, const double* y, double* out, long n) {
    elementary::pow_blocks(x, y, out, n);
}

[[maybe_unused]] static void map_pow(const double* x, double y, double* out, long n) {
    elementary::pow_blocks(x, elementary::Repeated{y}, out, n);
}

[[maybe_unused]] static void map_pow(double x, const double* y, double* out, long n) {
    elementary::pow_blocks(elementary::Repeated{x}, y, out, n);
}

}  // namespace SYMBED_NS
