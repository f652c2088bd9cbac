// The tape: check the words of a program and lay them out as nodes with their buffers.
//
// A value depends on the points, on the parameters, on both or on neither. What depends on neither
// is folded here; adjoints.h does the rest.
#pragma once
#include "api/core.h"
#include "eval/block_functions.h"
#include "api/growable_list.h"
#include "eval/program.h"

namespace SYMBED_NS {

constexpr int64_t MOST_FITTED = 256;  // parameters of one program (symbed.limits)

enum Dependence : uint8_t { NOTHING = 0, ON_POINTS = 1, ON_PARAMETERS = 2, ON_BOTH = 3 };
enum Shape : uint8_t { FIXED = 0, AFFINE = 1, CURVED = 2 };  // as a function of the parameters

struct Node {
    uint8_t code;       // of an operator
    Source source;      // NUMBER, VARIABLE, COLUMN (a parameter) or BUFFER (an operator's result)
    Dependence on;
    Shape shape;
    int32_t a, b;       // operands
    int32_t first;      // where the subtree begins
    int64_t index;      // of the variable, slot or buffer
    int32_t adjoint;    // buffer of its adjoint
    double number;      // its value, if it is one number for all points
    double weight;      // its adjoint within a subtree of parameters alone
};

struct Tape {
    List<Node> nodes;
    List<int32_t> stack, scalars, recorded;  // nodes waiting; of parameters alone; of both
    Pool point_rows, adjoints;
    List<double> rows;                       // [point_rows, n_points] values of points alone
    List<double> values, bars;               // [recorded, STRETCH] and [adjoints, STRETCH]
    List<double> slopes;                     // [n_slots + 1, STRETCH]; the last row: the residuals
    List<uint8_t> filled;                    // slots whose row of slopes was begun
    int16_t range_of[MOST_FITTED];
    const double* variables;
    int64_t n_points, n_slots, n_recorded;

