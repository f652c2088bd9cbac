// Lines of text to words of programs, for formulas by the million.
//
// This reads the plain core of the language: ASCII names that it was told, plain numbers, operators,
// parentheses and calls. Whatever else a line holds (an error, a limit, a rare spelling) is left
// alone, and symbed.language.parser decides. What is read compiles to the same words as
// symbed.engine.program makes of the parsed text; a test compares the two.
#pragma once
#include "text/infix_reader.h"
#include "text/symbol_table.h"

namespace {

constexpr int64_t MAX_CHARACTERS = 4096;  // longer lines are for the parser, which has the limits
constexpr int64_t MAX_NESTING = 100;      // half of what the parser takes
constexpr int32_t VARIABLE_WORD = 1 << 28, PARAMETER_WORD = 2 << 28, NUMBER_WORD = 3 << 28;
constexpr int SLOT_BITS = 20;
// How tightly operators bind, as in symbed/language/operators.py.
constexpr int SUM = 1, PRODUCT = 2, NEGATION = 3, EXPONENT = 4;

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
    bool is_literal;  // a number that the text spells
};

// The output of the reader: a program's words in postfix order, each parameter followed by its
// identity.
struct ProgramWriter {
    const Vocabulary& vocabulary;
    int32_t* out;
    Operand* stack;
    const Codes& codes = vocabulary.codes;
    int32_t n_out = 0, n_stack = 0, n_parameters = 0, anonymous = 0;

    // Numbers the parameters in order of appearance; returns how many there are, and the words
    // without identities. `slots` has room for as many numbers as the line has parameters.
    int32_t number_parameters(int32_t* slots, int64_t& n_words) const {
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

    int arity_of(int32_t code) const { return vocabulary.arities[code]; }

    // An operator on the values on top of the stack, in the one form that each tree has. The reader
    // sees to it that these are there.
    SYMBED_INLINE void emit(int32_t code) {
        const Operand& top = stack[n_stack - 1];
        if (top.is_literal && code == codes.negate) {
            const double number = -number_at(top.start);
            drop_last();
            put_number(number, true);
        } else if (int fixed; top.is_literal && code == codes.power &&
                              (fixed = fixed_power(number_at(top.start))) >= 0) {
            drop_last();
            apply(fixed);
        } else if (arity_of(code) == 1) {
            apply(code);
        } else {
            join(code);
        }
    }

    void put_leaf(int32_t word) {
        stack[n_stack++] = {uint64_t(word), n_out, false};
        out[n_out++] = word;
    }

    void put_number(double number, bool is_literal) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        const uint64_t key = mixed(uint64_t(NUMBER_WORD), bits & 0xffffffffu, bits >> 32);
        stack[n_stack++] = {key, n_out, is_literal};
        out[n_out++] = NUMBER_WORD;
        memcpy(out + n_out, &number, sizeof number);
        n_out += 2;
    }

    // Each anonymous parameter is one of its own.
    void put_parameter(const Word& word) {
        put_leaf(PARAMETER_WORD | word.value << SLOT_BITS);
        out[n_out++] = word.role == ANONYMOUS ? -1 - anonymous++ : word.identity;
        n_parameters++;
    }

    int fixed_power(double exponent) const {
        return exponent == 2.0    ? codes.square
               : exponent == 3.0  ? codes.cube
               : exponent == 4.0  ? codes.fourth
               : exponent == 5.0  ? codes.fifth
               : exponent == -1.0 ? codes.inverse
                                  : -1;
    }

    void drop_last() { n_out = stack[--n_stack].start; }

    void apply(int32_t code) {
        Operand& value = stack[n_stack - 1];
        value.key = mixed(uint64_t(code), value.key, 0);
        value.is_literal = false;
        out[n_out++] = code;
    }

    SYMBED_INLINE void join(int32_t code) {
        const Operand& right = stack[--n_stack];
        Operand& left = stack[n_stack - 1];
        const int32_t n_left = right.start - left.start, n_right = n_out - right.start;
        uint64_t first = left.key, second = right.key;
        const bool later = n_right > n_left || (n_right == n_left && second > first);
        if (later && vocabulary.commutative[code]) {
            swap_words(out + left.start, n_left, n_right);
            first = right.key;
            second = left.key;
        }
        left.key = mixed(uint64_t(code), first, second);
        left.is_literal = false;
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
};

// The lexer: tells the reader what the characters of a line mean; false leaves it to the parser.
struct LineLexer {
    const Vocabulary& vocabulary;
    InfixReader<ProgramWriter> reader;
    const Codes& codes = vocabulary.codes;

