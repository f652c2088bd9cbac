// What fitting takes and gives; symbed.workbench.fitting.native_fitter fills it.
#pragma once
#include "api/core.h"

constexpr int64_t MOST_FITTED = 256;  // parameters of one program (symbed.limits)

// Programs, and the targets that each of them is fitted to: fit number k * n_targets + t is that of
// program k to target t. Arrays are C-contiguous.
struct FitTask {
    const int32_t* words;     // [n_words] the code of all programs
    const int64_t* starts;    // [n_programs + 1] where each program begins in words
    int64_t n_words, n_programs;
    const double* variables;  // [n_variables, n_points]
    int64_t n_variables, n_points;
    const double* targets;    // [n_targets, n_points] times `scales`; NaN leaves a point out
    const double* scales;     // [n_targets] a power of two that brings the target nearer to 1
    const double* floors;     // [n_targets] squared errors up to it, of the scaled target, are rounding
    const double* middles;    // [n_targets] the size of the target where it is on the equator; or null
    int64_t n_targets;
    const double* bounds;     // [n_ranges, 2] low and high of the parameters of each range
    const double* initial;    // [n_ranges, n_starts, n_slots] where descents may start
    int64_t n_ranges, n_starts, n_slots;
    const double* own;        // [n_targets, n_own, n_slots] each target's own starts, tried first
    int64_t n_own;
    int64_t n_descents;       // how many of the starts, the best ones, are gone down from
    int64_t max_iterations;   // steps tried in one descent
    const int64_t* places;    // [n_fits + 1] where the values of each fit begin
    double* values;           // the fitted parameters, by slot
    double* errors;           // [n_fits, 2] root mean squared, mean absolute
    int32_t* counts;          // [n_fits, 2] evaluations; whether the best descent came to rest
};

SYMBED_API int64_t symbed_fit(const FitTask* task);
