// What sketching and scanning take; symbed.distances.search.sketch_native fills it.
#pragma once
#include "api/core.h"

// How behaviors become sketches. Arrays are C-contiguous.
struct SketchPlan {
    int64_t n_points;
    int64_t n_blocks;       // parts of the sorted outputs at a point, of equal mass
    int64_t width;          // groups of points, filled up
    const int32_t* groups;  // [n_points] the group of each point
    const double* shares;   // [width] one over the number of points in the group
    const double* signs;    // [n_points] +1 or -1
};

// Sketches, and one more that is compared with them.
struct Scan {
    const float* values;   // [n_sketches, n_blocks, width]
    int64_t n_sketches, n_blocks, width;
    const int64_t* rows;   // [count] which sketches; null: those from `first` on
    int64_t first, count;
    const float* query;    // [query_blocks, width]
    int64_t query_blocks;
    const float* weights;  // [width] shares of the points
    int64_t order;         // p, 1 or 2
};

// values [count, n_blocks (1 for a single draw), width]; keys [count, 3]: the means of |output|, of
// output and of sign * output.
SYMBED_API int64_t symbed_sketch(const Behaviors* side, const SketchPlan* plan, float* values,
                                 double* keys);
SYMBED_API int64_t symbed_scan(const Scan* scan, float* out);  // [count] lower bounds
