// Lowering: the words of a program go in, checked instructions on numbered buffers come out.
//
// A value is of one of four kinds: a scalar, one number for each point, one for each draw, or one
// for each of both. Kinds are bits, so the kind of a result is the union of its operands' kinds, and
// nothing is spread out before it must be. Scalars are computed here, once. What depends on points
// alone goes to a list that runs once for each block of points; the rest runs for each block of
// draws. A malformed program ends here with a status; what passes cannot reach outside its arrays.
#pragma once
#include "core.h"
#include "functions.h"
#include "list.h"

namespace SYMBED_NS {

enum Kind : uint8_t { SCALAR = 0, POINTS = 1, DRAWS = 2, FULL = 3 };
enum Source : uint8_t { NUMBER, VARIABLE, COLUMN, BUFFER };

struct Operand {
    Kind kind;
    Source source;
    int64_t index;  // of the variable, column or buffer
    double number;
};

struct Instruction {
    uint8_t code;
    Kind kind;
    int64_t target;  // buffer of the kind's pool
    Operand a, b;    // b is unused where the arity is 1
};

constexpr int64_t MOST_ALIGNED = 64;  // more parameters than this keep their order of appearance

// Where parameters find their draws: slot s of range r is column base + r * stride + place[s].
struct Assignment {
    Kind kind;             // FULL: own draws at each point; DRAWS: the same at all points
    int64_t base, stride;
    int64_t n_columns;     // slots below this have a column
    int64_t n_all_columns;
    const uint8_t* place;  // null: place[s] = s
};

// The numbers of one kind's buffers: those used in all, and those free again.
struct Pool {
    List<int64_t> released;
    int64_t used = 0;

    int64_t take() { return released.count ? released.pop() : used++; }
    void clear() { released.count = used = 0; }
};

struct Lowered {
    List<Operand> stack;
    List<Instruction> for_points, for_draws;
    Pool pools[4];  // by kind; there is none of scalars
    Operand root;
    int64_t n_slots;                     // one more than the last parameter slot
    int16_t range_of[MOST_ALIGNED];      // of the first slots; -1 where a slot does not occur

    bool reserve(int64_t n_words) {
        return stack.reserve(n_words) && for_points.reserve(n_words) && for_draws.reserve(n_words) &&
               pools[POINTS].released.reserve(n_words) && pools[DRAWS].released.reserve(n_words) &&
               pools[FULL].released.reserve(n_words);
    }

    void clear() {
        stack.count = for_points.count = for_draws.count = n_slots = 0;
        for (Pool& pool : pools) pool.clear();
        memset(range_of, 0xff, sizeof range_of);
    }
};

static Status push_parameter(Lowered& lowered, int32_t word, const Assignment& assignment) {
    const int64_t slot = word & 0xfffff, range = (word >> 20) & 0xff;
    const int64_t place = assignment.place ? assignment.place[slot] : slot;
    const int64_t column = assignment.base + range * assignment.stride + place;
    if (slot >= assignment.n_columns || assignment.base < 0 || column >= assignment.n_all_columns)
        return NO_SUCH_COLUMN;
    if (slot < MOST_ALIGNED) {
        if (lowered.range_of[slot] >= 0 && lowered.range_of[slot] != range) return MIXED_RANGES;
        lowered.range_of[slot] = int16_t(range);
    }
    if (slot >= lowered.n_slots) lowered.n_slots = slot + 1;
    lowered.stack.push({assignment.kind, COLUMN, column, 0.0});
    return DONE;
}

// A buffer may be used again once its value was read, unless every block of draws will read it.
SYMBED_INLINE void release(Lowered& lowered, const Operand& operand, Kind reader) {
    if (operand.source == BUFFER && (operand.kind != POINTS || reader == POINTS))
        lowered.pools[operand.kind].released.push(operand.index);
}

static Status push_operation(Lowered& lowered, int code) {
    if (code >= N_FUNCTIONS || FUNCTIONS[code].arity == 0) return UNKNOWN_WORD;
    const Function& function = FUNCTIONS[code];
    if (lowered.stack.count < function.arity) return STACK_UNDERFLOW;
    const Operand b = function.arity == 2 ? lowered.stack.pop() : Operand{SCALAR, NUMBER, 0, 0.0};
    const Operand a = lowered.stack.pop();
    const Kind kind = Kind(a.kind | b.kind);
    if (kind == SCALAR) {
        double result;
        const View x{&a.number, 0, true}, y{&b.number, 0, true};
        if (function.arity == 1)
            function.one(x, &result, 1, 1);
        else
            function.two(x, y, &result, 1, 1);
        lowered.stack.push({SCALAR, NUMBER, 0, result});
        return DONE;
    }
    release(lowered, a, kind);
    release(lowered, b, kind);
    const int64_t target = lowered.pools[kind].take();
    (kind == POINTS ? lowered.for_points : lowered.for_draws)
        .push({uint8_t(code), kind, target, a, b});
    lowered.stack.push({kind, BUFFER, target, 0.0});
    return DONE;
}

// Lowers the words from `word` to `end`; `lowered` has room for as many.
static Status lower(Lowered& lowered, const int32_t* word, const int32_t* end, int64_t n_variables,
                    const Assignment& assignment) {
    lowered.clear();
    while (word < end) {
        const int32_t kind = *word >> 28, rest = *word & 0x0fffffff;
        Status status = DONE;
        if (kind == 0) {
            status = push_operation(lowered, rest);
        } else if (kind == 1) {
            if (rest >= n_variables) return NO_SUCH_VARIABLE;
            lowered.stack.push({POINTS, VARIABLE, rest, 0.0});
        } else if (kind == 2) {
            status = push_parameter(lowered, *word, assignment);
        } else if (kind == 3) {
            if (end - word < 3) return TRUNCATED_NUMBER;
            const uint64_t bits = uint32_t(word[1]) | uint64_t(uint32_t(word[2])) << 32;
            double number;
            memcpy(&number, &bits, sizeof number);
            lowered.stack.push({SCALAR, NUMBER, 0, number});
            word += 2;
        } else {
            return UNKNOWN_WORD;
        }
        if (status != DONE) return status;
        word++;
    }
    if (lowered.stack.count != 1) return LEFT_OVER;
    lowered.root = lowered.stack.pop();
    return DONE;
}

}  // namespace SYMBED_NS
