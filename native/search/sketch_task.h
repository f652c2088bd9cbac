// What sketching and scanning take; symbed.engine.native fills it.
#pragma once
#include "api/core.h"

// values [count, n_blocks (1 for a single draw), width]; keys [count, 3]: the means of |output|, of
// output and of sign * output.
SYMBED_API int64_t symbed_sketch(const Behaviors* side, const SketchPlan* plan, float* values,
                                 double* keys);
SYMBED_API int64_t symbed_scan(const Scan* scan, float* out);  // [count] lower bounds
