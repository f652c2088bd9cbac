// Lines read lately: find the place that a repeated line got, without reading it again.
//
// Random formulas repeat themselves: most are short, and two of three were seen before as they are
// written. A table of a fixed size finds these without reading them again; a line that is hashed to
// an occupied place takes it over.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace {

class RecentLines {
public:
    RecentLines() = default;
    RecentLines(const RecentLines&) = delete;
    ~RecentLines() { free(table); }

    // Whether the line is known; `place` is then where it was put. `last` is the end of all text.
    bool find(const char* text, int64_t length, const char* last, int64_t* place) {
        if (length < 1 || length > LONGEST || !table) return false;
        const Key key(text, length, last);
        const Line& line = table[key.hash];
        if (line.length != length) return false;
        uint64_t differs = 0;
        for (int64_t i = 0; i < key.count; i++) differs |= line.words[i] ^ key.words[i];
        if (differs) return false;
        *place = line.place;
        return true;
    }

    // Without memory nothing is remembered, which costs only time.
    void remember(const char* text, int64_t length, const char* last, int64_t place) {
        if (length > LONGEST) return;
        if (!table) table = static_cast<Line*>(calloc(COUNT, sizeof(Line)));
        if (!table) return;
        const Key key(text, length, last);
        Line& line = table[key.hash];
        line.place = place;
        line.length = length;
        for (int64_t i = 0; i < key.count; i++) line.words[i] = key.words[i];
    }

    void forget() {
        free(table);
        table = nullptr;
    }

private:
    static constexpr int BITS = 12;
    static constexpr size_t COUNT = size_t(1) << BITS;
    static constexpr int64_t MAX_WORDS = 6, LONGEST = 8 * MAX_WORDS;
    struct Line {  // fills one line of the cache
        int64_t place, length;  // zero: nothing here
        uint64_t words[MAX_WORDS];
    };
    Line* table = nullptr;

    // The bits of a word's first bytes, fewer than eight, as they lie in memory.
    static uint64_t first_bytes(int64_t count) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return ~(~uint64_t(0) >> 8 * count);
#else
        return (uint64_t(1) << 8 * count) - 1;
#endif
    }

    // A text by eight characters at a time; the last word is filled up with zeros.
    struct Key {
        uint64_t words[MAX_WORDS], hash;
        int64_t count = 0;

        Key(const char* text, int64_t length, const char* last) : hash(uint64_t(length)) {
            for (; length > 0; text += 8, length -= 8) {
                uint64_t some = 0;
                if (last - text >= 8)
                    memcpy(&some, text, 8);
                else
                    memcpy(&some, text, size_t(last - text));
                if (length < 8) some &= first_bytes(length);
                words[count++] = some;
                hash = (hash ^ some) * 0x9E3779B97F4A7C15u;
                hash ^= hash >> 32;
            }
            hash = hash * 0xD6E8FEB86659FD93u >> (64 - BITS);
        }
    };
};

}  // namespace
