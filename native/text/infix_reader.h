// The reader of infix notation: the shunting yard, whatever a formula's tokens are made of and
// whatever its postfix sequence is written in.
//
// A lexer tells the reader each token's part in the formula: lines of text bring characters
// (line_reader.h), grammars bring numbers of tokens (grammar_sampler.cpp). The reader gives operators
// to its output in postfix order. symbed/language/_token_readers.py does the same for the parser.
#pragma once
#include <stdint.h>

// What is read changes with every token; in one piece of code it stays in registers.
#define SYMBED_INLINE inline __attribute__((always_inline))

namespace {

// What waits: the floor of an open group, or an operator that lacks its last operand.
enum class Waits : uint8_t { PARENTHESIS, BAR, CALL, SIGN, INFIX, POWER };

struct Waiting {
    int32_t code;  // of the operator; of a group, the operator that it brings or -1
    int8_t precedence;
    Waits kind;
    int16_t depth;   // groups and stacked powers around the value that comes next
    int32_t values;  // of a group: commas plus one
};
constexpr int8_t FLOOR = -1;  // precedence of a group's floor, below that of every operator

// Each token handled once, by one of the functions below; false says that this is no formula, or one
// that nests deeper than `nesting`. Output has emit(code) and arity_of(code).
template <class Output>
class InfixReader {
public:
    Output output;
    bool wants_value = true;  // or else an operator

    // Room: one more than there are tokens.
    InfixReader(const Output& output, Waiting* room, int64_t nesting)
        : output(output), bottom(room), top(room), nesting(nesting) {
        *top = {-1, FLOOR, Waits::PARENTHESIS, 0, 1};
    }

    // A sign releases nothing: in 2^-x the power waits for it.
    SYMBED_INLINE bool sign(int32_t code, int precedence) {
        return push(code, precedence, Waits::SIGN, top->depth);
    }

    SYMBED_INLINE bool open(int32_t code, Waits group) {
        const int depth = top->depth + 1;
        push(code, FLOOR, group, depth);
        top->values = 1;
        return depth <= nesting;
    }

    // Whether an operator of this precedence waits in the present group, below tighter ones.
    bool has_waiting(int precedence) const {
        const Waiting* under = top;
        while (under->precedence > precedence) under--;
        return under->precedence == precedence;
    }

    // Operators that bind as tightly go too: all but powers group from the left.
    SYMBED_INLINE bool infix(int32_t code, int precedence) {
        release(precedence);
        wants_value = true;
        return push(code, precedence, Waits::INFIX, top->depth);
    }

    // Groups from the right, so nothing is released; a power in an exponent nests like a group.
    SYMBED_INLINE bool power(int32_t code, int precedence) {
        const int depth = top->depth + is_exponent();
        wants_value = true;
        return push(code, precedence, Waits::POWER, depth) && depth <= nesting;
    }

    // An operator behind its operand, such as ^2; as text it is a power like any other.
    SYMBED_INLINE bool postfix(int32_t code) {
        output.emit(code);
        return top->depth + is_exponent() <= nesting;
    }

    SYMBED_INLINE bool comma() {
        release(FLOOR + 1);
        top->values++;
        wants_value = true;
        return top->kind == Waits::CALL;
    }

    SYMBED_INLINE bool close(bool bar) {
        release(FLOOR + 1);
        const Waiting& group = *top;
        if (top == bottom || (group.kind == Waits::BAR) != bar) return false;
        top--;
        if (group.code < 0) return true;
        if (group.values != output.arity_of(group.code)) return false;
        output.emit(group.code);
        return true;
    }

    // Whether the tokens so far are a whole formula; its last operators go to the output.
    SYMBED_INLINE bool finish() {
        if (wants_value) return false;
        release(FLOOR + 1);
        return top == bottom;
    }

private:
    Waiting *const bottom, *top;
    const int64_t nesting;

    SYMBED_INLINE bool push(int32_t code, int precedence, Waits kind, int depth) {
        Waiting& next = *++top;
        next.code = code;
        next.precedence = int8_t(precedence);
        next.kind = kind;
        next.depth = int16_t(depth);
        return true;
    }

    // Whether the value that was read last, or comes next, is an exponent.
    SYMBED_INLINE bool is_exponent() const {
        const Waiting* under = top;
        while (under->kind == Waits::SIGN) under--;
        return under->kind == Waits::POWER;
    }

    SYMBED_INLINE void release(int precedence) {
        while (top->precedence >= precedence) output.emit((top--)->code);
    }
};

}  // namespace
