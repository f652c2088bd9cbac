// The machine: lowered programs and their inputs go in, raw outputs come out.
//
// Work is cut into blocks of points x draws that stay in the first cache whatever the size of the
// probe, so memory for inner results does not grow with it either.
#pragma once
#include "program.h"
#include "sort.h"

namespace SYMBED_NS {

constexpr int64_t BLOCK = 1024;  // numbers in a block

struct Inputs {
    const double* variables;  // [.., n_points]
    const double* columns;    // [.., n_draws, n_points or 1]
    int64_t n_points, n_draws;
};

struct Block {
    int64_t point, points, draw, draws;  // first and number of
};

struct Machine {
    Lowered lowered;
    List<double> memory, scratch;
    double* pools[4];  // where the buffers of each kind begin
    int64_t sizes[4];  // of one buffer of each kind

    // Lays out the buffers for blocks of at most this size.
    bool arrange(int64_t points, int64_t draws) {
        sizes[POINTS] = (points + 7) / 8 * 8;
        sizes[DRAWS] = (draws + 7) / 8 * 8;
        sizes[FULL] = (points * draws + 7) / 8 * 8;
        int64_t total = 0;
        for (int kind = POINTS; kind <= FULL; kind++) total += sizes[kind] * lowered.pools[kind].used;
        if (!memory.reserve(total)) return false;
        pools[POINTS] = memory.items;
        for (int kind = DRAWS; kind <= FULL; kind++)
            pools[kind] = pools[kind - 1] + sizes[kind - 1] * lowered.pools[kind - 1].used;
        return true;
    }
};

// An operand as the block of an instruction of this kind sees it.
SYMBED_INLINE View view(const Machine& machine, const Inputs& inputs, const Block& block,
                        const Operand& operand, Kind kind) {
    const double* data = &operand.number;
    int64_t full_step = block.points;
    if (operand.source == BUFFER) {
        data = machine.pools[operand.kind] + operand.index * machine.sizes[operand.kind];
    } else if (operand.source == VARIABLE) {
        data = inputs.variables + operand.index * inputs.n_points + block.point;
    } else if (operand.source == COLUMN && operand.kind == DRAWS) {
        data = inputs.columns + operand.index * inputs.n_draws + block.draw;
    } else if (operand.source == COLUMN) {
        full_step = inputs.n_points;
        data = inputs.columns + (operand.index * inputs.n_draws + block.draw) * full_step + block.point;
    }
    if (operand.kind == FULL) return {data, full_step, true};
    if (operand.kind == DRAWS && kind == FULL) return {data, 1, false};
    return {data, 0, operand.kind != SCALAR};
}

static void run(const Machine& machine, const List<Instruction>& list, const Inputs& inputs,
                const Block& block, double* last_target) {
    for (int64_t at = 0; at < list.count; at++) {
        const Instruction& step = list.items[at];
        const int64_t rows = step.kind == FULL ? block.draws : 1;
        const int64_t columns = step.kind == DRAWS ? block.draws : block.points;
        double* target = machine.pools[step.kind] + step.target * machine.sizes[step.kind];
        if (last_target && at + 1 == list.count) target = last_target;
        const View a = view(machine, inputs, block, step.a, step.kind);
        const Function& function = FUNCTIONS[step.code];
        if (function.arity == 1)
            function.one(a, target, rows, columns);
        else
            function.two(a, view(machine, inputs, block, step.b, step.kind), target, rows, columns);
    }
}

// Spreads the program's value over the block's part of the outputs.
static void deliver(const View& value, const Block& block, double* out, int64_t n_points) {
    for (int64_t row = 0; row < block.draws; row++, out += n_points) {
        const double* from = value.data + row * value.step;
        if (value.is_array)
            memcpy(out, from, size_t(block.points) * sizeof(double));
        else
            for (int64_t i = 0; i < block.points; i++) out[i] = *from;
    }
}

static void evaluate_block(const Machine& machine, const Inputs& inputs, const Block& block,
                           double* out) {
    const Operand& root = machine.lowered.root;
    // The last instruction writes to the outputs itself where their rows are the block's rows.
    const bool direct =
        root.source == BUFFER && root.kind == FULL && block.points == inputs.n_points;
    double* at = out + block.draw * inputs.n_points + block.point;
    run(machine, machine.lowered.for_draws, inputs, block, direct ? at : nullptr);
    if (!direct) deliver(view(machine, inputs, block, root, FULL), block, at, inputs.n_points);
}

// Evaluates the lowered program; sorts each block of points where `defined` is given.
static Status evaluate(Machine& machine, const Inputs& inputs, double limit, double* out,
                       int32_t* defined) {
    const int64_t n = inputs.n_points, m = inputs.n_draws;
    Block block{0, n < BLOCK ? n : BLOCK, 0, 0};
    const int64_t most_draws = m * block.points <= BLOCK ? m : BLOCK / block.points;
    if (!machine.arrange(block.points, most_draws)) return NO_MEMORY;
    const Operand& root = machine.lowered.root;
    const bool direct = m == 1 && root.source == BUFFER && root.kind == POINTS;
    for (; block.point < n; block.point += block.points) {
        if (n - block.point < block.points) block.points = n - block.point;
        run(machine, machine.lowered.for_points, inputs, block, direct ? out + block.point : nullptr);
        for (block.draw = 0; block.draw < m && !direct; block.draw += block.draws) {
            block.draws = m - block.draw < most_draws ? m - block.draw : most_draws;
            evaluate_block(machine, inputs, block, out);
        }
        if (defined)
            sort_draws(out + block.point, n, m, block.points, limit, defined + block.point,
                       machine.scratch.items);
    }
    return DONE;
}

}  // namespace SYMBED_NS
