// The compiler: turn the words of a program into steps that a strip is run through.
//
// What depends on points or on draws alone is computed at once, for a chunk of points and for all
// draws; scalars are too. What depends on both becomes steps. A malformed program ends here with a
// status; what passes cannot reach outside its arrays.
#pragma once
#include "eval/fused_operations.h"
#include "eval/strip_functions.h"

namespace SYMBED_NS {

// The inputs of a chunk of points.
struct Chunk {
    const double* variables;  // [n_variables, ..] of these points
    int64_t n_variables, stride;
    int64_t points;           // whole strips
    int64_t first_strip;      // among all
};

// One operation on a strip, or a chain of them.
struct Step {
    Work work;     // null for a chain
    int32_t a, b;  // numbers of values
    int32_t first_link, end_link;
    double* out;
    int64_t out_per_draw;
};

// Values are numbered and stay where they are: copying what was just written stalls a processor.
struct Machine {
    List<Value> values;
    List<int32_t> stack;  // numbers of values
    List<Step> steps;
    List<Link> links;
    List<double> numbers;  // scalars as a strip sees them
    List<double> result, gathered, scratch;
    Buffers buffers[4];    // by kind; there are none of scalars

    bool reserve(int64_t n_words, int64_t points, int64_t draws) {
        const int64_t most_draws = draws < 2 * MOST_ALIGNED ? 2 * MOST_ALIGNED : draws;
        const int64_t sizes[4] = {0, points, most_draws, ROWS * STRIP};
        bool enough = values.reserve(n_words + 1) && stack.reserve(n_words) &&
                      steps.reserve(n_words + 1) && links.reserve(n_words) &&
                      numbers.reserve(STRIP * (n_words + 1)) &&
                      result.reserve(STRIP * most_draws) && gathered.reserve(2 * ROWS * STRIP);
        for (int kind = POINTS; kind <= FULL; kind++)
            enough = enough && buffers[kind].reserve(n_words, sizes[kind]);
        return enough;
    }

    void clear() {
        values.count = 1;  // number 0 is none
        stack.count = steps.count = links.count = numbers.count = 0;
        for (Buffers& some : buffers) some.pool.clear();
    }