    bool reserve(int64_t n_words) {
        return nodes.reserve(n_words) && stack.reserve(n_words) && scalars.reserve(n_words) &&
               recorded.reserve(n_words) && point_rows.released.reserve(n_words) &&
               adjoints.released.reserve(n_words);
    }
    void clear() {
        nodes.count = stack.count = scalars.count = recorded.count = n_slots = n_recorded = 0;
        point_rows.clear();
        adjoints.clear();
        memset(range_of, 0xff, sizeof range_of);
    }
    const Node& root() const { return nodes.items[nodes.count - 1]; }
};

SYMBED_INLINE void apply_to_numbers(Node* nodes, Node& node) {
    const Function& function = FUNCTIONS[node.code];
    double result;  // not node.number itself: folding may put the result where an operand is
    const View a{&nodes[node.a].number, 0, true};
    if (function.arity == 1)
        function.one(a, &result, 1, 1);
    else
        function.two(a, {&nodes[node.b].number, 0, true}, &result, 1, 1);
    node.number = result;
}

// How an operator's result depends on the parameters, given that of its operands.
inline Shape combined_shape(const char* name, Shape a, Shape b) {
    const Shape larger = a > b ? a : b;
    if (!larger || !strcmp(name, "+") || !strcmp(name, "-") || !strcmp(name, "neg")) return larger;
    if (!strcmp(name, "*") && !(a && b)) return larger;
    if (!strcmp(name, "/") && !b) return larger;
    return CURVED;
}

static const char* const OPERATOR_NAMES[] = {
#define OPERATOR(name, arity, function, loop) name,
#include "eval/operators.def"
#undef OPERATOR
};

// A row of points alone is free again once such a row was made of it; a record reads it each time.
static void release_row(Tape& tape, int32_t place) {
    if (place < 0) return;
    const Node& node = tape.nodes.items[place];
    if (node.on == ON_POINTS && node.source == BUFFER) tape.point_rows.released.push(node.index);
}

static Status add_operation(Tape& tape, int code) {
    if (code >= N_FUNCTIONS || FUNCTIONS[code].arity == 0) return UNKNOWN_WORD;
    const int arity = FUNCTIONS[code].arity;
    if (tape.stack.count < arity) return STACK_UNDERFLOW;
    Node* nodes = tape.nodes.items;
    const int32_t b = arity == 2 ? tape.stack.pop() : -1, a = tape.stack.pop();
    const Dependence on = Dependence(nodes[a].on | (b < 0 ? 0 : nodes[b].on));
    const Shape shape =
        combined_shape(OPERATOR_NAMES[code], nodes[a].shape, b < 0 ? FIXED : nodes[b].shape);
    Node node{uint8_t(code), BUFFER, on, shape, a, b, nodes[a].first, 0, 0, 0.0, 0.0};
    if (on == NOTHING) {
        apply_to_numbers(nodes, node);
        node.source = NUMBER;
        tape.nodes.count = a;  // the operands are not needed any more
    } else if (on == ON_POINTS) {
        release_row(tape, a);
        release_row(tape, b);
        node.index = tape.point_rows.take();
    } else if (on == ON_PARAMETERS) {
        tape.scalars.push(int32_t(tape.nodes.count));
    } else {
        node.index = tape.n_recorded++;
        tape.recorded.push(int32_t(tape.nodes.count));
    }
    tape.stack.push(int32_t(tape.nodes.count));
    tape.nodes.push(node);
    return DONE;
}

static void add_leaf(Tape& tape, Source source, Dependence on, int64_t index, double number) {
    const int32_t place = int32_t(tape.nodes.count);
    const Shape shape = on == ON_PARAMETERS ? AFFINE : FIXED;
    tape.stack.push(place);
    tape.nodes.push({0, source, on, shape, -1, -1, place, index, 0, number, 0.0});
}

static Status add_parameter(Tape& tape, int32_t word, int64_t n_slots, int64_t n_ranges) {
    const int64_t slot = word & 0xfffff, range = (word >> 20) & 0xff;
    if (slot >= n_slots || slot >= MOST_FITTED) return NO_SUCH_COLUMN;
    if (range >= n_ranges) return NO_SUCH_RANGE;
    if (tape.range_of[slot] >= 0 && tape.range_of[slot] != range) return MIXED_RANGES;
    tape.range_of[slot] = int16_t(range);
    if (slot >= tape.n_slots) tape.n_slots = slot + 1;
    add_leaf(tape, COLUMN, ON_PARAMETERS, slot, 0.0);
    return DONE;
}

// Gives adjoints their buffers: the first operand that needs one takes over that of the result.
static void place_adjoints(Tape& tape) {
    Node* nodes = tape.nodes.items;
    if (tape.root().on == ON_BOTH) nodes[tape.nodes.count - 1].adjoint = int32_t(tape.adjoints.take());
    for (int64_t at = tape.recorded.count - 1; at >= 0; at--) {
        const Node& node = nodes[tape.recorded.items[at]];
        tape.adjoints.released.push(node.adjoint);
        const int32_t operands[] = {node.a, node.b};
        for (int32_t operand : operands)
            if (operand >= 0 && nodes[operand].on == ON_BOTH)
                nodes[operand].adjoint = int32_t(tape.adjoints.take());
    }
}

static Status read_program(Tape& tape, const int32_t* word, const int32_t* end, const FitTask& task) {
    tape.clear();
    for (; word < end; word++) {
        const int32_t kind = *word >> 28, rest = *word & 0x0fffffff;
        Status status = DONE;
        if (kind == 0) {
            status = add_operation(tape, rest);
        } else if (kind == 1) {
            if (rest >= task.n_variables) return NO_SUCH_VARIABLE;
            add_leaf(tape, VARIABLE, ON_POINTS, rest, 0.0);
        } else if (kind == 2) {
            status = add_parameter(tape, *word, task.n_slots, task.n_ranges);
        } else if (kind == 3) {
            if (end - word < 3) return TRUNCATED_NUMBER;
            const uint64_t bits = uint32_t(word[1]) | uint64_t(uint32_t(word[2])) << 32;
            double number;
            memcpy(&number, &bits, sizeof number);
            add_leaf(tape, NUMBER, NOTHING, 0, number);
            word += 2;
        } else {
            return UNKNOWN_WORD;
        }
        if (status != DONE) return status;
    }
    if (tape.stack.count != 1) return LEFT_OVER;
    for (int64_t slot = 0; slot < tape.n_slots; slot++)
        if (tape.range_of[slot] < 0) return NO_SUCH_COLUMN;
    place_adjoints(tape);
    return DONE;
}

}  // namespace SYMBED_NS
