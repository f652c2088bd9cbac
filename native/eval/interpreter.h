// The machine: run the steps of a program to get the outputs of a strip.
//
// Strips keep inner results in the first cache whatever the size of the probe, and memory for them
// does not grow with it either.
#pragma once
#include "eval/compiler.h"

namespace SYMBED_NS {

// Copies a strip of so many rows; what is behind the last point repeats it.
static const double* gather(const double* from, int64_t stride, int64_t rows, int64_t points,
                            double* to) {
    const int64_t given = points < STRIP ? points : STRIP;
    for (int64_t row = 0; row < rows; row++) {
        double* strip = to + row * STRIP;
        memcpy(strip, from + row * stride, size_t(given) * sizeof(double));
        for (int64_t i = given; i < STRIP; i++) strip[i] = strip[given - 1];
    }
    return to;
}

// Runs all steps for one strip of the chunk, of which so many points count; fills the result.
static void run_strip(Machine& machine, int64_t n_draws, int64_t strip, int64_t points) {
    const Value* values = machine.values.items;
    const Link* links = machine.links.items;
    for (int64_t draw = 0; draw < n_draws; draw += ROWS) {
        const int64_t rows = n_draws - draw < ROWS ? n_draws - draw : ROWS;
        const auto find = [&](const Value& at, int64_t room) {
            const double* data = at.data + strip * at.per_strip + draw * at.per_draw;
            if (!at.gathered) return data;
            return gather(data, at.per_draw, rows, points, machine.gathered.items + room);
        };
        for (const Step *step = machine.steps.items, *end = step + machine.steps.count; step < end;
             step++) {
            double* out = step->out + draw * step->out_per_draw;
            const double* a = find(values[step->a], 0);
            if (!step->work)
                run_chain(a, values, links + step->first_link, links + step->end_link, strip, out,
                          rows);
            else
                step->work(a, step->b ? find(values[step->b], ROWS * STRIP) : a, out, rows);
        }
    }
}

}  // namespace SYMBED_NS
