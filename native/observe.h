// Observing: programs and a probe's numbers go in, sorted behaviors come out.
#pragma once
#include "alignment.h"

namespace SYMBED_NS {

static Status check(const Observation& o) {
    if (o.n_points < 1 || o.n_draws < 1) return BAD_SHAPE;
    if (o.n_all_columns && o.column_points != o.n_points && o.column_points != 1) return BAD_SHAPE;
    if (!o.moves) return DONE;
    if (o.n_sentinels < 1 || o.n_sentinels > MOST_SENTINELS) return NO_SUCH_POINT;
    for (int64_t q = 0; q < o.n_sentinels; q++)
        if (o.sentinels[q] < 0 || o.sentinels[q] >= o.n_points) return NO_SUCH_POINT;
    return DONE;
}

static Status longest_program(const Observation& o, int64_t& longest) {
    longest = 1;
    for (int64_t k = 0; k < o.n_programs; k++) {
        const int64_t length = o.starts[k + 1] - o.starts[k];
        if (o.starts[k] < 0 || length < 0 || o.starts[k + 1] > o.n_words) return BAD_STARTS;
        if (length > longest) longest = length;
    }
    return DONE;
}

// One more than the last parameter slot; what is malformed counts as it may, and lowering tells.
static int64_t count_slots(const int32_t* word, const int32_t* end) {
    int64_t n_slots = 0;
    for (; word < end; word++) {
        const int32_t kind = *word >> 28;
        if (kind == 2 && (*word & 0xfffff) >= n_slots) n_slots = (*word & 0xfffff) + 1;
        if (kind == 3) word += end - word < 3 ? 0 : 2;
    }
    return n_slots;
}

static Status lower_aligned(Machine& machine, Bench& bench, const Observation& o, int64_t k) {
    const int32_t *begin = o.words + o.starts[k], *end = o.words + o.starts[k + 1];
    Assignment drawn{o.column_points == o.n_points ? FULL : DRAWS, o.bases[k], o.n_columns,
                     o.n_columns, o.n_all_columns, nullptr};
    const int64_t n_slots = o.moves ? count_slots(begin, end) : 0;
    if (n_slots >= 2 && n_slots <= MOST_ALIGNED) {
        const Assignment by_slot{DRAWS, 0, 0, n_slots, n_slots, nullptr};
        Status status = lower(machine.lowered, begin, end, o.n_variables, by_slot);
        if (status == DONE) status = align(machine, bench, o);
        if (status != DONE) return status;
        drawn.place = bench.place;
    }
    return lower(machine.lowered, begin, end, o.n_variables, drawn);
}

// What observing works in; it can serve one observation after the other, of the same inputs.
struct Workspace {
    Machine machine;
    Bench bench;

    Status prepare(const Observation& o) {
        int64_t longest;
        if (Status status = check(o)) return status;
        if (Status status = longest_program(o, longest)) return status;
        const bool enough = machine.lowered.reserve(longest) && bench.prepare(o) &&
                            machine.scratch.reserve(sort_scratch_size(o.n_draws));
        return enough ? DONE : NO_MEMORY;
    }
};

// Observes programs from `first` to `last`; the outputs of `first` go to the beginning of `out`.
static int64_t observe_some(Workspace& space, const Observation& o, int64_t first, int64_t last,
                            double* out, int32_t* defined) {
    const Inputs inputs{o.variables, o.columns, o.n_points, o.n_draws};
    for (int64_t k = first; k < last; k++) {
        Status status = lower_aligned(space.machine, space.bench, o, k);
        if (status == DONE) status = evaluate(space.machine, inputs, o.limit, out, defined);
        if (status != DONE) return status + 256 * (k + 1);
        out += o.n_draws * o.n_points;
        defined += o.n_points;
    }
    return DONE;
}

static int64_t observe(const Observation& o) {
    Workspace space;
    if (Status status = space.prepare(o)) return status;
    return observe_some(space, o, 0, o.n_programs, o.out, o.defined);
}

}  // namespace SYMBED_NS
