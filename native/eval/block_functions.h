// The table of functions: the loops that apply each operator to blocks, by its code.
#pragma once
#include "elementary/elementary.h"
#include "elementary/simd.h"

namespace SYMBED_NS {

// One operand of a block of rows x columns: an array, or one number for each row.
struct View {
    const double* data;
    int64_t step;  // from one row to the next
    bool is_array;
};

SYMBED_INLINE bool is_one_run(const View& view, int64_t columns) {
    return view.step == (view.is_array ? columns : 0);
}

// Applies a map of elementary.h to one array after the other.
template <void (*MAP)(const double*, double*, long)>
static void apply_one(const View& a, double* out, int64_t rows, int64_t columns) {
    if (is_one_run(a, columns)) columns *= rows, rows = 1;
    for (int64_t row = 0; row < rows; row++) MAP(a.data + row * a.step, out + row * columns, columns);
}

// The same for two operands, at least one of them an array.
template <void (*ARRAYS)(const double*, const double*, double*, long),
          void (*ARRAY_SCALAR)(const double*, double, double*, long),
          void (*SCALAR_ARRAY)(double, const double*, double*, long)>
static void apply_two(const View& a, const View& b, double* out, int64_t rows, int64_t columns) {
    if (is_one_run(a, columns) && is_one_run(b, columns)) columns *= rows, rows = 1;
    for (int64_t row = 0; row < rows; row++, out += columns) {
        const double *x = a.data + row * a.step, *y = b.data + row * b.step;
        if (a.is_array && b.is_array)
            ARRAYS(x, y, out, columns);
        else if (a.is_array)
            ARRAY_SCALAR(x, *y, out, columns);
        else
            SCALAR_ARRAY(*x, y, out, columns);
    }
}

struct Add {
    template <typename T> static SYMBED_INLINE T of(T x, T y) { return x + y; }
};
struct Subtract {
    template <typename T> static SYMBED_INLINE T of(T x, T y) { return x - y; }
};
struct Multiply {
    template <typename T> static SYMBED_INLINE T of(T x, T y) { return x * y; }
};
struct Divide {
    template <typename T> static SYMBED_INLINE T of(T x, T y) { return x / y; }
};

// One row. COUNT vectors at a time keep the loop's own work small beside them.
template <typename Operation, bool A_IS_ARRAY, bool B_IS_ARRAY, int COUNT>
SYMBED_INLINE int64_t calculate_vectors(const double* x, const double* y, double* out, int64_t i,
                                        int64_t columns) {
    const Vector x_fixed = broadcast(*x), y_fixed = broadcast(*y);
    for (; i + COUNT * WIDTH <= columns; i += COUNT * WIDTH) {
        Vector results[COUNT];
        for (int k = 0; k < COUNT; k++)
            results[k] = Operation::of(A_IS_ARRAY ? load(x + i + k * WIDTH) : x_fixed,
                                       B_IS_ARRAY ? load(y + i + k * WIDTH) : y_fixed);
        for (int k = 0; k < COUNT; k++) store(out + i + k * WIDTH, results[k]);
    }
    return i;
}

template <typename Operation, bool A_IS_ARRAY, bool B_IS_ARRAY>
__attribute__((noinline)) static void calculate_rest(const double* x, const double* y, double* out,
                                                     int64_t i, int64_t columns) {
    for (; i < columns; i++) out[i] = Operation::of(x[A_IS_ARRAY ? i : 0], y[B_IS_ARRAY ? i : 0]);
}

template <typename Operation, bool A_IS_ARRAY, bool B_IS_ARRAY>
static void calculate_rows(const View& a, const View& b, double* out, int64_t rows, int64_t columns) {
    const double *x = a.data, *y = b.data;
    for (int64_t row = 0; row < rows; row++) {
        int64_t i = calculate_vectors<Operation, A_IS_ARRAY, B_IS_ARRAY, 4>(x, y, out, 0, columns);
        i = calculate_vectors<Operation, A_IS_ARRAY, B_IS_ARRAY, 1>(x, y, out, i, columns);
        if (i < columns) calculate_rest<Operation, A_IS_ARRAY, B_IS_ARRAY>(x, y, out, i, columns);
        x += a.step;
        y += b.step;
        out += columns;
    }
}

// The four rules of arithmetic make up most of a program, and a row can be short: their loops over
// the rows are worth having in one piece.
template <typename Operation>
static void calculate(const View& a, const View& b, double* out, int64_t rows, int64_t columns) {
    if (is_one_run(a, columns) && is_one_run(b, columns)) columns *= rows, rows = 1;
    if (a.is_array && b.is_array)
        calculate_rows<Operation, true, true>(a, b, out, rows, columns);
    else if (a.is_array)
        calculate_rows<Operation, true, false>(a, b, out, rows, columns);
    else
        calculate_rows<Operation, false, true>(a, b, out, rows, columns);
}

struct Function {
    int arity;
    void (*one)(const View&, double*, int64_t, int64_t);
    void (*two)(const View&, const View&, double*, int64_t, int64_t);
};

using arithmetic_add = Add;
using arithmetic_sub = Subtract;
using arithmetic_mul = Multiply;
using arithmetic_div = Divide;

#define TWO_ARITHMETIC(function) calculate<arithmetic_##function>
#define TWO_PLAIN(function) apply_two<map_##function, map_##function, map_##function>
#define TWO_OWN(function) TWO_PLAIN(function)
#define ROW_0(function, loop) {0, nullptr, nullptr}
#define ROW_1(function, loop) {1, apply_one<map_##function>, nullptr}
#define ROW_2(function, loop) {2, nullptr, TWO_##loop(function)}
#define OPERATOR(name, arity, function, loop) ROW_##arity(function, loop),
static const Function FUNCTIONS[] = {
#include "eval/operators.def"
};
#undef OPERATOR
#undef ROW_0
#undef ROW_1
#undef ROW_2
#undef TWO_ARITHMETIC
#undef TWO_PLAIN
#undef TWO_OWN
constexpr int N_FUNCTIONS = sizeof FUNCTIONS / sizeof *FUNCTIONS;

}  // namespace SYMBED_NS
