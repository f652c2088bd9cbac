// Random words of a grammar, drawn as token numbers from its rules and a seed; and the reader that
// turns such words into postfix sequences.
//
// Derivations are leftmost, over an explicit stack. The random numbers of a derivation are a hash of
// the seed and the derivation's number, so that a seed gives the same words on every machine.
#include "api/core.h"
#include "text/infix_reader.h"

#include <string.h>

namespace words {

enum Outcome : int64_t { FOUND, NO_ROOM, EXHAUSTED, UNREADABLE, KNOWN };

// A token's part in a formula; symbed/workbench/grammar/tables.py has the same numbers.
enum Role : int32_t { NOWHERE, LEAF, SIGN, OPEN, CALL, INFIX, POWER, POSTFIX, COMMA, CLOSE };

namespace {

const uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

bool is_sound(const GrammarTables& g) {
    if (g.n_nonterminals < 1 || g.shortest < 1 || g.rules[0] != 0 || g.rules[g.n_nonterminals] != g.n_rules ||
        g.sides[0] != 0 || g.sides[g.n_rules] != g.n_symbols)
        return false;
    for (int64_t k = 0; k < g.n_nonterminals; ++k)
        if (g.rules[k] >= g.rules[k + 1]) return false;
    for (int64_t r = 0; r < g.n_rules; ++r)
        if (g.sides[r] >= g.sides[r + 1] || g.growth[r] < 0) return false;
    for (int64_t s = 0; s < g.n_symbols; ++s)
        if (g.symbols[s] >= g.n_tokens || ~int64_t(g.symbols[s]) >= g.n_nonterminals) return false;
    return true;
}

bool is_sound(const ReaderTables& r) {
    for (int64_t t = 0; t < r.n_tokens; ++t)
        if (r.tokens[t].before_item >= r.n_items || r.tokens[t].after_item >= r.n_items ||
            (r.tokens[t].before == LEAF && r.tokens[t].before_item < 0) ||
            (r.tokens[t].after >= INFIX && r.tokens[t].after <= POSTFIX && r.tokens[t].after_item < 0))
            return false;
    for (int64_t i = 0; i < r.n_items; ++i)
        if (r.items[i].negated >= r.n_items || r.items[i].powered >= r.n_items) return false;
    return true;
}

// One derivation into `word`. Its length; -1 if it would be too long, -2 if patience is at an end.
// Every symbol on the stack yields a token at least, so the stack is never longer than `longest`.
int64_t derive(Sampling& s, int32_t* word) {
    const GrammarTables& g = *s.grammar;
    int32_t* stack = s.scratch;
    uint64_t state = mix(s.origin + (uint64_t(s.attempt++) + 1) * GOLDEN);
    memset(s.applied, 0, size_t(g.n_rules) * sizeof *s.applied);
    int64_t height = 0, length = 0, least = g.shortest;
    stack[height++] = ~0;
    while (height) {
        const int32_t symbol = stack[--height];
        if (symbol >= 0) {
            if (length == s.longest) return -1;
            word[length++] = symbol;
            continue;
        }
        if (++s.steps > s.patience) return -2;
        const uint64_t drawn = mix(state += GOLDEN) >> 11;
        int64_t rule = g.rules[~symbol];
        const int64_t last = g.rules[~symbol + 1] - 1;
        int64_t passed = 0;  // counted, not searched: a branch here would be mispredicted
        for (int64_t r = rule; r < last; ++r) passed += drawn >= g.thresholds[r];
        rule += passed;
        least += g.growth[rule];
        if (least > s.longest || height + g.sides[rule + 1] - g.sides[rule] > s.longest) return -1;
        ++s.applied[rule];
        for (int64_t i = g.sides[rule]; i < g.sides[rule + 1]; ++i) stack[height++] = g.symbols[i];
    }
    return length;
}

// The output of the reader: numbers of items, in postfix order.
struct ItemWriter {
    const ReaderTables& tables;
    int32_t* items;
    int64_t count = 0;

    int arity_of(int32_t item) const { return tables.items[item].arity; }
    void put(int32_t item) { items[count++] = item; }

