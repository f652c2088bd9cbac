// Chains: apply several operations with values of the points to a strip in one pass.
//
// Most of a program adds or multiplies something that depends on points alone to something that
// depends on draws too. As long as it does so, a few rows stay in registers.
#pragma once
#include "eval/strip.h"

namespace SYMBED_NS {

// Operations on a value x of the strip and a value p of the point.
enum LinkCode : uint8_t { PLUS, MINUS, SUBTRACTED_FROM, TIMES };  // x + p, x - p, p - x, x p

struct Link {
    int32_t value;  // the number of p
    LinkCode code;
};

template <class Operation, int N>
SYMBED_INLINE void link_rows(Vector (&rows)[N][STRIP / WIDTH], const double* data) {
    for (int k = 0; k < STRIP / WIDTH; k++) {
        const Vector p = load(data + k * WIDTH);
        for (int row = 0; row < N; row++) rows[row][k] = Operation::of(rows[row][k], p);
    }
}

struct SubtractFrom {
    static SYMBED_INLINE Vector of(Vector x, Vector p) { return p - x; }
};

template <int N>
SYMBED_INLINE void run_links(const double* from, const Value* values, const Link* link,
                             const Link* end, int64_t strip, double* to) {
    Vector rows[N][STRIP / WIDTH];
    for (int row = 0; row < N; row++)
        for (int k = 0; k < STRIP / WIDTH; k++) rows[row][k] = load(from + row * STRIP + k * WIDTH);
    for (; link < end; link++) {
        const double* data = values[link->value].data + strip * values[link->value].per_strip;
        if (link->code == TIMES)
            link_rows<Multiply>(rows, data);
        else if (link->code == PLUS)
            link_rows<Add>(rows, data);
        else if (link->code == MINUS)
            link_rows<Subtract>(rows, data);
        else
            link_rows<SubtractFrom>(rows, data);
    }
    for (int row = 0; row < N; row++)
        for (int k = 0; k < STRIP / WIDTH; k++) store(to + row * STRIP + k * WIDTH, rows[row][k]);
}

// As many rows at once as fit into the registers.
static void run_chain(const double* from, const Value* values, const Link* first, const Link* end,
                      int64_t strip, double* to, int64_t n_rows) {
    constexpr int AT_ONCE = WIDTH == 8 ? 8 : WIDTH == 4 ? 2 : 1;
    int64_t row = 0;
    for (; row + AT_ONCE <= n_rows; row += AT_ONCE)
        run_links<AT_ONCE>(from + row * STRIP, values, first, end, strip, to + row * STRIP);
    for (; row < n_rows; row++)
        run_links<1>(from + row * STRIP, values, first, end, strip, to + row * STRIP);
}

}  // namespace SYMBED_NS
