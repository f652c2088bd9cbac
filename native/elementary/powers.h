// pow(x, y) = exp(y ln|x|) in doubled precision; engine/reference/elementary/powers.py is the twin.
#pragma once
#include "elementary/pairs.h"

namespace SYMBED_NS {
namespace elementary {

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