    // Appends an operator in the one form that each tree has: x^2 is a row of its own, -(2) is -2.
    void emit(int32_t item) {
        if (item == tables.power || item == tables.negation) {
            const ItemRow& last = tables.items[items[count - 1]];
            const int32_t folded = item == tables.power ? last.powered : last.negated;
            if (folded >= 0) {
                items[count - 1] = folded;
                return;
            }
        }
        put(item);
    }
};

constexpr int COMPARISON = 0;  // precedence, as in symbed/language/operators.py
const TokenRow NO_TOKEN = {NOWHERE, -1, NOWHERE, -1, 0, 0};

// Tells the reader what a token means; false if it has no meaning where it stands.
SYMBED_INLINE bool take(const TokenRow& row, InfixReader<ItemWriter>& reader) {
    switch (reader.wants_value ? row.before : row.after) {
    case LEAF:
        reader.output.put(row.before_item);
        reader.wants_value = false;
        return true;
    case SIGN:  // a plus sign is no operator
        return row.before_item < 0 ||
               reader.sign(row.before_item, reader.output.tables.items[row.before_item].precedence);
    case OPEN:
        return reader.open(row.before_item, row.bracket ? Waits::BAR : Waits::PARENTHESIS);
    case INFIX:  // x < y < z has two meanings, so it has none here
        return !(row.level == COMPARISON && reader.has_waiting(COMPARISON)) &&
               reader.infix(row.after_item, row.level);
    case POWER:
        return reader.power(row.after_item, row.level);
    case POSTFIX:
        return reader.postfix(row.after_item);
    case COMMA:
        return reader.comma();
    case CLOSE:
        return reader.close(row.bracket);
    default:
        return false;
    }
}

// The number of items of a word; -1 for no expression. Room: `items` as many as tokens, `waiting` one
// more.
int64_t read_word(const ReaderTables& tables, const int32_t* word, int64_t length, int32_t* items,
                  Waiting* waiting) {
    InfixReader<ItemWriter> reader({tables, items}, waiting, tables.nesting);
    const auto row_at = [&](int64_t place) -> const TokenRow& {
        const bool is_token = place < length && word[place] >= 0 && word[place] < tables.n_tokens;
        return is_token ? tables.tokens[word[place]] : NO_TOKEN;
    };
    for (int64_t place = 0; place < length; ++place) {
        const TokenRow& row = row_at(place);
        if (reader.wants_value && row.before == CALL) {
            const TokenRow& next = row_at(place + 1);
            if (next.before == OPEN && !next.bracket) {
                ++place;
                if (!reader.open(row.before_item, Waits::CALL)) return -1;
            } else if (row.after_item >= 0) {  // a name that is also a function's, but not called
                reader.output.put(row.after_item);
                reader.wants_value = false;
            } else {
                return -1;
            }
        } else if (!take(row, reader)) {
            return -1;
        }
    }
    return reader.finish() ? reader.output.count : -1;
}

uint64_t hashed(const int32_t* items, int64_t count) {
    uint64_t state = GOLDEN;
    for (int64_t i = 0; i < count; ++i) state = mix(state ^ uint64_t(items[i])) + GOLDEN;
    return mix(state);
}

// Whether the word is an expression that was not found before; if so, it is entered in the table.
// What is found is compared item by item, so that equal hashes cannot lose an expression.
Outcome admit(Sampling& s, const int32_t* word, int64_t length) {
    const int64_t room = s.longest + 2;
    int32_t *items = s.scratch, *others = items + room;
    Waiting* waiting = reinterpret_cast<Waiting*>(others + room);
    const int64_t count = read_word(*s.reader, word, length, items, waiting);
    if (count < 0) return UNREADABLE;
    const uint64_t hash = hashed(items, count), mask = uint64_t(s.n_seen) - 1;
    for (uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
        const uint64_t entry = s.seen[slot];
        if (!entry) {
            s.seen[slot] = (hash >> 32 << 32) | uint64_t(s.n_found + 1);
            return FOUND;
        }
        if (entry >> 32 != hash >> 32) continue;
        const int64_t number = int64_t(entry & 0xffffffffu) - 1;
        const int64_t begin = s.starts[number], size = s.starts[number + 1] - begin;
        if (read_word(*s.reader, s.tokens + begin, size, others, waiting) == count &&
            !memcmp(items, others, size_t(count) * sizeof *items))
            return KNOWN;
    }
}

Outcome sample(Sampling& s) {
    const GrammarTables& g = *s.grammar;
    while (s.n_found < s.n_wanted) {
        const int64_t begin = s.starts[s.n_found];
        if (s.capacity - begin < s.longest) return NO_ROOM;
        const int64_t length = derive(s, s.tokens + begin);
        if (length == -2) return EXHAUSTED;
        if (length < s.shortest) continue;
        s.starts[s.n_found + 1] = begin + length;
        if (s.reader) {
            const Outcome outcome = admit(s, s.tokens + begin, length);
            if (outcome == KNOWN) continue;
            if (outcome != FOUND) return outcome;
        }
        for (int64_t r = 0; r < g.n_rules; ++r) s.counts[r] += s.applied[r];
        ++s.n_found;
        s.steps = 0;
    }
    return FOUND;
}

}  // namespace
}  // namespace words

// Random words until there are as many as wanted, or `outcome` says what is in the way.
SYMBED_API int64_t symbed_sample(words::Sampling* sampling) {
    words::Sampling& s = *sampling;
    if (!words::is_sound(*s.grammar) || s.longest < s.grammar->shortest) return BAD_SHAPE;
    if (s.reader && (!words::is_sound(*s.reader) || s.n_seen <= s.n_wanted)) return BAD_SHAPE;
    if (s.n_seen & (s.n_seen - 1)) return BAD_SHAPE;
    s.outcome = words::sample(s);
    return DONE;
}

// The postfix sequence of each word, up to the first that is no expression.
SYMBED_API int64_t symbed_read_words(words::Reading* reading) {
    words::Reading& r = *reading;
    if (!words::is_sound(*r.reader)) return BAD_SHAPE;
    r.failed = -1;
    r.ends[0] = 0;
    for (int64_t k = 0; k < r.n_words; ++k) {
        const int64_t length = r.starts[k + 1] - r.starts[k];
        if (length < 0 || r.capacity - r.ends[k] < length) return BAD_SHAPE;
        const int64_t count = words::read_word(*r.reader, r.tokens + r.starts[k], length,
                                               r.items + r.ends[k], reinterpret_cast<Waiting*>(r.scratch));
        if (count < 0) {
            r.failed = k;
            return DONE;
        }
        r.ends[k + 1] = r.ends[k] + count;
    }
    return DONE;
}
