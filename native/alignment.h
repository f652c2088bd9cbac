// Alignment: a program goes in, the column of draws that each of its parameters gets comes out.
//
// The parameter whose move changes the output most gets the first column, so that equivalent
// spellings draw the same values (engine/alignment.py says the same for the twin).
#pragma once
#include "vm.h"

namespace SYMBED_NS {

constexpr int64_t MOST_SENTINELS = 8;

// What alignment works in; one for each call.
struct Bench {
    List<double> sentinels;  // [n_variables, n_sentinels] the inputs there
    List<double> columns;    // [n_slots, 2 n_slots] settings of the parameters
    List<double> outputs;    // [2 n_slots, n_sentinels]
    double keys[MOST_ALIGNED][1 + MOST_SENTINELS];
    uint8_t place[MOST_ALIGNED];

    // Looks up the inputs at the sentinels. False if there is no memory.
    bool prepare(const Observation& observation) {
        if (!observation.moves) return true;
        if (!sentinels.reserve(observation.n_variables * observation.n_sentinels + 1)) return false;
        for (int64_t row = 0; row < observation.n_variables; row++)
            for (int64_t q = 0; q < observation.n_sentinels; q++)
                sentinels.items[row * observation.n_sentinels + q] =
                    observation.variables[row * observation.n_points + observation.sentinels[q]];
        return true;
    }

    bool reserve(int64_t n_slots) {
        return columns.reserve(2 * n_slots * n_slots) && outputs.reserve(2 * n_slots * MOST_SENTINELS);
    }
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

// Settings 2s and 2s + 1 have slot s at its high and its low end, and the others at the centre.
static Status fill_settings(Bench& bench, const Lowered& lowered, const double* moves,
                            int64_t n_moves) {
    const int64_t settings = 2 * lowered.n_slots;
    for (int64_t slot = 0; slot < lowered.n_slots; slot++) {
        const int64_t range = lowered.range_of[slot] < 0 ? 0 : lowered.range_of[slot];
        if (range >= n_moves) return NO_SUCH_RANGE;
        double* column = bench.columns.items + slot * settings;
        for (int64_t j = 0; j < settings; j++) column[j] = moves[3 * range];
        column[2 * slot] = moves[3 * range + 2];
        column[2 * slot + 1] = moves[3 * range + 1];
    }
    return DONE;
}

static void measure_effects(Bench& bench, int64_t n_slots, int64_t n_sentinels) {
    for (int64_t slot = 0; slot < n_slots; slot++) {
        const double* high = bench.outputs.items + 2 * slot * n_sentinels;
        double total = 0.0;
        for (int64_t q = 0; q < n_sentinels; q++) {
            double effect = __builtin_fabs(high[q] - high[n_sentinels + q]);
            if (!(effect <= __DBL_MAX__)) effect = 0.0;
            total += effect;
            bench.keys[slot][1 + q] = rounded(effect);
        }
        bench.keys[slot][0] = rounded(total);
    }
}

static bool has_more_effect(const double* a, const double* b, int64_t n_keys) {
    for (int64_t key = 0; key < n_keys; key++)
        if (a[key] != b[key]) return a[key] > b[key];
    return false;
}

// Insertion sort of the slots by effect, descending; equal ones stay in their order.
static void rank_slots(Bench& bench, int64_t n_slots, int64_t n_sentinels) {
    uint8_t ranked[MOST_ALIGNED];
    for (int64_t slot = 0; slot < n_slots; slot++) {
        int64_t at = slot;
        for (; at > 0; at--) {
            if (!has_more_effect(bench.keys[slot], bench.keys[ranked[at - 1]], 1 + n_sentinels)) break;
            ranked[at] = ranked[at - 1];
        }
        ranked[at] = uint8_t(slot);
    }
    for (int64_t at = 0; at < n_slots; at++) bench.place[ranked[at]] = uint8_t(at);
}

// Fills bench.place for the program that was lowered with one column for each slot.
static Status align(Machine& machine, Bench& bench, const Observation& observation) {
    const int64_t n_slots = machine.lowered.n_slots, n_sentinels = observation.n_sentinels;
    if (!bench.reserve(n_slots)) return NO_MEMORY;
    Status status = fill_settings(bench, machine.lowered, observation.moves, observation.n_moves);
    if (status != DONE) return status;
    const Inputs inputs{bench.sentinels.items, bench.columns.items, n_sentinels, 2 * n_slots};
    status = evaluate(machine, inputs, 0.0, bench.outputs.items, nullptr);
    if (status != DONE) return status;
    measure_effects(bench, n_slots, n_sentinels);
    rank_slots(bench, n_slots, n_sentinels);
    return DONE;
}

}  // namespace SYMBED_NS
