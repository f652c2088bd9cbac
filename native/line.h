// A line of infix text goes in, the words of its program come out, for formulas by the million.
//
// This reads the plain core of the language: ASCII names that it was told, plain numbers, operators,
// parentheses and calls. Whatever else a line holds (an error, a limit, a rare spelling) is left
// alone, and symbed.language.parser decides. What is read compiles to the same words as
// symbed.engine.program makes of the parsed text; a test compares the two.
#pragma once
#include "core.h"

#include <stdlib.h>
#include <string.h>

// The names that lines may use, and what each means.
struct Lexicon {
    const char* names;            // one after the other
    const int64_t* name_starts;   // [n_names + 1]
    const int32_t* roles;         // [n_names] function, constant, variable, parameter, anonymous
    const int32_t* values;        // [n_names] operator code, row of a variable, range of a parameter
    const double* numbers;        // [n_names] value of a constant
    int64_t n_names;
    const uint8_t* commutative;   // [256] by operator code
};

namespace {

enum Role : int32_t { FUNCTION, CONSTANT, VARIABLE, PARAMETER, ANONYMOUS };

constexpr int64_t MOST_CHARACTERS = 4096;  // longer lines are for the parser, which has the limits
constexpr int MOST_WAITING = 100;          // operators and groups inside each other; far below them
constexpr int32_t VARIABLE_WORD = 1 << 28, PARAMETER_WORD = 2 << 28, NUMBER_WORD = 3 << 28;
constexpr int SLOT_BITS = 20;

// The operators that have a meaning of their own here, found by name in the shared table.
int find(const char* name) {
    for (int code = 0; symbed_operator_name(code); code++)
        if (!strcmp(symbed_operator_name(code), name)) return code;
    return -1;
}

struct Codes {
    int add = find("+"), subtract = find("-"), multiply = find("*"), divide = find("/");
    int power = find("^"), negate = find("neg");
    int square = find("^2"), cube = find("^3"), fourth = find("^4"), fifth = find("^5");
    int inverse = find("^-1");
};

// Words that a line may use, in an open hash table.
struct Word {
    const char* text;
    int64_t length;
    Role role;
    int32_t value;
    double number;
    int64_t identity;
};

struct Vocabulary {
    static constexpr int64_t MOST_NAMES = 1 << 14;
    uint64_t mask;  // one less than the number of places, which is a power of two
    Word* places;
    const uint8_t* commutative;
    Codes codes;

    explicit Vocabulary(const Lexicon& given)
        : mask(255), commutative(given.commutative) {
        while (int64_t(mask) < 4 * given.n_names) mask = 2 * mask + 1;
        places = static_cast<Word*>(calloc(mask + 1, sizeof(Word)));
        for (int64_t i = 0; places && i < given.n_names; i++) {
            const char* text = given.names + given.name_starts[i];
            const int64_t length = given.name_starts[i + 1] - given.name_starts[i];
            Word& place = seek(text, length);
            place = {text, length, Role(given.roles[i]), given.values[i], given.numbers[i], i};
        }
    }
    ~Vocabulary() { free(places); }