    SYMBED_INLINE bool read(const char* text, const char* end) {
        while (text < end) {
            const Class kind = class_of(*text);
            if (kind == SPACE)
                text++;
            else if (!(reader.wants_value ? take_value(kind, text, end)
                                          : take_operator(kind, text, end)))
                return false;
        }
        return reader.finish();
    }

    SYMBED_INLINE bool take_value(Class kind, const char*& text, const char* end) {
        if (kind == LETTER) return take_name(text, end);
        if (kind == DIGIT) return take_number(text, end);
        const char c = *text++;
        if (kind == OPEN) return reader.open(-1, Waits::PARENTHESIS);
        return c == '+' || (c == '-' && reader.sign(codes.negate, NEGATION));
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
        reader.output.put_number(double(mantissa) / scale, true);
        reader.wants_value = false;
        return true;
    }

    SYMBED_INLINE bool take_name(const char*& text, const char* end) {
        Name name{text};
        while (text < end && (class_of(*text) == LETTER || class_of(*text) == DIGIT))
            name.add(*text++);
        const Word& word = vocabulary.seek(name);
        if (!word.name.text) return false;
        if (word.role == FUNCTION) {
            while (text < end && is_space(*text)) text++;
            return text < end && *text++ == '(' && reader.open(word.value, Waits::CALL);
        }
        reader.wants_value = false;
        if (word.role == CONSTANT)
            reader.output.put_number(word.number, false);
        else if (word.role == VARIABLE)
            reader.output.put_leaf(VARIABLE_WORD | word.value);
        else
            reader.output.put_parameter(word);
        return true;
    }

    SYMBED_INLINE bool take_operator(Class kind, const char*& text, const char* end) {
        const char c = *text++;
        if (kind == CLOSE) return reader.close(false);
        if (kind == COMMA) return reader.comma();
        if (kind != OPERATOR) return false;
        if (c == '^') return reader.power(codes.power, EXPONENT);
        if (c == '*' && text < end && *text == '*') {
            text++;
            return reader.power(codes.power, EXPONENT);
        }
        const int code = c == '+'   ? codes.add
                         : c == '-' ? codes.subtract
                         : c == '*' ? codes.multiply
                                    : codes.divide;
        return reader.infix(code, c == '+' || c == '-' ? SUM : PRODUCT);
    }
};

// Room for reading one line after the other: a value and a waiting operator for each character are
// enough for any, and so are four words, swapped by way of as many.
struct LineReader {
    static constexpr size_t MAX_ITEMS = size_t(MAX_CHARACTERS) + 1;
    Operand* stack = static_cast<Operand*>(malloc(MAX_ITEMS * sizeof(Operand)));
    Waiting* waiting = static_cast<Waiting*>(malloc(MAX_ITEMS * sizeof(Waiting)));
    int32_t* slots = static_cast<int32_t*>(malloc(MAX_ITEMS * sizeof(int32_t)));
    int32_t* words = static_cast<int32_t*>(malloc(8 * MAX_ITEMS * sizeof(int32_t)));

    LineReader() = default;
    LineReader(const LineReader&) = delete;
    ~LineReader() {
        free(stack);
        free(waiting);
        free(slots);
        free(words);
    }
    bool has_memory() const { return stack && waiting && slots && words; }

    // The words of a line, their number and that of its parameters; false leaves it to the parser.
    bool read(const Vocabulary& vocabulary, const char* text, const char* end, int64_t& n_words,
              int32_t& n_parameters) const {
        if (end - text > MAX_CHARACTERS) return false;
        LineLexer lexer{vocabulary, {{vocabulary, words, stack}, waiting, MAX_NESTING}};
        if (!lexer.read(text, end)) return false;
        n_parameters = lexer.reader.output.number_parameters(slots, n_words);
        return true;
    }
};

}  // namespace
