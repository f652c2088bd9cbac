// The vocabulary: look up what a name in a formula means.
#pragma once
#include "api/core.h"

#include <stdlib.h>
#include <string.h>

namespace {

enum Role : int32_t { FUNCTION, CONSTANT, VARIABLE, PARAMETER, ANONYMOUS };

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

// Characters by what they begin.
enum Class : uint8_t { OTHER, SPACE, LETTER, DIGIT, OPEN, CLOSE, COMMA, OPERATOR };

struct Classes {
    Class of[256] = {};
    constexpr Classes() {
        for (int c = 'a'; c <= 'z'; c++) of[c] = of[c - 'a' + 'A'] = LETTER;
        for (int c = '0'; c <= '9'; c++) of[c] = DIGIT;
        for (int c = '\t'; c <= '\r'; c++) of[c] = SPACE;
        of[int('_')] = LETTER;
        of[int(' ')] = SPACE;
        of[int('(')] = OPEN;
        of[int(')')] = CLOSE;
        of[int(',')] = COMMA;
        for (const char* c = "+-*/^"; *c; c++) of[int(*c)] = OPERATOR;
    }
};
constexpr Classes CLASSES;

Class class_of(char c) { return CLASSES.of[uint8_t(c)]; }
bool is_space(char c) { return class_of(c) == SPACE; }

// A name; most are told apart by their first eight characters.
struct Name {
    const char* text = nullptr;
    int64_t length = 0;
    uint64_t first = 0;

    void add(char c) {
        if (length++ < 8) first = first << 8 | uint8_t(c);
    }
    bool is(const Name& other) const {
        return first == other.first && length == other.length &&
               (length <= 8 || !memcmp(text, other.text, size_t(length)));
    }
    uint64_t hash() const {
        const uint64_t mixed = (first + uint64_t(length)) * 0x9E3779B97F4A7C15u;
        return mixed ^ mixed >> 32;
    }
};

// Words that a line may use, in an open hash table.
struct Word {
    Name name;
    Role role;
    int32_t value;
    double number;
    int32_t identity;
};

struct Vocabulary {
    static constexpr int64_t MAX_NAMES = 1 << 14;
    uint64_t mask;  // one less than the number of places, which is a power of two
    Word* places;
    const uint8_t* commutative;
    int8_t arities[256];
    Codes codes;

    explicit Vocabulary(const SymbolTable& given)
        : mask(255), commutative(given.commutative) {
        for (int code = 0; code < 256; code++) arities[code] = int8_t(symbed_operator_arity(code));
        while (int64_t(mask) < 4 * given.n_names) mask = 2 * mask + 1;
        places = static_cast<Word*>(calloc(mask + 1, sizeof(Word)));
        for (int64_t i = 0; places && i < given.n_names; i++) {
            Name name{given.names + given.name_starts[i]};
            while (name.length < given.name_starts[i + 1] - given.name_starts[i])
                name.add(name.text[name.length]);
            seek(name) = {name, Role(given.roles[i]), given.values[i], given.numbers[i], int32_t(i)};
        }
    }
    ~Vocabulary() { free(places); }

    // The word's place, or the empty place where it would stand.
    Word& seek(const Name& name) const {
        uint64_t place = name.hash() & mask;
        while (places[place].name.text && !places[place].name.is(name)) place = (place + 1) & mask;
        return places[place];
    }
};

}  // namespace
