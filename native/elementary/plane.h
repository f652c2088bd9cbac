// Length and angle of a point of the plane; .../elementary/plane.py is the twin.
#pragma once
#include "elementary/trigonometric.h"

namespace SYMBED_NS {
namespace elementary {

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