    const Value& root() const { return values.items[stack.items[0]]; }
};

// A new value on top of the stack.
SYMBED_INLINE Value& push_value(Machine& machine) {
    machine.stack.push(int32_t(machine.values.count));
    return machine.values.items[machine.values.count++];
}

SYMBED_INLINE void push_number(Machine& machine, double number) {
    Value& value = push_value(machine);
    value.number = number;
    value.kind = SCALAR;
    value.source = NUMBER;
    value.gathered = false;
}

SYMBED_INLINE void set_array(Value& value, const double* data, Kind kind, Source source) {
    value.data = data;
    value.per_strip = kind == POINTS ? STRIP : 0;
    value.per_draw = kind == DRAWS;
    value.kind = kind;
    value.source = source;
    value.gathered = false;
}

// A scalar as strips see it: one number for each point.
static void spread_number(Machine& machine, Value& value) {
    if (value.kind != SCALAR) return;
    double* copies = machine.numbers.items + machine.numbers.count;
    machine.numbers.count += STRIP;
    for (int i = 0; i < STRIP; i++) copies[i] = value.number;
    set_array(value, copies, POINTS, NUMBER);
    value.per_strip = 0;
}

// Adds the operation to the chain that made x, or begins one.
static void push_link(Machine& machine, LinkCode code, int32_t x, int32_t p, double* out) {
    const int64_t last = machine.steps.count - 1;
    const bool extends = machine.values.items[x].source == BUFFER && last >= 0 &&
                         !machine.steps.items[last].work;
    const int32_t here = int32_t(machine.links.count);
    if (!extends) machine.steps.push({nullptr, x, 0, here, here, out, 0});
    machine.links.push({p, code});
    machine.steps.items[machine.steps.count - 1].end_link++;
}

// A step on values of which at least one is FULL.
static void push_step(Machine& machine, int code, int32_t a, int32_t b, double* out) {
    Value &x = machine.values.items[a], &y = machine.values.items[b];
    const StripFunction& function = STRIP_FUNCTIONS[code];
    if (function.one) return machine.steps.push({function.one, a, 0, 0, 0, out, 0});
    spread_number(machine, x);
    spread_number(machine, y);
    if (function.is_link && x.kind == FULL && y.kind == POINTS)
        push_link(machine, function.link, a, b, out);
    else if (function.is_link && x.kind == POINTS && y.kind == FULL)
        push_link(machine, function.link == MINUS ? SUBTRACTED_FROM : function.link, b, a, out);
    else
        machine.steps.push({function.two[x.kind][y.kind], a, b, 0, 0, out, 0});
}

SYMBED_INLINE View view_of(const Value& value) {
    return value.kind == SCALAR ? View{&value.number, 0, false} : View{value.data, 0, true};
}

static Status push_operation(Machine& machine, int code, int64_t points, int64_t draws) {
    if (code >= N_FUNCTIONS || FUNCTIONS[code].arity == 0) return UNKNOWN_WORD;
    const Function& function = FUNCTIONS[code];
    const bool binary = function.arity == 2;
    if (machine.stack.count < function.arity) return STACK_UNDERFLOW;
    int32_t b = binary ? machine.stack.pop() : 0;
    asm("" : "+r"(b));  // else both are loaded at once, which waits until both stores are through
    const int32_t a = machine.stack.pop();
    const Value &x = machine.values.items[a], &y = machine.values.items[b];
    const Kind kind = binary ? Kind(x.kind | y.kind) : x.kind;
    if (kind == SCALAR) {
        double result;
        const View one{&x.number, 0, true}, other{&y.number, 0, true};
        binary ? function.two(one, other, &result, 1, 1) : function.one(one, &result, 1, 1);
        push_number(machine, result);
        return DONE;
    }
    // A buffer may be used again once its value was read, unless every strip will read it.
    Buffers& buffers = machine.buffers[kind];
    const bool x_is_free = x.source == BUFFER && x.kind == kind;
    const bool y_is_free = binary && y.source == BUFFER && y.kind == kind;
    if (x_is_free && y_is_free) buffers.pool.released.push(y.tag);
    const int64_t number = x_is_free ? x.tag : y_is_free ? y.tag : buffers.take();
    if (number < 0) return NO_MEMORY;
    double* out = buffers.made.items[number];
    const int64_t length = kind == POINTS ? points : draws;
    if (kind == FULL)
        push_step(machine, code, a, b, out);
    else if (binary)
        function.two(view_of(x), view_of(y), out, 1, length);
    else
        function.one(view_of(x), out, 1, length);
    Value& value = push_value(machine);
    set_array(value, out, kind, BUFFER);
    value.tag = int32_t(number);
    return DONE;
}

// Pushes what the words say; the program's value is then alone on the stack.
static Status push_words(Machine& machine, const Words& words, const Chunk& chunk,
                         const Draws& draws) {
    const int32_t* const end = words.end;
    for (const int32_t* word = words.begin; word < end; word++) {
        const int32_t kind = *word >> 28, rest = *word & 0x0fffffff;
        if (kind == 0) {
            const Status status = push_operation(machine, rest, chunk.points, draws.n_draws);
            if (status != DONE) return status;
        } else if (kind == 1) {
            if (rest >= chunk.n_variables) return NO_SUCH_VARIABLE;
            set_array(push_value(machine), chunk.variables + rest * chunk.stride, POINTS, VARIABLE);
        } else if (kind == 2) {
            if (!draws.find(*word, chunk.first_strip, push_value(machine))) return NO_SUCH_COLUMN;
        } else if (kind == 3) {
            if (end - word < 3) return TRUNCATED_NUMBER;
            const uint64_t bits = uint32_t(word[1]) | uint64_t(uint32_t(word[2])) << 32;
            double number;
            memcpy(&number, &bits, sizeof number);
            push_number(machine, number);
            word += 2;
        } else {
            return UNKNOWN_WORD;
        }
    }
    return machine.stack.count == 1 ? DONE : LEFT_OVER;
}

// Lets the last step write to the result, whatever kind of value the program has.
static void finish_steps(Machine& machine) {
    const int32_t number = machine.stack.items[0];
    Value& root = machine.values.items[number];
    if (root.source != BUFFER || root.kind != FULL) {
        spread_number(machine, root);
        machine.steps.push({SPREAD[root.kind], number, 0, 0, 0, nullptr, 0});
    }
    Step& last = machine.steps.items[machine.steps.count - 1];
    last.out = machine.result.items;
    last.out_per_draw = STRIP;
}

// Compiles a program for a chunk of points; the machine has room for as many words.
static Status compile(Machine& machine, const Words& words, const Chunk& chunk, const Draws& draws) {
    machine.clear();
    const Status status = push_words(machine, words, chunk, draws);
    if (status == DONE) finish_steps(machine);
    return status;
}

// Lets the steps find their draws elsewhere; false if there is no such column. What depends on draws
// alone was computed from where they were, so this does for parameters of kind FULL only.
static bool move_parameters(Machine& machine, const Chunk& chunk, const Draws& draws) {
    bool found = true;
    for (int64_t at = 1; at < machine.values.count; at++) {
        Value& value = machine.values.items[at];
        if (value.source == COLUMN) found &= draws.find(value.tag, chunk.first_strip, value);
    }
    return found;
}

}  // namespace SYMBED_NS
