// Strips: blocks of draws x a few points, the shape in which most of a program is run.
//
// A strip is so narrow that what belongs to the points stays in registers while the draws pass by,
// and so long that the loops take no notice of the interpreter. Its values lie one after the other,
// STRIP for each draw.
#pragma once
#include "eval/program.h"

namespace SYMBED_NS {

constexpr int64_t STRIP = 16;  // points
constexpr int64_t ROWS = 64;   // draws at once; more are done in several blocks

// Applies an operator to so many draws of a strip. Operands hold a number for each point (POINTS),
// for each draw (DRAWS) or for both (FULL).
typedef void (*Work)(const double* a, const double* b, double* out, int64_t rows);

// The part of an operand that belongs to one draw: it is loaded once if it is the same for all.
template <Kind KIND>
struct Reading {
    Vector held[STRIP / WIDTH];

    SYMBED_INLINE explicit Reading(const double* data) {
        if (KIND == POINTS)
            for (int k = 0; k < STRIP / WIDTH; k++) held[k] = load(data + k * WIDTH);
    }
    SYMBED_INLINE Vector at(const double* data, int64_t row, int k) const {
        if (KIND == POINTS) return held[k];
        if (KIND == DRAWS) return broadcast(data[row]);
        return load(data + row * STRIP + k * WIDTH);
    }
};

template <typename Operation, Kind A, Kind B>
static void work_two(const double* a, const double* b, double* out, int64_t rows) {
    const Reading<A> x(a);
    const Reading<B> y(b);
    for (int64_t row = 0; row < rows; row++)
        for (int k = 0; k < STRIP / WIDTH; k++)
            store(out + row * STRIP + k * WIDTH, Operation::of(x.at(a, row, k), y.at(b, row, k)));
}

}  // namespace SYMBED_NS
