// Adjoints: compute the outputs of a tape and their slopes by the parameters, a stretch of points
// at a time.
//
// What depends on points alone is computed once for each fit, what depends on parameters alone is one
// number for all points. The rest is recorded stretch by stretch, and adjoints are pulled back through
// the record: one pass gives the slopes by every parameter. engine/reference/tape.py is the twin.
#pragma once
#include "fit/derivatives.h"
#include "fit/tape.h"

namespace SYMBED_NS {

SYMBED_INLINE View view_of(const Tape& tape, const Node& node, int64_t point) {
    if (node.source == VARIABLE)
        return {tape.variables + node.index * tape.n_points + point, 0, true};
    if (node.on == ON_POINTS) return {tape.rows.items + node.index * tape.n_points + point, 0, true};
    if (node.on == ON_BOTH) return {tape.values.items + node.index * STRETCH, 0, true};
    return {&node.number, 0, false};
}

SYMBED_INLINE void apply(const Tape& tape, const Node& node, int64_t point, double* out, int64_t n) {
    const Node* nodes = tape.nodes.items;
    const View a = view_of(tape, nodes[node.a], point);
    const Function& function = FUNCTIONS[node.code];
    if (function.arity == 1)
        function.one(a, out, 1, n);
    else
        function.two(a, view_of(tape, nodes[node.b], point), out, 1, n);
}

// Makes room, and computes what depends on points alone.
static Status prepare(Tape& tape, const FitTask& task) {
    tape.variables = task.variables;
    tape.n_points = task.n_points;
    if (!tape.rows.reserve(tape.point_rows.used * task.n_points) ||
        !tape.values.reserve(tape.n_recorded * STRETCH) ||
        !tape.bars.reserve((tape.adjoints.used + 2) * STRETCH) ||
        !tape.slopes.reserve((tape.n_slots + 1) * STRETCH) || !tape.filled.reserve(tape.n_slots + 1))
        return NO_MEMORY;
    for (int64_t at = 0; at < tape.nodes.count; at++) {
        const Node& node = tape.nodes.items[at];
        if (node.on == ON_POINTS && node.source == BUFFER)
            apply(tape, node, 0, tape.rows.items + node.index * task.n_points, task.n_points);
    }
    return DONE;
}

// Gives the parameters their values, and computes what depends on these alone.
static void set_parameters(Tape& tape, const double* parameters) {
    Node* nodes = tape.nodes.items;
    for (int64_t at = 0; at < tape.nodes.count; at++)
        if (nodes[at].source == COLUMN) nodes[at].number = parameters[nodes[at].index];
    for (int64_t at = 0; at < tape.scalars.count; at++)
        apply_to_numbers(nodes, nodes[tape.scalars.items[at]]);
}

// Adjoints within the subtrees of parameters alone, each relative to the root of its subtree.
static void weigh_scalars(Tape& tape) {
    Node* nodes = tape.nodes.items;
    for (int64_t at = 0; at < tape.nodes.count; at++) nodes[at].weight = 1.0;
    for (int64_t at = tape.scalars.count - 1; at >= 0; at--) {
        const Node& node = nodes[tape.scalars.items[at]];
        const Derivative& derivative = DERIVATIVES[node.code];
        Node& a = nodes[node.a];
        if (node.b < 0) {
            derivative.unary(&a.number, &node.number, &node.weight, &a.weight, 1);
            continue;
        }
        Node& b = nodes[node.b];
        const View x{&a.number, 0, true}, y{&b.number, 0, true};
        derivative.sides[0](x, y, &node.number, &node.weight, &a.weight, 1);
        derivative.sides[1](x, y, &node.number, &node.weight, &b.weight, 1);
    }
}

// The outputs of a stretch of points: an array, or one number for all.
static View record(Tape& tape, int64_t point, int64_t n) {
    for (int64_t at = 0; at < tape.recorded.count; at++) {
        const Node& node = tape.nodes.items[tape.recorded.items[at]];
        apply(tape, node, point, tape.values.items + node.index * STRETCH, n);
    }
    return view_of(tape, tape.root(), point);
}

// Adds an adjoint to the slopes by the parameters of a subtree of parameters alone.
static void add_slopes(Tape& tape, const Node& subtree, int64_t last, const double* bar, int64_t n) {
    for (int64_t at = subtree.first; at <= last; at++) {
        const Node& leaf = tape.nodes.items[at];
        if (leaf.source != COLUMN) continue;
        double* row = tape.slopes.items + leaf.index * STRETCH;
        if (tape.filled.items[leaf.index])
            for (int64_t i = 0; i < n; i++) row[i] += bar[i] * leaf.weight;
        else
            for (int64_t i = 0; i < n; i++) row[i] = bar[i] * leaf.weight;
        tape.filled.items[leaf.index] = 1;
    }
}

// Pulls a node's adjoint through its operator to one of its operands.
static void pull(Tape& tape, const Node& node, int side, int64_t point, int64_t n) {
    const int32_t place = side == 0 ? node.a : node.b;
    if (place < 0 || !(tape.nodes.items[place].on & ON_PARAMETERS)) return;
    const Node& operand = tape.nodes.items[place];
    const double *bar = tape.bars.items + node.adjoint * STRETCH,
                 *y = tape.values.items + node.index * STRETCH;
    double* out = tape.bars.items + operand.adjoint * STRETCH;
    if (operand.on == ON_PARAMETERS) out = tape.bars.items + tape.adjoints.used * STRETCH;
    const bool whole = operand.source == COLUMN && !tape.filled.items[operand.index];
    if (whole) out = tape.slopes.items + operand.index * STRETCH;
    const View a = view_of(tape, tape.nodes.items[node.a], point);
    if (node.b < 0)
        DERIVATIVES[node.code].unary(a.data, y, bar, out, n);
    else
        DERIVATIVES[node.code].sides[side](a, view_of(tape, tape.nodes.items[node.b], point), y, bar,
                                           out, n);
    if (whole)
        tape.filled.items[operand.index] = 1;
    else if (operand.on == ON_PARAMETERS)
        add_slopes(tape, operand, place, out, n);
}

// The slopes of the recorded stretch by each parameter, times `seed`.
static void pull_back(Tape& tape, double seed, int64_t point, int64_t n) {
    const Node& root = tape.root();
    memset(tape.filled.items, 0, size_t(tape.n_slots));
    double* bar = tape.bars.items + (root.on == ON_BOTH ? root.adjoint : 0) * STRETCH;
    for (int64_t i = 0; i < n; i++) bar[i] = seed;
    if (root.on == ON_PARAMETERS) add_slopes(tape, root, tape.nodes.count - 1, bar, n);
    for (int64_t at = tape.recorded.count - 1; at >= 0; at--) {
        const Node& node = tape.nodes.items[tape.recorded.items[at]];
        // The operand that takes over the adjoint's buffer comes last.
        const int last = tape.nodes.items[node.a].on == ON_BOTH ? 0 : 1;
        pull(tape, node, 1 - last, point, n);
        pull(tape, node, last, point, n);
    }
}

}  // namespace SYMBED_NS
