// The C ABI of the core: the functions that Python calls, which fill arrays and return a status.
//
// Every function that can fail returns a status: 0 when done, otherwise one of the codes below; if one
// program is at fault, 256 times its number, counted from 1, is added. Nothing throws and nothing
// keeps state but the choice of instruction set.
#pragma once
#include "api/structures.h"

#define SYMBED_API extern "C" __attribute__((visibility("default")))

enum Status : int {
    DONE = 0,
    NO_MEMORY,
    BAD_STARTS,
    UNKNOWN_WORD,
    TRUNCATED_NUMBER,
    STACK_UNDERFLOW,
    LEFT_OVER,
    NO_SUCH_VARIABLE,
    NO_SUCH_COLUMN,
    NO_SUCH_RANGE,
    MIXED_RANGES,
    NO_SUCH_POINT,
    BAD_SHAPE,
    BAD_COUNT,
    BAD_ORDER,
    UNKNOWN_ISA,
    UNSUPPORTED_ISA,
    STATUS_COUNT
};

SYMBED_API int64_t symbed_observe(const Observation* observation);
SYMBED_API int64_t symbed_cross(const Behaviors* a, const Behaviors* b, const Measure* measure,
                                double* out);
// Observes and measures at once: out is [n_programs, targets.count], behaviors are not kept, and the
// observation's own out and defined are not used.
SYMBED_API int64_t symbed_sweep(const Observation* observation, const Behaviors* targets,
                                const Measure* measure, double* out);
// As cross, but in single precision where the distance is larger than `within` (screening.h).
SYMBED_API int64_t symbed_screen(const Behaviors* a, const Behaviors* b, const Measure* measure,
                                 double within, double* out);
// For benchmarks: adds singles so many rounds as fast as it goes; gives the number of additions.
SYMBED_API int64_t symbed_add_singles(int64_t rounds, double* total);
SYMBED_API int64_t symbed_fit(const FitTask* task);
// values [count, n_blocks (1 for a single draw), width]; keys [count, 3]: the means of |output|, of
// output and of sign * output.
SYMBED_API int64_t symbed_sketch(const Behaviors* side, const SketchPlan* plan, float* values,
                                 double* keys);
SYMBED_API int64_t symbed_scan(const Scan* scan, float* out);  // [count] lower bounds
SYMBED_API int64_t symbed_profile(const Behaviors* u, const Behaviors* v, const Measure* measure,
                                  double* out);
// The BED of listed pairs from two blocks, by the kernel that fills matrices.
SYMBED_API int64_t symbed_paired(const Behaviors* a, const Behaviors* b, const Pairs* pairs,
                                 const Measure* measure, double* out);
// The inverse hyperbolic sine of `count` numbers; out may be values.
SYMBED_API int64_t symbed_arcsinh(const double* values, int64_t count, double* out);
// What this library was built with: version of the ABI, checksum of the operators, then the size of
// each structure. At most `room` numbers are written; gives how many there are.
SYMBED_API int64_t symbed_describe(int64_t* facts, int64_t room);
SYMBED_API const char* symbed_message(int64_t status);
SYMBED_API const char* symbed_operator_name(int code);  // null past the last
SYMBED_API int symbed_operator_arity(int code);         // -1 past the last
SYMBED_API const char* symbed_isa();                    // the instruction set in use
SYMBED_API const char* symbed_supported_isa(int place);  // those this machine can run; null past the last
SYMBED_API int64_t symbed_select_isa(const char* name);

// Why two blocks of behaviors cannot be compared, if anything: sizes and counts are such that nothing
// is read outside of the arrays. Static, since each instruction set compiles its own.
[[maybe_unused]] static Status problem_of(const Behaviors& a, const Behaviors& b) {
    if (a.n_points != b.n_points || a.n_points < 1) return BAD_SHAPE;
    const Behaviors* const sides[] = {&a, &b};
    for (const Behaviors* side : sides) {
        if (side->draws < 1) return BAD_SHAPE;
        int64_t wrong = 0;
        for (int64_t t = 0; t < side->count * side->n_points; t++)
            wrong |= (side->defined[t] < 0) | (side->defined[t] > side->draws);
        if (wrong) return BAD_COUNT;
    }
    return DONE;
}

// One instruction set's kernels; kernels.cpp is compiled once for each.
struct Kernels {
    int64_t (*observe)(const Observation&);
    int64_t (*cross)(const Behaviors&, const Behaviors&, const Measure&, double*);
    int64_t (*sweep)(const Observation&, const Behaviors&, const Measure&, double*);
    int64_t (*profile)(const Behaviors&, const Behaviors&, const Measure&, double*);
    int64_t (*fit)(const FitTask&);
    int64_t (*sketch)(const Behaviors&, const SketchPlan&, float*, double*);
    int64_t (*scan)(const Scan&, float*);
    int64_t (*screen)(const Behaviors&, const Behaviors&, const Measure&, double, double*);
    int64_t (*add_singles)(int64_t, double*);
    int64_t (*arcsinh)(const double*, int64_t, double*);
};
