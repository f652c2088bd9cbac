// Alignment: choose the column of draws for each parameter of a program.
//
// The parameter whose move changes the output most gets the first column, so that equivalent
// spellings draw the same values (symbed.sampling.designs says the same for the twin).
#pragma once
#include "eval/interpreter.h"

namespace SYMBED_NS {

constexpr int64_t MOST_SENTINELS = 8;

// What alignment works in; one for each call.
struct Bench {
    List<double> columns;  // [n_slots, 2 n_slots, STRIP or 1] settings of the parameters
    double totals[MOST_ALIGNED];
    uint8_t place[MOST_ALIGNED];
};

// A number rounded to 26 bits of mantissa, half to even: the last bits shall not decide.
inline double rounded(double number) {
    if (number < 0x1p-960) return number > 0 ? rounded(number * 0x1p600) * 0x1p-600 : number;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits + 0x3ffffff + (bits >> 27 & 1)) & ~uint64_t(0x7ffffff);
    memcpy(&number, &bits, sizeof bits);
    return number;
}

// Settings 2s and 2s + 1 have slot s at its high and its low end, and the others at the center.
static Status fill_settings(Bench& bench, const Parameters& parameters, int64_t width,
                            const double* moves, int64_t n_moves) {
    const int64_t settings = 2 * parameters.n_slots;
    if (!bench.columns.reserve(parameters.n_slots * settings * width)) return NO_MEMORY;
    for (int64_t slot = 0; slot < parameters.n_slots; slot++) {
        const int64_t range = parameters.range_of[slot] < 0 ? 0 : parameters.range_of[slot];
        if (range >= n_moves) return NO_SUCH_RANGE;
        const double *move = moves + 3 * range, ends[2] = {move[2], move[1]};
        double* column = bench.columns.items + slot * settings * width;
        for (int64_t j = 0; j < settings; j++) {
            const double setting = j / 2 == slot ? ends[j % 2] : move[0];
            for (int64_t i = 0; i < width; i++) column[j * width + i] = setting;
        }
    }
    return DONE;
}

// What moving a slot changes at a sentinel; outputs are [settings, STRIP].
SYMBED_INLINE double effect_of(const double* outputs, int64_t slot, int64_t sentinel) {
    const double* high = outputs + 2 * slot * STRIP + sentinel;
    const double effect = __builtin_fabs(high[0] - high[STRIP]);
    return effect <= __DBL_MAX__ ? effect : 0.0;
}

// By the sums over the sentinels; where these agree, by the first sentinel that tells.
static bool has_more_effect(const Bench& bench, const double* outputs, int64_t n_sentinels,
                            int64_t slot, int64_t other) {
    if (bench.totals[slot] != bench.totals[other]) return bench.totals[slot] > bench.totals[other];
    for (int64_t q = 0; q < n_sentinels; q++) {
        const double a = rounded(effect_of(outputs, slot, q)),
                     b = rounded(effect_of(outputs, other, q));
        if (a != b) return a > b;
    }
    return false;
}

// Insertion sort of the slots by effect, descending; equal ones stay in their order.
static void rank_slots(Bench& bench, const double* outputs, int64_t n_slots, int64_t n_sentinels) {
    uint8_t ranked[MOST_ALIGNED];
    for (int64_t slot = 0; slot < n_slots; slot++) {
        double total = 0.0;
        for (int64_t q = 0; q < n_sentinels; q++) total += effect_of(outputs, slot, q);
        bench.totals[slot] = rounded(total);
        int64_t at = slot;
        for (; at > 0; at--) {
            if (!has_more_effect(bench, outputs, n_sentinels, slot, ranked[at - 1])) break;
            ranked[at] = ranked[at - 1];
        }
        ranked[at] = uint8_t(slot);
    }
    for (int64_t at = 0; at < n_slots; at++) bench.place[ranked[at]] = uint8_t(at);
}

// Compiles a program with settings as draws, runs it for the sentinels, which are the last strip of
// the chunk, and fills bench.place.
static Status align(Machine& machine, Bench& bench, const Observation& o, const Words& words,
                    const Parameters& parameters, const Chunk& chunk, Kind kind) {
    const int64_t n_slots = parameters.n_slots, width = kind == FULL ? STRIP : 1;
    Status status = fill_settings(bench, parameters, width, o.moves, o.n_moves);
    if (status != DONE) return status;
    const Draws settings{kind, true, bench.columns.items, 2 * n_slots, 2 * n_slots * width, 0, width,
                         0, 0, n_slots, n_slots, nullptr};
    status = compile(machine, words, chunk, settings);
    if (status != DONE) return status;
    run_strip(machine, settings.n_draws, chunk.points / STRIP - 1, o.n_sentinels);
    rank_slots(bench, machine.result.items, n_slots, o.n_sentinels);
    return DONE;
}

}  // namespace SYMBED_NS
