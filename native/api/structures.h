// The structures of the C ABI; symbed.engine._layouts mirrors them field by field.
//
// Their sizes, this version and a checksum of the operators are compared when the library is loaded
// (symbed_describe). Arrays are C-contiguous; pointers that may be null say so.
#pragma once
#include <stdint.h>

// Grows with every change of an entrance's meaning that sizes of structures do not show.
constexpr int64_t SYMBED_ABI_VERSION = 5;

// Programs and what they are evaluated on. Arrays are C-contiguous.
struct Observation {
    const int32_t* words;      // [n_words] the code of all programs
    const int64_t* starts;     // [n_programs + 1] where each program begins in words
    int64_t n_words, n_programs;
    const double* variables;   // [n_variables, n_points]
    int64_t n_variables, n_points;
    const double* columns;     // [n_all_columns, n_draws, n_points or 1]
    int64_t n_all_columns, n_draws, column_points;
    const int64_t* bases;      // [n_programs] first column of each program
    int64_t n_columns;         // columns of one range
    const double* moves;       // [n_moves, 3] center, low, high of each range; null: no alignment
    int64_t n_moves;
    const int64_t* sentinels;  // [n_sentinels] points at which effects are measured
    int64_t n_sentinels;
    double limit;              // outputs beyond it are undefined
    double* out;               // [n_programs, n_draws, n_points] sorted along the draws
    int32_t* defined;          // [n_programs, n_points]
};

// Some behaviors at the same points: [count, draws, n_points] values, [count, n_points] counts.
struct Behaviors {
    const double* values;
    const int32_t* defined;
    int64_t count, draws, n_points;
};

// How two behaviors are compared.
struct Measure {
    int64_t order;    // p, 1 or 2
    double mismatch;  // distance at a point where only one side has outputs
};

// Which behaviors are compared: [count] places in each of two blocks.
struct Pairs {
    const int64_t *a, *b;
    int64_t count;
};

// How behaviors become sketches. Arrays are C-contiguous.
struct SketchPlan {
    int64_t n_points;
    int64_t n_blocks;       // parts of the sorted outputs at a point, of equal mass
    int64_t width;          // groups of points, filled up
    const int32_t* groups;  // [n_points] the group of each point
    const double* shares;   // [width] one over the number of points in the group
    const double* signs;    // [n_points] +1 or -1
};

// Sketches, and one more that is compared with them.
struct Scan {
    const float* values;   // [n_sketches, n_blocks, width]
    int64_t n_sketches, n_blocks, width;
    const int64_t* rows;   // [count] which sketches; null: those from `first` on
    int64_t first, count;
    const float* query;    // [query_blocks, width]
    int64_t query_blocks;
    const float* weights;  // [width] shares of the points
    int64_t order;         // p, 1 or 2
};

// Programs, and the targets that each of them is fitted to: fit number k * n_targets + t is that of
// program k to target t. Arrays are C-contiguous.
struct FitTask {
    const int32_t* words;     // [n_words] the code of all programs
    const int64_t* starts;    // [n_programs + 1] where each program begins in words
    int64_t n_words, n_programs;
    const double* variables;  // [n_variables, n_points]
    int64_t n_variables, n_points;
    const double* targets;    // [n_targets, n_points] times `scales`; NaN leaves a point out
    const double* scales;     // [n_targets] a power of two that brings the target nearer to 1
    const double* floors;     // [n_targets] squared errors up to it, of the scaled target, are rounding
    const double* middles;    // [n_targets] the size of the target where it is on the equator; or null
    int64_t n_targets;
    const double* bounds;     // [n_ranges, 2] low and high of the parameters of each range
    const double* initial;    // [n_ranges, n_starts, n_slots] where descents may start
    int64_t n_ranges, n_starts, n_slots;
    const double* own;        // [n_targets, n_own, n_slots] each target's own starts, tried first
    int64_t n_own;
    int64_t n_descents;       // how many of the starts, the best ones, are gone down from
    int64_t max_iterations;   // steps tried in one descent
    const int64_t* places;    // [n_fits + 1] where the values of each fit begin
    double* values;           // the fitted parameters, by slot
    double* errors;           // [n_fits, 2] root mean squared, mean absolute
    int32_t* counts;          // [n_fits, 2] evaluations; whether the best descent came to rest
};

