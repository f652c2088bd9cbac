// What programs are made of: the kinds and places of the values that their words stand for.
//
// A value is of one of four kinds: a scalar, one number for each point, one for each draw, or one
// for each of both. Kinds are bits, so the kind of a result is the union of its operands' kinds, and
// nothing is spread out before it must be.
#pragma once
#include "api/core.h"
#include "eval/block_functions.h"
#include "api/growable_list.h"

namespace SYMBED_NS {

enum Kind : uint8_t { SCALAR = 0, POINTS = 1, DRAWS = 2, FULL = 3 };
enum Source : uint8_t { NUMBER, VARIABLE, COLUMN, BUFFER };

constexpr int64_t MOST_ALIGNED = 64;  // more parameters than this keep their order of appearance

// A program in the code of all.
struct Words {
    const int32_t *begin, *end;
};

// The parameters that a program mentions.
struct Parameters {
    int64_t n_slots = 0;             // one more than the last slot
    int16_t range_of[MOST_ALIGNED];  // of the first slots; -1 where a slot does not occur

    // What is malformed counts as it may: compiling tells.
    Status find(const Words& words) {
        memset(range_of, 0xff, sizeof range_of);
        const int32_t* const end = words.end;
        for (const int32_t* word = words.begin; word < end; word++) {
            const int32_t kind = *word >> 28, slot = *word & 0xfffff, range = *word >> 20 & 0xff;
            if (kind == 3) word += end - word < 3 ? 0 : 2;
            if (kind != 2) continue;
            if (slot >= n_slots) n_slots = slot + 1;
            if (slot >= MOST_ALIGNED) continue;
            if (range_of[slot] >= 0 && range_of[slot] != range) return MIXED_RANGES;
            range_of[slot] = int16_t(range);
        }
        return DONE;
    }
};

// A value: where it is, and its strides from one strip and one draw to the next.
struct Value {
    union {
        const double* data;
        double number;  // of a scalar
    };
    int64_t per_strip, per_draw;
    int32_t tag;    // number of a buffer, or the word of a parameter
    Kind kind;
    Source source;
    bool gathered;  // out of a column that is not packed
};

// Where parameters find their draws: slot s of range r is column base + r * stride + place[s].
struct Draws {
    Kind kind;               // FULL: own draws at each point; DRAWS: the same at all points
    bool packed;
    const double* columns;   // [.., strip, draw, STRIP] if packed, else [.., draw, point or 1]
    int64_t n_draws;
    int64_t column_size, per_strip, per_draw;
    int64_t base, stride;
    int64_t n_columns;       // of one range; slots below this have a column
    int64_t n_all_columns;
    const uint8_t* place;    // null: place[s] = s

    // Finds the draws of a parameter, from a strip on; false if there is no such column.
    SYMBED_INLINE bool find(int32_t word, int64_t strip, Value& value) const {
        const int64_t slot = word & 0xfffff, range = word >> 20 & 0xff;
        if (slot >= n_columns || base < 0) return false;
        const int64_t column = base + range * stride + (place ? place[slot] : slot);
        if (column >= n_all_columns) return false;
        value.data = columns + column * column_size + strip * per_strip;
        value.per_strip = per_strip;
        value.per_draw = per_draw;
        value.tag = word;
        value.kind = kind;
        value.source = COLUMN;
        value.gathered = kind == FULL && !packed;
        return true;
    }
};

// The numbers of buffers: those used in all, and those free again.
struct Pool {
    List<int64_t> released;
    int64_t used = 0;

    int64_t take() { return released.count ? released.pop() : used++; }
    void clear() { released.count = used = 0; }
};

// Buffers of one kind; they are made when they are first needed, and kept.
struct Buffers {
    Pool pool;
    List<double*> made;
    int64_t size = 0;

    ~Buffers() {
        while (made.count) free(made.pop());
    }
    bool reserve(int64_t most, int64_t numbers) {
        size = numbers;
        return pool.released.reserve(most) && made.reserve(most);
    }
    // The number of a free buffer, or -1 if there is no memory.
    int64_t take() {
        const int64_t number = pool.take();
        if (number < made.count) return number;
        void* memory = aligned_alloc(64, (size_t(size) * sizeof(double) + 63) / 64 * 64);
        if (!memory) return -1;
        made.push(static_cast<double*>(memory));
        return number;
    }
};

}  // namespace SYMBED_NS
