// The kernels of one instruction set: compiled once for each, with its name as SYMBED_NS.
#include "fit.h"
#include "screening.h"
#include "sketch.h"
#include "sweep.h"

namespace SYMBED_NS {
extern const Kernels kernels;
const Kernels kernels = {observe, cross, sweep, profile, fit, sketch, scan, screen, add_singles};
}  // namespace SYMBED_NS