    // The word's place, or the empty place where it would stand.
    Word& seek(const char* text, int64_t length) const {
        uint64_t hash = 14695981039346656037u;
        for (int64_t i = 0; i < length; i++) hash = (hash ^ uint8_t(text[i])) * 1099511628211u;
        uint64_t place = (hash ^ hash >> 32) & mask;
        while (places[place].text && !(places[place].length == length &&
                                       !memcmp(places[place].text, text, size_t(length))))
            place = (place + 1) & mask;
        return places[place];
    }
};

// A node of the tree: its key and rank order commutative operands, as in symbed.engine.program.
struct Node {
    uint64_t key;
    double number;
    int64_t identity;  // of a parameter
    int32_t rank, word, left, right;
    bool literal;      // a number that the text spells
};

uint64_t mixed(uint64_t code, uint64_t left, uint64_t right) {
    uint64_t key = left * 0x9E3779B97F4A7C15u + right * 0xC2B2AE3D27D4EB4Fu + code;
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93u;
    return key ^ key >> 29;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What waits in the shunting yard: an operator, or the floor of a group.
struct Waiting {
    int32_t code;        // of the operator; of a group, its function or -1 for a parenthesis
    int32_t precedence;  // 0 for a floor
    int32_t values;      // of a group: commas plus one
};

class Line {
public:
    Line(const Vocabulary& words, Node* nodes, int32_t* stack)
        : words(words), codes(words.codes), nodes(nodes), stack(stack) {}

    // Reads one line; false leaves it to the parser.
    bool read(const char* text, const char* end) {
        n_nodes = n_stack = 0;
        n_waiting = 0;
        anonymous = 0;
        push_waiting({-1, 0, 1});
        bool wanted = true;  // a value is wanted, not an operator
        while (text < end) {
            const char c = *text;
            if (is_space(c)) {
                text++;
            } else if (wanted) {
                if (!take_value(text, end, wanted)) return false;
            } else if (!take_operator(text, end, wanted)) {
                return false;
            }
        }
        if (wanted || !release(1) || n_waiting != 1) return false;
        return n_stack == 1;
    }

    // Writes the words in postfix order; returns the number of parameters.
    int32_t write(int32_t*& out, int64_t* slots, int32_t* walk) const {
        int32_t n_slots = 0, depth = 0;
        walk[depth++] = stack[0];
        while (depth) {
            const int32_t here = walk[--depth];
            if (here < 0) {
                *out++ = nodes[~here].word;
                continue;
            }
            const Node& node = nodes[here];
            if (node.left >= 0) {
                walk[depth++] = ~here;
                if (node.right >= 0) walk[depth++] = node.right;
                walk[depth++] = node.left;
            } else if (node.word == NUMBER_WORD) {
                *out++ = NUMBER_WORD;
                memcpy(out, &node.number, sizeof node.number);
                out += 2;
            } else if (node.word >> 28 == 2) {
                int32_t slot = 0;
                while (slot < n_slots && slots[slot] != node.identity) slot++;
                if (slot == n_slots) slots[n_slots++] = node.identity;
                *out++ = node.word | slot;
            } else {
                *out++ = node.word;
            }
        }
        return n_slots;
    }

private:
    const Vocabulary& words;
    const Codes& codes;
    Node* nodes;
    int32_t* stack;
    Waiting waiting[MOST_WAITING];
    int32_t n_nodes = 0, n_stack = 0, n_waiting = 0;
    int64_t anonymous = 0;

    bool push_waiting(const Waiting& item) {
        if (n_waiting == MOST_WAITING) return false;
        waiting[n_waiting++] = item;
        return true;
    }

    bool take_value(const char*& text, const char* end, bool& wanted) {
        const char c = *text;
        if (c == '(') {
            text++;
            return push_waiting({-1, 0, 1});
        }
        if (c == '-' || c == '+') {
            text++;
            return c == '+' || push_waiting({codes.negate, 3, 0});
        }
        wanted = false;
        if (is_digit(c)) return take_number(text, end);
        return is_letter(c) && take_name(text, end, wanted);
    }

    // Digits with at most one dot, few enough that mantissa / power of ten is rounded just once.
    bool take_number(const char*& text, const char* end) {
        uint64_t mantissa = 0;
        int digits = 0, behind = 0;
        bool dotted = false;
        for (; text < end && (is_digit(*text) || (*text == '.' && !dotted)); text++) {
            if (*text == '.') {
                dotted = true;
                continue;
            }
            mantissa = mantissa * 10 + uint64_t(*text - '0');
            behind += dotted;
            if (++digits > 15) return false;
        }
        if (text < end && (is_letter(*text) || *text == '.')) return false;
        double scale = 1.0;
        for (int i = 0; i < behind; i++) scale *= 10.0;
        push_number(double(mantissa) / scale, true);
        return true;
    }

    bool take_name(const char*& text, const char* end, bool& wanted) {
        const char* begin = text;
        while (text < end && (is_letter(*text) || is_digit(*text))) text++;
        const Word& word = words.seek(begin, text - begin);
        if (!word.text) return false;
        if (word.role == FUNCTION) {
            while (text < end && is_space(*text)) text++;
            if (text == end || *text != '(') return false;
            text++;
            wanted = true;
            return push_waiting({word.value, 0, 1});
        }
        if (word.role == CONSTANT) {
            push_number(word.number, false);
        } else if (word.role == VARIABLE) {
            const int32_t leaf = VARIABLE_WORD | word.value;
            push({uint64_t(leaf), 0.0, 0, 1, leaf, -1, -1, false});
        } else {
            const int32_t leaf = PARAMETER_WORD | word.value << SLOT_BITS;
            const int64_t identity = 
                word.role == ANONYMOUS ? -1 - anonymous++ : word.identity;
            push({uint64_t(leaf), 0.0, identity, 2, leaf, -1, -1, false});
        }
        return true;
    }

    bool take_operator(const char*& text, const char* end, bool& wanted) {
        const char c = *text++;
        if (c == ')') return close();
        wanted = true;
        if (c == ',') {
            if (!release(1) || waiting[n_waiting - 1].code < 0) return false;
            waiting[n_waiting - 1].values++;
            return n_waiting > 1;
        }
        const bool power = c == '^' || (c == '*' && text < end && *text == '*');
        if (power) {
            text += c == '*';
            return push_waiting({codes.power, 4, 0});
        }
        const int code = c == '+'   ? codes.add
                         : c == '-' ? codes.subtract
                         : c == '*' ? codes.multiply
                         : c == '/' ? codes.divide
                                    : -1;
        if (code < 0) return false;
        const int32_t precedence = c == '+' || c == '-' ? 1 : 2;
        return release(precedence) && push_waiting({code, precedence, 0});
    }

    // Lets go of waiting operators that bind at least as tightly.
    bool release(int32_t precedence) {
        while (waiting[n_waiting - 1].precedence >= precedence)
            if (!emit(waiting[--n_waiting].code)) return false;
        return true;
    }

    bool close() {
        if (!release(1) || n_waiting == 1) return false;
        const Waiting group = waiting[--n_waiting];
        if (group.code < 0) return true;
        return group.values == symbed_operator_arity(group.code) && emit(group.code);
    }

    // An operator on the values on top of the stack, in the one form that each tree has.
    bool emit(int32_t code) {
        const int arity = symbed_operator_arity(code);
        if (n_stack < arity || arity < 1) return false;
        const int32_t right = stack[n_stack - 1];
        if (code == codes.negate && nodes[right].literal) {
            n_stack--;
            push_number(-nodes[right].number, true);
            return true;
        }
        if (code == codes.power && nodes[right].literal) {
            const double exponent = nodes[right].number;
            const int fixed = exponent == 2.0    ? codes.square
                              : exponent == 3.0  ? codes.cube
                              : exponent == 4.0  ? codes.fourth
                              : exponent == 5.0  ? codes.fifth
                              : exponent == -1.0 ? codes.inverse
                                                 : -1;
            if (fixed >= 0) {
                n_stack--;
                return join(fixed, 1);
            }
        }
        return join(code, arity);
    }

    bool join(int32_t code, int arity) {
        int32_t right = arity == 2 ? stack[--n_stack] : -1, left = stack[--n_stack];
        if (arity == 2 && words.commutative[code] && before(right, left)) {
            const int32_t held = left;
            left = right;
            right = held;
        }
        const uint64_t key = mixed(uint64_t(code), nodes[left].key, right < 0 ? 0 : nodes[right].key);
        const int32_t rank = 1 + nodes[left].rank + (right < 0 ? 0 : nodes[right].rank);
        push({key, 0.0, 0, rank, code, left, right, false});
        return true;
    }

    bool before(int32_t one, int32_t other) const {
        const Node &a = nodes[one], &b = nodes[other];
        return a.rank > b.rank || (a.rank == b.rank && a.key > b.key);
    }

    void push_number(double number, bool literal) {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        const uint64_t key = mixed(uint64_t(NUMBER_WORD), bits & 0xffffffffu, bits >> 32);
        push({key, number, 0, 3, NUMBER_WORD, -1, -1, literal});
    }

    void push(const Node& node) {
        nodes[n_nodes] = node;
        stack[n_stack++] = n_nodes++;
    }
};

// Room for reading one line after the other.
struct Desk {
    static constexpr size_t MOST = size_t(MOST_CHARACTERS) + 1;
    Node* nodes = static_cast<Node*>(malloc(2 * MOST * sizeof(Node)));
    int32_t* stacks = static_cast<int32_t*>(malloc(5 * MOST * sizeof(int32_t)));
    int64_t* slots = static_cast<int64_t*>(malloc(MOST * sizeof(int64_t)));
    int32_t* words = static_cast<int32_t*>(malloc(3 * MOST * sizeof(int32_t)));

    Desk() = default;
    Desk(const Desk&) = delete;
    ~Desk() {
        free(nodes);
        free(stacks);
        free(slots);
        free(words);
    }
    bool ready() const { return nodes && stacks && slots && words; }

    // The words of a line, their number and that of its parameters; false leaves it to the parser.
    bool read(const Vocabulary& vocabulary, const char* text, const char* end, int64_t& n_words,
              int32_t& n_parameters) const {
        if (end - text > MOST_CHARACTERS) return false;
        Line line(vocabulary, nodes, stacks);
        if (!line.read(text, end)) return false;
        int32_t* out = words;
        n_parameters = line.write(out, slots, stacks + MOST);
        n_words = out - words;
        return true;
    }
};

}  // namespace
