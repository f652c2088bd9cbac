// Sweeping: programs and targets go in, the distances between them come out.
//
// Observing a few programs and measuring them while they are in the cache takes about three quarters
// of the time of observing blocks and measuring those, and keeps no behavior that nobody asked for.
#pragma once
#include "distance.h"
#include "observe.h"

namespace SYMBED_NS {

constexpr int64_t KEPT = 1 << 15;  // numbers of behaviors in the cache at a time

static int64_t sweep(const Observation& o, const Behaviors& targets, const Measure& measure,
                     double* out) {
    Workspace space;
    if (Status status = space.prepare(o)) return status;
    if (measure.n_points != o.n_points) return BAD_SHAPE;
    const int64_t size = o.n_draws * o.n_points, at_once = size < KEPT ? KEPT / size : 1;
    List<double> values;
    List<int32_t> defined;
    if (!values.reserve(at_once * size) || !defined.reserve(at_once * o.n_points)) return NO_MEMORY;
    for (int64_t first = 0; first < o.n_programs; first += at_once) {
        const int64_t last = first + at_once < o.n_programs ? first + at_once : o.n_programs;
        int64_t status = observe_some(space, o, first, last, values.items, defined.items);
        const Behaviors observed{values.items, defined.items, last - first, o.n_draws};
        if (!status) status = cross(observed, targets, measure, out + first * targets.count);
        if (status) return status;
    }
    return DONE;
}

}  // namespace SYMBED_NS
