// Observing: run programs on a probe's numbers to get their sorted behaviors.
#pragma once
#include "eval/draw_alignment.h"
#include "sort/sorting_network.h"

namespace SYMBED_NS {

constexpr int64_t CHUNK = 1024;              // points at once, whole strips
constexpr int64_t PACKED_COLUMNS = 1 << 17;  // numbers

SYMBED_INLINE int64_t whole_strips(int64_t points) { return (points + STRIP - 1) / STRIP * STRIP; }

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

// What observing works in; it serves the programs of one observation, one after the other.
struct Workspace {
    Machine machine;
    Bench bench;
    List<double> variables, columns;
    int64_t stride;  // from one variable to the next
    Draws draws;

    Status prepare(const Observation& o) {
        int64_t longest;
        if (Status status = check(o)) return status;
        if (Status status = longest_program(o, longest)) return status;
        const int64_t points = o.n_points < CHUNK ? whole_strips(o.n_points) : CHUNK;
        const bool enough = machine.reserve(longest, points + STRIP, o.n_draws) &&
                            machine.scratch.reserve(sort_scratch_size(o.n_draws)) &&
                            lay_out_variables(o, points + STRIP) && lay_out_columns(o);
        return enough ? DONE : NO_MEMORY;
    }

    // The chunk that begins at a point, with the sentinels as one more strip or without.
    Chunk chunk(const Observation& o, int64_t point, bool with_sentinels) const {
        const int64_t points = o.n_points - point < CHUNK ? o.n_points - point : CHUNK;
        return {variables.items + point / CHUNK * (CHUNK + STRIP), o.n_variables, stride,
                whole_strips(points) + (with_sentinels ? STRIP : 0), point / STRIP};
    }

private:
    // Points in whole strips, the sentinels after those of each chunk.
    bool lay_out_variables(const Observation& o, int64_t chunk_size) {
        stride = (o.n_points + CHUNK - 1) / CHUNK * chunk_size;
        if (!variables.reserve(o.n_variables * stride + 1)) return false;
        for (int64_t row = 0; row < o.n_variables; row++) {
            const double* from = o.variables + row * o.n_points;
            for (int64_t point = 0; point < o.n_points; point += STRIP) {
                double* to = variables.items + row * stride + point + point / CHUNK * STRIP;
                gather(from + point, 0, 1, o.n_points - point, to);
                const bool ends = point + STRIP >= o.n_points || (point + STRIP) % CHUNK == 0;
                for (int64_t q = 0; q < STRIP && ends && o.moves; q++)
                    to[STRIP + q] = from[o.sentinels[q < o.n_sentinels ? q : 0]];
            }
        }
        return true;
    }

    // Columns that stay in the second cache are packed once, for all programs.
    bool lay_out_columns(const Observation& o) {
        const int64_t n = o.n_points, m = o.n_draws, size = whole_strips(n) * m;
        draws = {DRAWS, false, o.columns, m, m, 0, 1, 0, o.n_columns, o.n_columns, o.n_all_columns,
                 nullptr};
        if (o.column_points != n) return true;
        draws.kind = FULL;
        draws.column_size = m * n;
        draws.per_strip = STRIP;
        draws.per_draw = n;
        if (o.n_all_columns * size > PACKED_COLUMNS || o.n_all_columns > o.n_programs) return true;
        if (!columns.reserve(o.n_all_columns * size + 1)) return false;
        for (int64_t column = 0; column < o.n_all_columns; column++)
            for (int64_t point = 0; point < n; point += STRIP)
                gather(o.columns + column * m * n + point, n, m, n - point,
                       columns.items + column * size + point * m);
        draws.packed = true;
        draws.columns = columns.items;
        draws.column_size = size;
        draws.per_strip = STRIP * m;
        draws.per_draw = STRIP;
        return true;
    }
};

// Compiles a program for the chunk that begins at a point. At the first one its parameters are given
// their places, where there is something to choose.
static Status compile_chunk(Workspace& space, const Observation& o, const Words& words,
                            const Parameters& parameters, int64_t point, Draws& draws) {
    const int64_t n_slots = parameters.n_slots;
    const bool aligns = o.moves && n_slots >= 2 && n_slots <= MOST_ALIGNED && point == 0;
    const Chunk chunk = space.chunk(o, point, aligns);
    if (!aligns) return compile(space.machine, words, chunk, draws);
    const Status status =
        align(space.machine, space.bench, o, words, parameters, chunk, draws.kind);
    if (status != DONE) return status;
    draws.place = space.bench.place;
    if (draws.kind == DRAWS) return compile(space.machine, words, chunk, draws);
    return move_parameters(space.machine, chunk, draws) ? DONE : NO_SUCH_COLUMN;
}

// Whether nothing is defined at one of the points.
SYMBED_INLINE bool has_gap(const int32_t* defined, int64_t points) {
    bool found = false;
    for (int64_t i = 0; i < points; i++) found |= !defined[i];
    return found;
}

// Observes program k. With one parameter, whose draws may come sorted, outputs often are sorted too.
// If it stops at gaps, nothing is computed behind a strip that has one, and counts there are zero.
static Status observe_one(Workspace& space, const Observation& o, int64_t k, bool stops_at_gaps,
                          double* out, int32_t* defined) {
    Machine& machine = space.machine;
    const int64_t n = o.n_points, m = o.n_draws;
    const Words words{o.words + o.starts[k], o.words + o.starts[k + 1]};
    Draws draws = space.draws;
    draws.base = o.bases[k];
    Parameters parameters;
    if (Status status = parameters.find(words)) return status;
    for (int64_t point = 0; point < n; point += STRIP) {
        if (point % CHUNK == 0)
            if (Status status = compile_chunk(space, o, words, parameters, point, draws))
                return status;
        const Value& root = machine.root();
        if (m == 1 && root.kind == POINTS && root.source != NUMBER) {
            const int64_t points = n - point < CHUNK ? n - point : CHUNK;
            mark_single(root.data, points, o.limit, out + point, defined + point);
            point += CHUNK - STRIP;
            continue;
        }
        const int64_t points = n - point < STRIP ? n - point : STRIP;
        run_strip(machine, m, point % CHUNK / STRIP, points);
        sort_strip({machine.result.items, STRIP, out + point, n, defined + point}, m, points,
                   o.limit, parameters.n_slots == 1, machine.scratch.items);
        if (stops_at_gaps && has_gap(defined + point, points)) {
            for (int64_t rest = point + points; rest < n; rest++) defined[rest] = 0;
            break;
        }
    }
    return DONE;
}

static int64_t observe(const Observation& o) {
    Workspace space;
    if (Status status = space.prepare(o)) return status;
    for (int64_t k = 0; k < o.n_programs; k++) {
        double* out = o.out + k * o.n_draws * o.n_points;
        if (Status status = observe_one(space, o, k, false, out, o.defined + k * o.n_points))
            return status + 256 * (k + 1);
    }
    return DONE;
}

}  // namespace SYMBED_NS
