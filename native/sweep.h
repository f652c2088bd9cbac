// Sweeping: programs and targets go in, the distances between them come out.
//
// Observing a few programs and measuring them while they are in the cache takes two thirds of the
// time of observing all and measuring then, and needs no memory for behaviors that nobody keeps.
#pragma once
#include "distance.h"
#include "observe.h"

namespace SYMBED_NS {

constexpr int64_t KEPT = 1 << 14;  // numbers of behaviors in the cache at a time

static int64_t sweep(const Observation& o, const Behaviors& targets, const Measure& measure,
                     double* out) {
    if (o.n_points < 1 || o.n_draws < 1 || measure.n_points != o.n_points) return BAD_SHAPE;
    const int64_t size = o.n_draws * o.n_points, at_once = size < KEPT ? KEPT / size : 1;
    List<double> values;
    List<int32_t> defined;
    if (!values.reserve(at_once * size) || !defined.reserve(at_once * o.n_points)) return NO_MEMORY;
    for (int64_t k = 0; k < o.n_programs; k += at_once) {
        Observation some = o;
        some.starts += k;
        some.bases += k;
        some.n_programs = o.n_programs - k < at_once ? o.n_programs - k : at_once;
        some.out = values.items;
        some.defined = defined.items;
        if (int64_t status = observe(some)) return status > 255 ? status + 256 * k : status;
        const Behaviors observed{values.items, defined.items, some.n_programs, o.n_draws};
        if (int64_t status = cross(observed, targets, measure, out + k * targets.count)) return status;
    }
    return DONE;
}

}  // namespace SYMBED_NS
