// The kernels of one instruction set: compiled once for each, with its name as SYMBED_NS.
#include "fit/fit.h"
#include "search/screening.h"
#include "search/sketch.h"
#include "search/sweep.h"

namespace SYMBED_NS {
static int64_t arcsinh(const double* values, int64_t count, double* out) {
    map_asinh(values, out, count);
    return DONE;
}

extern const Kernels kernels;
const Kernels kernels = {observe, cross,  sweep,       profile, fit, sketch,
                         scan,    screen, add_singles, arcsinh};
}  // namespace SYMBED_NS
