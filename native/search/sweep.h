// Sweeping: measure many programs against targets, without keeping their behaviors.
//
// Observing a few programs and measuring them while they are in the second cache takes less than
// observing blocks and measuring those, and keeps no behavior that nobody asked for.
#pragma once
#include "distance/distance.h"
#include "eval/observe.h"

namespace SYMBED_NS {

constexpr int64_t KEPT = 1 << 14;  // numbers of behaviors at a time: 128 KB

// Whether a program that is undefined at a point is infinitely far from all targets.
static bool makes_gaps_infinite(const Measure& measure, const Behaviors& targets) {
    return measure.mismatch == INFINITE &&
           !has_gap(targets.defined, targets.count * targets.n_points);
}

static int64_t sweep(const Observation& o, const Behaviors& targets, const Measure& measure,
                     double* out) {
    Workspace space;
    Crossing crossing;
    List<double> values;
    List<int32_t> defined;
    const int64_t n = o.n_points, m = o.n_draws, size = m * n;
    if (Status status = space.prepare(o)) return status;
    if (Status status = check({nullptr, nullptr, 0, m, n}, targets, measure)) return status;
    const bool stops_at_gaps = makes_gaps_infinite(measure, targets);
    const int64_t at_once = size < KEPT ? KEPT / size : 1;
    if (!values.reserve(at_once * size) || !defined.reserve(at_once * n) ||
        !crossing.costs.reserve(n) || !crossing.b.fill(targets, targets.draws < m))
        return NO_MEMORY;
    for (int64_t first = 0; first < o.n_programs; first += at_once) {
        const int64_t left = o.n_programs - first, count = left < at_once ? left : at_once;
        for (int64_t i = 0; i < count; i++) {
            if (Status status = observe_one(space, o, first + i, stops_at_gaps,
                                            values.items + i * size, defined.items + i * n))
                return status + 256 * (first + i + 1);
        }
        const Behaviors observed{values.items, defined.items, count, m, n};
        if (!crossing.a.fill(observed, m < targets.draws)) return NO_MEMORY;
        const int64_t status =
            cross_rows(crossing, observed, targets, measure, out + first * targets.count,
                       [&](const Fast& fast) { return fill_by_order(fast, measure.order); });
        if (status) return status;
    }
    return DONE;
}

}  // namespace SYMBED_NS
