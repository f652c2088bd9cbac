// The longer functions in short blocks, with the steps between kept in small buffers, for speed.
//
// A processor keeps many short chains of operations in flight but few long ones, so two short loops
// over 128 elements beat one long loop (on AVX2: pow 1.6 times, sin 1.3 times, exp 1.15 times).
#pragma once
#include "elementary/hyperbolic.h"
#include "elementary/trigonometric.h"

// The loops touch element i only, so an output that is also an operand stops no vector.
#if defined(__clang__)
#define SYMBED_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SYMBED_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace SYMBED_NS {
namespace elementary {

constexpr long BLOCK = 128;

SYMBED_INLINE long block_length(long left) { return left < BLOCK ? left : BLOCK; }

// A block of structures of two doubles.
template <class Value>
struct Pairs {
    double first[BLOCK], second[BLOCK];

    SYMBED_INLINE void set(long i, const Value& value) {
        auto [a, b] = value;
        first[i] = a;
        second[i] = b;
    }

    SYMBED_INLINE Value operator[](long i) const { return {first[i], second[i]}; }
};

// A block of structures of two doubles and a word.
template <class Value>
struct Triples {
    double first[BLOCK], second[BLOCK];
    uint64_t third[BLOCK];

    SYMBED_INLINE void set(long i, const Value& value) {
        auto [a, b, c] = value;
        first[i] = a;
        second[i] = b;
        third[i] = c;
    }

    SYMBED_INLINE Value operator[](long i) const { return {first[i], second[i], third[i]}; }
};

static inline bool all_within(const double* x, double limit, long n) {
    uint64_t beyond = 0;
    for (long i = 0; i < n; ++i) beyond |= magnitude(x[i]) <= limit ? uint64_t(0) : uint64_t(1);
    return !beyond;
}

// exp of ordinary numbers needs a quarter fewer operations.
static inline void exp_block(const double* x, double* out, long n) {
    Triples<Exponent> parts;
    if (all_within(x, MODERATE, n)) {
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i) parts.set(i, moderate_exponent(x[i], 0.0, 0));
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i) out[i] = moderate_exponential(parts[i]);
    } else {
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i) parts.set(i, exp_exponent(x[i]));
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i) out[i] = exponential(parts[i]);
    }
}

// The few angles beyond LARGE are mended after the vectors have passed.
static inline void reduce_angles(const double* x, Triples<Reduced>& angles, long n) {
    uint64_t large = 0;
    SYMBED_ELEMENTWISE
    for (long i = 0; i < n; ++i) {
        angles.set(i, reduced(x[i]));
        large |= magnitude(x[i]) > LARGE ? uint64_t(1) : uint64_t(0);
    }
    if (!large) return;
    for (long i = 0; i < n; ++i)
        if (magnitude(x[i]) > LARGE && magnitude(x[i]) < INF) angles.set(i, reduced_large(x[i]));
}

// One number in the place of an array.
struct Repeated {
    double value;
    SYMBED_INLINE double operator[](long) const { return value; }
    SYMBED_INLINE Repeated operator+(long) const { return *this; }
};

static inline void take_logs(const double* x, Pairs<Pair>& logs, long n) {
    SYMBED_ELEMENTWISE
    for (long i = 0; i < n; ++i) logs.set(i, ln_pair(magnitude(x[i])));
}

static inline void take_logs(Repeated x, Pairs<Pair>& logs, long n) {
    Pair log = ln_pair(magnitude(x.value));
    for (long i = 0; i < n; ++i) logs.set(i, log);
}

template <class X, class Y>
static inline bool all_ordinary(X x, Y y, long n) {
    uint64_t others = 0;
    for (long i = 0; i < n; ++i) others |= is_ordinary(x[i], y[i]) ? uint64_t(0) : uint64_t(1);
    return !others;
}

template <class X, class Y>
static inline void pow_block(X x, Y y, double* out, long n) {
    Pairs<Pair> logs;
    Triples<Exponent> exponents;
    take_logs(x, logs, n);
    SYMBED_ELEMENTWISE
    for (long i = 0; i < n; ++i) exponents.set(i, pow_exponent(logs[i], y[i]));
    if (all_ordinary(x, y, n)) {
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i) out[i] = exponential(exponents[i]);
    } else {
        SYMBED_ELEMENTWISE
        for (long i = 0; i < n; ++i)
            out[i] = with_special_cases(x[i], y[i], exponential(exponents[i]));
    }
}

template <class X, class Y>
static inline void pow_blocks(X x, Y y, double* out, long n) {
    for (long start = 0; start < n; start += BLOCK)
        pow_block(x + start, y + start, out + start, block_length(n - start));
}

}  // namespace elementary
}  // namespace SYMBED_NS