namespace words {

// A grammar as tables. A symbol is a token's number, or ~k for the k-th nonterminal.
struct GrammarTables {
    const int64_t* rules;        // [n_nonterminals + 1] where the rules of each nonterminal begin
    const uint64_t* thresholds;  // [n_rules] summed probabilities within a nonterminal, times 2^53
    const int64_t* sides;        // [n_rules + 1] where each right-hand side begins
    const int32_t* symbols;      // [n_symbols] right-hand sides, last symbol first
    const int64_t* growth;       // [n_rules] by how many tokens a rule makes the shortest word longer
    int64_t n_nonterminals, n_rules, n_symbols, n_tokens;
    int64_t shortest;            // length of the shortest word of the start symbol, number 0
};

// What a token means where a value is wanted and where an operator is. Of a function, after_item is
// what its name means where no parenthesis follows, or -1.
struct TokenRow {
    int32_t before, before_item, after, after_item, level, bracket;
};

// An item of a postfix sequence; the item that it becomes when negated, or when it is an exponent.
struct ItemRow {
    int32_t arity, precedence, negated, powered;
};

struct ReaderTables {
    const TokenRow* tokens;
    const ItemRow* items;
    int64_t n_tokens, n_items;
    int32_t power, negation;  // the items of these operators, -1 if they do not occur
    int64_t nesting;          // most brackets and stacked powers inside each other
};

struct Sampling {
    const GrammarTables* grammar;
    const ReaderTables* reader;  // null: words may come again
    uint64_t origin;             // hash of the seed
    int64_t attempt;             // number of the next derivation
    int64_t steps;               // rules applied since the last word was found
    int64_t patience;            // most rules to apply before giving up
    int64_t n_found, n_wanted;
    int64_t shortest, longest;   // lengths of the words wanted
    int32_t* tokens;             // [capacity] the words found, one after the other
    int64_t capacity;
    int64_t* starts;             // [n_wanted + 1] where each begins
    int64_t* counts;             // [n_rules] how often each rule was applied in them
    int64_t* applied;            // [n_rules] room for one derivation
    int32_t* scratch;            // [8 * (longest + 2)]
    uint64_t* seen;              // [n_seen] hash table of words found: upper half of hash, number + 1
    int64_t n_seen;              // a power of two
    int64_t outcome;             // why it came back
};

struct Reading {
    const ReaderTables* reader;
    const int32_t* tokens;
    const int64_t* starts;  // [n_words + 1]
    int64_t n_words, capacity;
    int32_t* items;         // [capacity]
    int64_t* ends;          // [n_words + 1] where each sequence begins
    int32_t* scratch;       // [6 * (longest word + 1)]
    int64_t failed;         // the first word that is no expression, -1 if all are
};

}  // namespace words

// Some trees; the nodes of tree k are starts[k] .. starts[k + 1] - 1.
struct Trees {
    const int32_t* labels;
    const int32_t* arities;
    const int64_t* starts;
    int64_t count;
};

// What edits cost; null means 1 for each node, and 1 for two labels that differ.
struct EditCosts {
    const int32_t* weights;  // [n_labels] of inserting or removing a node
    const int32_t* changes;  // [n_labels, n_labels] of relabeling one
    int64_t n_labels;
};

// The names that lines may use, and what each means.
struct SymbolTable {
    const char* names;            // one after the other
    const int64_t* name_starts;   // [n_names + 1]
    const int32_t* roles;         // [n_names] function, constant, variable, parameter, anonymous
    const int32_t* values;        // [n_names] operator code, row of a variable, range of a parameter
    const double* numbers;        // [n_names] value of a constant
    int64_t n_names;
    const uint8_t* commutative;   // [256] by operator code
};
