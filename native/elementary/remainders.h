// Whole numbers: floor, rounding, and remainders without an error; .../remainders.py is the twin.
#pragma once
#include "elementary/bit_operations.h"

namespace SYMBED_NS {
namespace elementary {

// Adding 2^52 rounds to an integer, halves to the even one.
SYMBED_INLINE double nearest_whole(double x) {
    double size = magnitude(x);
    return select(size < TWO_52, signed_as((size + TWO_52) - TWO_52, x), x);
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

}  // namespace elementary
}  // namespace SYMBED_NS
