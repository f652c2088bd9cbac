// The C ABI of the core: arrays go in, arrays are filled, a status comes out.
//
// Every function that can fail returns a status: 0 when done, otherwise one of the codes below; if one
// program is at fault, 256 times its number, counted from 1, is added. Nothing throws and nothing
// keeps state but the choice of instruction set.
#pragma once
#include <stdint.h>

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

// Programs and what they are evaluated on. Arrays are C-contiguous.
struct Observation {
    const int32_t* words;      // [n_words] the code of all programs
    const int64_t* starts;     // [n_programs + 1] where each program begins in words
    int64_t n_words, n_programs;
    const double* variables;   // [n_variables, n_points]
    int64_t n_variables, n_points;
    const double* columns;     // [n_all_columns, n_draws, n_points or 1]
    int64_t n_all_columns, n_draws, column_points;
    const int64_t* bases;      // [n_programs] first column of each program
    int64_t n_columns;         // columns of one range
    const double* moves;       // [n_moves, 3] center, low, high of each range; null: no alignment
    int64_t n_moves;
    const int64_t* sentinels;  // [n_sentinels] points at which effects are measured
    int64_t n_sentinels;
    double limit;              // outputs beyond it are undefined
    double* out;               // [n_programs, n_draws, n_points] sorted along the draws
    int32_t* defined;          // [n_programs, n_points]
};

// Some behaviors at the same points: [count, draws, n_points] values, [count, n_points] counts.
struct Behaviors {
    const double* values;
    const int32_t* defined;
    int64_t count, draws;
};

// How two behaviors are compared.
struct Measure {
    int64_t n_points;
    int64_t order;    // p, 1 or 2
    double mismatch;  // distance at a point where only one side has outputs
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
SYMBED_API int64_t symbed_profile(const Behaviors* u, const Behaviors* v, const Measure* measure,
                                  double* out);
SYMBED_API const char* symbed_message(int64_t status);
SYMBED_API const char* symbed_operator_name(int code);  // null past the last
SYMBED_API int symbed_operator_arity(int code);         // -1 past the last
SYMBED_API const char* symbed_isa();                    // the instruction set in use
SYMBED_API const char* symbed_supported_isa(int place);  // those this machine can run; null past the last
SYMBED_API int64_t symbed_select_isa(const char* name);

struct FitTask;  // fit_task.h
struct SketchPlan;  // sketch_task.h
struct Scan;

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
};
