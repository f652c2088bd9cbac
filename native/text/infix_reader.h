// A fast reader of infix text: turns lines into words of programs, for formulas by the million.
//
// This reads the plain core of the language: ASCII names that it was told, plain numbers, operators,
// parentheses and calls. Whatever else a line holds (an error, a limit, a rare spelling) is left
// alone, and symbed.language.parser decides. What is read compiles to the same words as
// symbed.engine.program makes of the parsed text; a test compares the two.
#pragma once
#include "text/symbol_table.h"

// What is read changes with every character; in one piece of code it stays in registers.
#define SYMBED_INLINE inline __attribute__((always_inline))

namespace {

constexpr int64_t MOST_CHARACTERS = 4096;  // longer lines are for the parser, which has the limits
constexpr int MOST_WAITING = 100;          // operators and groups inside each other; far below them
constexpr int32_t VARIABLE_WORD = 1 << 28, PARAMETER_WORD = 2 << 28, NUMBER_WORD = 3 << 28;
constexpr int SLOT_BITS = 20;

uint64_t mixed(uint64_t code, uint64_t left, uint64_t right) {
    uint64_t key = left * 0x9E3779B97F4A7C15u + right * 0xC2B2AE3D27D4EB4Fu + code;
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93u;
    return key ^ key >> 29;
}

// A value: its words are those from `start` to the start of the next one. Length and key order
// commutative operands, as in symbed.engine.program.
struct Operand {
    uint64_t key;
    int32_t start;
    bool literal;  // a number that the text spells
};

// What waits in the shunting yard: an operator, or the floor of a group.
struct Waiting {
    int32_t code;        // of the operator; of a group, its function or -1 for a parenthesis
    int16_t precedence;  // 0 for a floor
    int16_t values;      // of a group: commas plus one
};

class Line {
public:
    // Room for a line: four words for each character are enough for any.
    Line(const Vocabulary& words, int32_t* out, Operand* stack)
        : words(words), codes(words.codes), out(out), stack(stack) {}

    // Reads one line; false leaves it to the parser. What is read are the words in postfix order,
    // each parameter followed by its identity.
    bool read(const char* text, const char* end) {
        push_waiting(-1, 0, 1);
        bool wanted = true;  // a value is wanted, not an operator
        while (text < end) {
            const Class kind = class_of(*text);
            if (kind == SPACE)
                text++;
            else if (!(wanted ? take_value(kind, text, end, wanted)
                              : take_operator(kind, text, end, wanted)))
                return false;
        }
        return !wanted && release(1) && n_waiting == 1 && n_stack == 1;
    }

    // Numbers the parameters in order of appearance; returns how many there are, and the words
    // without identities. `slots` has room for as many numbers as the line has parameters.
    int32_t finish(int32_t* slots, int64_t& n_words) const {
        int32_t n_slots = 0, to = n_out;
        if (n_parameters) to = 0;
        for (int32_t from = 0; n_parameters && from < n_out;) {
            const int32_t word = out[from++], kind = word >> 28;
            out[to++] = word;
            if (kind == 2) {
                const int32_t identity = out[from++];
                int32_t slot = 0;
                while (slot < n_slots && slots[slot] != identity) slot++;
                if (slot == n_slots) slots[n_slots++] = identity;
                out[to - 1] |= slot;
            } else if (kind == 3) {
                out[to++] = out[from++];
                out[to++] = out[from++];
            }
        }
        n_words = to;
        return n_slots;
    }

private:
    const Vocabulary& words;
    const Codes& codes;
    int32_t* out;
    Operand* stack;
    Waiting waiting[MOST_WAITING];
    int32_t n_out = 0, n_stack = 0, n_waiting = 0, n_parameters = 0, anonymous = 0;

    bool push_waiting(int32_t code, int16_t precedence, int16_t values) {
        if (n_waiting == MOST_WAITING) return false;
        waiting[n_waiting++] = {code, precedence, values};
        return true;
    }

    SYMBED_INLINE bool take_value(Class kind, const char*& text, const char* end, bool& wanted) {
        if (kind == LETTER) return take_name(text, end, wanted);
        if (kind == OPEN) {
            text++;
            return push_waiting(-1, 0, 1);
        }
        wanted = false;
        if (kind == DIGIT) return take_number(text, end);
        wanted = true;
        const char c = *text++;
        return c == '+' || (c == '-' && push_waiting(codes.negate, 3, 0));
    }

    // Digits with at most one dot, few enough that mantissa / power of ten is rounded just once.
    bool take_number(const char*& text, const char* end) {
        uint64_t mantissa = 0;
        int digits = 0, behind = 0;
        bool dotted = false;
        for (; text < end && (class_of(*text) == DIGIT || (*text == '.' && !dotted)); text++) {
            if (*text == '.') {
                dotted = true;
                continue;
            }
            mantissa = mantissa * 10 + uint64_t(*text - '0');
            behind += dotted;
            if (++digits > 15) return false;
        }
        if (text < end && (class_of(*text) == LETTER || *text == '.')) return false;
        double scale = 1.0;
        for (int i = 0; i < behind; i++) scale *= 10.0;
        push_number(double(mantissa) / scale, true);
        return true;
    }

    SYMBED_INLINE bool take_name(const char*& text, const char* end, bool& wanted) {
        Name name{text};
        while (text < end && (class_of(*text) == LETTER || class_of(*text) == DIGIT))
            name.add(*text++);
        const Word& word = words.seek(name);
        if (!word.name.text) return false;
        if (word.role == FUNCTION) {
            while (text < end && is_space(*text)) text++;
            if (text == end || *text != '(') return false;
            text++;
            return push_waiting(word.value, 0, 1);
        }
        wanted = false;
        if (word.role == CONSTANT) {
            push_number(word.number, false);
        } else if (word.role == VARIABLE) {
            push_leaf(VARIABLE_WORD | word.value);
        } else {
            push_leaf(PARAMETER_WORD | word.value << SLOT_BITS);
            out[n_out++] = word.role == ANONYMOUS ? -1 - anonymous++ : word.identity;
            n_parameters++;
        }
        return true;
    }

