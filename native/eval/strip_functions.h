// The table of strip functions: the loop for each operator, by its code and its operands' kinds.
#pragma once
#include "eval/fused_operations.h"
#include "eval/division.h"

namespace SYMBED_NS {

struct First {
    static SYMBED_INLINE Vector of(Vector x, Vector) { return x; }
};

// Spreads an operand over the strip.
template <Kind KIND>
static void spread(const double* a, const double*, double* out, int64_t rows) {
    work_two<First, KIND, KIND>(a, a, out, rows);
}

template <void (*MAP)(const double*, double*, long)>
static void map_one(const double* a, const double*, double* out, int64_t rows) {
    MAP(a, out, rows * STRIP);
}

// Other functions of two operands take long beside spreading what is not FULL.
template <void (*MAP)(const double*, const double*, double*, long), Kind A, Kind B>
static void map_two(const double* a, const double* b, double* out, int64_t rows) {
    alignas(64) double other[ROWS * STRIP];
    if (A != FULL) spread<A>(a, a, other, rows);
    if (B != FULL) spread<B>(b, b, A == FULL ? other : out, rows);
    MAP(A == FULL ? a : other, B == FULL ? b : A == FULL ? other : out, out, rows * STRIP);
}

// How an operator works on a strip: of one operand, or of two by their kinds, or in a chain.
struct StripFunction {
    Work one;
    bool is_link;
    LinkCode link;
    Work two[4][4];
};

#define BY_KINDS(work, of, is_link, link)                                        \
    {nullptr, is_link, link,                                                     \
     {{},                                                                        \
      {nullptr, nullptr, work<of, POINTS, DRAWS>, work<of, POINTS, FULL>},       \
      {nullptr, work<of, DRAWS, POINTS>, nullptr, work<of, DRAWS, FULL>},        \
      {nullptr, work<of, FULL, POINTS>, work<of, FULL, DRAWS>, work<of, FULL, FULL>}}}
constexpr StripFunction strip_add = BY_KINDS(work_two, Add, true, PLUS);
constexpr StripFunction strip_sub = BY_KINDS(work_two, Subtract, true, MINUS);
constexpr StripFunction strip_mul = BY_KINDS(work_two, Multiply, true, TIMES);
constexpr StripFunction strip_div = BY_KINDS(divide, Divide, false, PLUS);
#define TWO_ARITHMETIC(function) strip_##function
#define TWO_PLAIN(function) BY_KINDS(map_two, map_##function, false, PLUS)
#define TWO_OWN(function) TWO_PLAIN(function)
#define ROW_0(function, loop) {nullptr, false, PLUS, {}}
#define ROW_1(function, loop) {map_one<map_##function>, false, PLUS, {}}
#define ROW_2(function, loop) TWO_##loop(function)
#define OPERATOR(name, arity, function, loop) ROW_##arity(function, loop),
static const StripFunction STRIP_FUNCTIONS[] = {
#include "eval/operators.def"
};
#undef OPERATOR
#undef ROW_0
#undef ROW_1
#undef ROW_2
#undef TWO_ARITHMETIC
#undef TWO_PLAIN
#undef TWO_OWN
#undef BY_KINDS

static const Work SPREAD[4] = {nullptr, spread<POINTS>, spread<DRAWS>, spread<FULL>};

}  // namespace SYMBED_NS
