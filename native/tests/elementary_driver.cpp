// A library for tests: run a map of elementary.h by the code of its operator.
#include "elementary/elementary.h"

namespace {

using namespace SYMBED_NS;

struct Row {
    void (*one)(const double*, double*, long);
    void (*two)(const double*, const double*, double*, long);
    void (*array_and_number)(const double*, double, double*, long);
    void (*number_and_array)(double, const double*, double*, long);
};

#define ROW_0(suffix) {nullptr, nullptr, nullptr, nullptr},
#define ROW_1(suffix) {map_##suffix, nullptr, nullptr, nullptr},
#define ROW_2(suffix) {nullptr, map_##suffix, map_##suffix, map_##suffix},
#define OPERATOR(name, arity, suffix, loop) ROW_##arity(suffix)

const Row ROWS[] = {
#include "eval/operators.def"
};

}  // namespace

extern "C" void map_one(int code, const double* x, double* out, long n) {
    ROWS[code].one(x, out, n);
}

extern "C" void map_two(int code, const double* x, const double* y, double* out, long n) {
    ROWS[code].two(x, y, out, n);
}

extern "C" void map_right_number(int code, const double* x, double y, double* out, long n) {
    ROWS[code].array_and_number(x, y, out, n);
}

extern "C" void map_left_number(int code, double x, const double* y, double* out, long n) {
    ROWS[code].number_and_array(x, y, out, n);
}