    SYMBED_INLINE bool take_operator(Class kind, const char*& text, const char* end, bool& wanted) {
        const char c = *text++;
        if (kind == CLOSE) return close();
        wanted = true;
        if (kind == COMMA) {
            if (!release(1) || waiting[n_waiting - 1].code < 0) return false;
            waiting[n_waiting - 1].values++;
            return n_waiting > 1;
        }
        if (kind != OPERATOR) return false;
        const bool power = c == '^' || (c == '*' && text < end && *text == '*');
        if (power) {
            text += c == '*';
            return push_waiting(codes.power, 4, 0);
        }
        const int code = c == '+'   ? codes.add
                         : c == '-' ? codes.subtract
                         : c == '*' ? codes.multiply
                                    : codes.divide;
        const int16_t precedence = c == '+' || c == '-' ? 1 : 2;
        return release(precedence) && push_waiting(code, precedence, 0);
    }

    // Lets go of waiting operators that bind at least as tightly.
    SYMBED_INLINE bool release(int32_t precedence) {
        while (waiting[n_waiting - 1].precedence >= precedence)
            if (!emit(waiting[--n_waiting].code)) return false;
        return true;
    }

    bool close() {
        if (!release(1) || n_waiting == 1) return false;
        const Waiting& group = waiting[--n_waiting];
        if (group.code < 0) return true;
        return group.values == words.arities[group.code] && emit(group.code);
    }

    // An operator on the values on top of the stack, in the one form that each tree has.
    SYMBED_INLINE bool emit(int32_t code) {
        const int arity = words.arities[code];
        if (n_stack < arity || arity < 1) return false;
        Operand& top = stack[n_stack - 1];
        if (top.literal && code == codes.negate) {
            const double number = -number_at(top.start);
            n_out = top.start;
            n_stack--;
            push_number(number, true);
            return true;
        }
        if (top.literal && code == codes.power) {
            const double exponent = number_at(top.start);
            const int fixed = exponent == 2.0    ? codes.square
                              : exponent == 3.0  ? codes.cube
                              : exponent == 4.0  ? codes.fourth
                              : exponent == 5.0  ? codes.fifth
                              : exponent == -1.0 ? codes.inverse
                                                 : -1;
            if (fixed >= 0) {
                n_out = top.start;
                n_stack--;
                apply(fixed);
                return true;
            }
        }
        if (arity == 1)
            apply(code);
        else
            join(code);
        return true;
    }

    void apply(int32_t code) {
        Operand& value = stack[n_stack - 1];
        value.key = mixed(uint64_t(code), value.key, 0);
        value.literal = false;
        out[n_out++] = code;
    }

    SYMBED_INLINE void join(int32_t code) {
        const Operand& right = stack[--n_stack];
        Operand& left = stack[n_stack - 1];
        const int32_t n_left = right.start - left.start, n_right = n_out - right.start;
        uint64_t first = left.key, second = right.key;
        const bool later = n_right > n_left || (n_right == n_left && second > first);
        if (later && words.commutative[code]) {
            swap_words(out + left.start, n_left, n_right);
            first = right.key;
            second = left.key;
        }
        left.key = mixed(uint64_t(code), first, second);
        left.literal = false;
        out[n_out++] = code;
    }

    // Swaps two runs of words; the first one is not longer, and there is room behind the second.
    static void swap_words(int32_t* at, int32_t n_first, int32_t n_second) {
        int32_t* behind = at + n_first + n_second;
        memcpy(behind, at, size_t(n_first) * sizeof *at);
        memmove(at, at + n_first, size_t(n_first + n_second) * sizeof *at);
    }

    double number_at(int32_t start) const {
        double number;
        memcpy(&number, out + start + 1, sizeof number);
        return number;
    }

    void push_number(double number, bool literal) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        push_leaf(NUMBER_WORD);
        Operand& value = stack[n_stack - 1];
        value.key = mixed(uint64_t(NUMBER_WORD), bits & 0xffffffffu, bits >> 32);
        value.literal = literal;
        memcpy(out + n_out, &number, sizeof number);
        n_out += 2;
    }

    void push_leaf(int32_t word) {
        Operand& value = stack[n_stack++];
        value.key = uint64_t(word);
        value.start = n_out;
        value.literal = false;
        out[n_out++] = word;
    }
};

// Room for reading one line after the other.
struct Desk {
    static constexpr size_t MOST = size_t(MOST_CHARACTERS) + 1;
    Operand* stack = static_cast<Operand*>(malloc(MOST * sizeof(Operand)));
    int32_t* slots = static_cast<int32_t*>(malloc(MOST * sizeof(int32_t)));
    int32_t* words = static_cast<int32_t*>(malloc(8 * MOST * sizeof(int32_t)));

    Desk() = default;
    Desk(const Desk&) = delete;
    ~Desk() {
        free(stack);
        free(slots);
        free(words);
    }
    bool ready() const { return stack && slots && words; }

    // The words of a line, their number and that of its parameters; false leaves it to the parser.
    bool read(const Vocabulary& vocabulary, const char* text, const char* end, int64_t& n_words,
              int32_t& n_parameters) const {
        if (end - text > MOST_CHARACTERS) return false;
        Line line(vocabulary, words, stack);
        if (!line.read(text, end)) return false;
        n_parameters = line.finish(slots, n_words);
        return true;
    }
};

}  // namespace
