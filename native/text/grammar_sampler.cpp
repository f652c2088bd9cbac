// Random words of a grammar, drawn as token numbers from its rules and a seed; and the reader that
// turns such words into postfix sequences.
//
// Derivations are leftmost, over an explicit stack. The random numbers of a derivation are a hash of
// the seed and the derivation's number, so that a seed gives the same words on every machine.
#include "api/core.h"

#include <string.h>

namespace words {

enum Outcome : int64_t { FOUND, NO_ROOM, EXHAUSTED, UNREADABLE, KNOWN };

enum Bracket : int32_t { ROUND, BAR, ARGUMENTS };
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

// The items of a postfix sequence, and operators that wait for their operands.
struct Output {
    const ReaderTables& reader;
    int32_t* items;
    int32_t* waiting;
    int64_t count = 0, n_waiting = 0;

    // Appends an operator in the one form that each tree has: x^2 is a row of its own, -(2) is -2.
    void emit(int32_t item) {
        if (item == reader.power || item == reader.negation) {
            const ItemRow& last = reader.items[items[count - 1]];
            const int32_t folded = item == reader.power ? last.powered : last.negated;
            if (folded >= 0) {
                items[count - 1] = folded;
                return;
            }
        }
        items[count++] = item;
    }
    void release() {
        while (waiting[n_waiting - 1] >= 0) emit(waiting[--n_waiting]);
    }
    void release(int32_t level) {
        while (waiting[n_waiting - 1] >= 0 &&
               reader.items[waiting[n_waiting - 1]].precedence >= level)
            emit(waiting[--n_waiting]);
    }
    bool in_tower() const {  // whether the next value is an exponent
        int64_t top = n_waiting - 1;
        while (waiting[top] >= 0 && waiting[top] == reader.negation) --top;
        return waiting[top] >= 0 && waiting[top] == reader.power;
    }
};

// The shunting-yard algorithm of symbed/language/token_readers.py. The number of items; -1 for no
// expression.
// Room: `items` as many as tokens, `scratch` six times as many and one more.
int64_t read_word(const ReaderTables& reader, const int32_t* word, int64_t length, int32_t* items,
                  int32_t* scratch) {
    const int32_t FLOOR = -1;
    Output out{reader, items, scratch};
    // Open groups: the operator they bring, what closes them, how many values they hold, and how
    // deep lies what is around them, with and without stacked powers.
    int32_t *brought = scratch + length + 1, *brackets = brought + length, *values = brackets + length;
    int32_t *depths = values + length, *bases = depths + length;
    int64_t n_groups = 0;
    int32_t depth = 0, base = 0;
    bool wanted = true;
    out.waiting[out.n_waiting++] = FLOOR;
    for (int64_t place = 0; place < length; ++place) {
        if (word[place] < 0 || word[place] >= reader.n_tokens) return -1;
        const TokenRow& row = reader.tokens[word[place]];
        switch (wanted ? row.before : row.after) {
        case LEAF:
            items[out.count++] = row.before_item;
            wanted = false;
            break;
        case SIGN:
            if (row.before_item >= 0) out.waiting[out.n_waiting++] = row.before_item;
            break;
        case CALL:
            if (++place == length || word[place] < 0 || word[place] >= reader.n_tokens) return -1;
            if (reader.tokens[word[place]].before != OPEN || reader.tokens[word[place]].bracket != ROUND)
                return -1;
            [[fallthrough]];
        case OPEN:
            brought[n_groups] = row.before_item;
            brackets[n_groups] = row.before == CALL ? ARGUMENTS : row.bracket;
            depths[n_groups] = depth;
            bases[n_groups] = base;
            values[n_groups++] = 1;
            depth = base = 1 + (out.in_tower() ? depth : base);
            if (depth > reader.nesting) return -1;
            out.waiting[out.n_waiting++] = FLOOR;
            break;
        case INFIX:
            out.release(row.level);
            out.waiting[out.n_waiting++] = row.after_item;
            wanted = true;
            break;
        case POWER:
            depth = out.in_tower() ? depth + 1 : base;
            if (depth > reader.nesting) return -1;
            out.waiting[out.n_waiting++] = row.after_item;
            wanted = true;
            break;
        case POSTFIX:  // as text, ^2 is a power like any other
            if (out.in_tower() && depth + 1 > reader.nesting) return -1;
            items[out.count++] = row.after_item;
            break;
        case COMMA:
            out.release();
            if (!n_groups || brackets[n_groups - 1] != ARGUMENTS) return -1;
            ++values[n_groups - 1];
            wanted = true;
            break;
        case CLOSE:
            out.release();
            if (!n_groups) return -1;
            --n_groups;
            if ((brackets[n_groups] == BAR) != (row.bracket == BAR)) return -1;
            --out.n_waiting;
            depth = depths[n_groups];
            base = bases[n_groups];
            if (brought[n_groups] < 0) break;
            if (reader.items[brought[n_groups]].arity != values[n_groups]) return -1;
            out.emit(brought[n_groups]);
            break;
        default:
            return -1;
        }
    }
    if (wanted || n_groups) return -1;
    out.release();
    return out.count;
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
    int32_t *items = s.scratch, *others = items + room, *scratch = others + room;
    const int64_t count = read_word(*s.reader, word, length, items, scratch);
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
        if (read_word(*s.reader, s.tokens + begin, size, others, scratch) == count &&
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
                                               r.items + r.ends[k], r.scratch);
        if (count < 0) {
            r.failed = k;
            return DONE;
        }
        r.ends[k + 1] = r.ends[k] + count;
    }
    return DONE;
}
