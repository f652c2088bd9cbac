// The catalog: keep each distinct program once, and number it. Programs are added as lines of text
// or as words; those without parameters (fixed) and with them (varied) are numbered apart.
#include "text/line_cache.h"
#include "text/line_reader.h"

#include <new>

namespace {

constexpr int64_t ASK = INT64_MIN;        // a line that is left to the parser
constexpr int64_t BLANK = INT64_MIN + 1;  // an empty line, or a remark
constexpr int64_t NOWHERE = -1;

// An array that grows; false where there is no memory, and then nothing has changed.
template <typename Item>
struct Growing {
    Item* items = nullptr;
    int64_t count = 0, capacity = 0;

    ~Growing() { free(items); }
    bool reserve(int64_t more) {
        if (count + more <= capacity) return true;
        const int64_t wanted = (count + more) * 3 / 2 + 64;
        void* grown = realloc(items, size_t(wanted) * sizeof(Item));
        if (!grown) return false;
        items = static_cast<Item*>(grown);
        capacity = wanted;
        return true;
    }
    void push(const Item& item) { items[count++] = item; }
};

// The programs of one kind, one after the other.
struct Shelf {
    Growing<int32_t> words, n_parameters;
    Growing<int64_t> ends;
    int64_t first = 0;  // number of the first one that is still here

    bool reserve(int64_t n_words) {
        return words.reserve(n_words) && n_parameters.reserve(1) && ends.reserve(1);
    }
    int64_t put(const int32_t* code, int64_t n_words, int32_t parameters) {
        if (n_words) memcpy(words.items + words.count, code, size_t(n_words) * sizeof *code);
        words.count += n_words;
        ends.push(words.count);
        n_parameters.push(parameters);
        return first + ends.count - 1;
    }
    int64_t begin(int64_t row) const { return row > first ? ends.items[row - first - 1] : 0; }
    int64_t end(int64_t row) const { return ends.items[row - first]; }
    bool holds(int64_t row, const int32_t* code, int64_t n_words) const {
        return end(row) - begin(row) == n_words &&
               !memcmp(words.items + begin(row), code, size_t(n_words) * sizeof *code);
    }
    void forget() {
        first += ends.count;
        words.count = n_parameters.count = ends.count = 0;
    }
};

// Small, so that many stay in a cache: the first bits of the hash, and the place among those that
// are still here, counted from 1. Zero: nothing here.
struct Entry {
    uint32_t tag;
    int32_t place;  // negative for varied programs
};
constexpr int64_t MAX_KEPT = INT32_MAX - 1;  // programs of one kind: the places of an entry

class Catalog {
public:
    Shelf shelves[2];
    LineReader reader;
    RecentLines recent;

    ~Catalog() { free(table); }

    Status intern(const int32_t* code, int64_t n_words, int32_t n_parameters, int64_t* place) {
        if (2 * (n_entries + 1) > n_slots && !grow()) return NO_MEMORY;
        const bool varied = n_parameters > 0;
        Shelf& shelf = shelves[varied];
        const uint64_t hash = hashed(code, n_words);
        const uint32_t tag = uint32_t(hash >> 32);
        uint64_t slot = hash & uint64_t(n_slots - 1);
        for (; table[slot].place; slot = (slot + 1) & uint64_t(n_slots - 1)) {
            const Entry& entry = table[slot];
            if (entry.tag != tag || (entry.place < 0) != varied) continue;
            const int64_t row = shelf.first + abs(entry.place) - 1;
            if (shelf.holds(row, code, n_words)) {
                *place = varied ? -1 - row : row;
                return DONE;
            }
        }
        if (shelf.ends.count >= MAX_KEPT || !shelf.reserve(n_words)) return NO_MEMORY;
        const int64_t row = shelf.put(code, n_words, n_parameters);
        *place = varied ? -1 - row : row;
        const int32_t here = int32_t(shelf.ends.count);
        table[slot] = {tag, varied ? -here : here};
        n_entries++;
        return DONE;
    }

    // Forgets the programs, so that memory stays bounded; numbers go on.
    void forget() {
        shelves[0].forget();
        shelves[1].forget();
        if (table) memset(table, 0, size_t(n_slots) * sizeof *table);
        n_entries = 0;
        recent.forget();
    }

private:
    Entry* table = nullptr;
    int64_t n_slots = 0, n_entries = 0;

    // Two words at a time.
    static uint64_t hashed(const int32_t* code, int64_t n_words) {
        uint64_t hash = uint64_t(n_words), some = 0;
        for (; n_words > 1; code += 2, n_words -= 2) {
            memcpy(&some, code, sizeof some);
            hash = (hash ^ some) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 32;
        }
        if (n_words) hash ^= uint32_t(*code);
        hash *= 0xD6E8FEB86659FD93u;
        return hash ^ hash >> 29;
    }

    // The words of an entry, to hash them again.
    uint64_t hash_of(const Entry& entry) const {
        const Shelf& shelf = shelves[entry.place < 0];
        const int64_t row = shelf.first + abs(entry.place) - 1;
        return hashed(shelf.words.items + shelf.begin(row), shelf.end(row) - shelf.begin(row));
    }

    bool grow() {
        const int64_t wanted = n_slots ? 4 * n_slots : 4096;
        Entry* larger = static_cast<Entry*>(calloc(size_t(wanted), sizeof(Entry)));
        if (!larger) return false;
        for (int64_t i = 0; i < n_slots; i++) {
            if (!table[i].place) continue;
            uint64_t slot = hash_of(table[i]) & uint64_t(wanted - 1);
            while (larger[slot].place) slot = (slot + 1) & uint64_t(wanted - 1);
            larger[slot] = table[i];
        }
        free(table);
        table = larger;
        n_slots = wanted;
        return true;
    }
};

bool is_blank(const char* text, const char* end) {
    while (text < end && is_space(*text)) text++;
    return text == end || *text == '#';
}

}  // namespace

SYMBED_API void* symbed_catalog_new() {
    void* memory = calloc(1, sizeof(Catalog));
    if (!memory) return nullptr;
    Catalog* made = ::new (memory) Catalog();
    if (made->reader.has_memory()) return made;
    made->~Catalog();
    free(memory);
    return nullptr;
}

SYMBED_API void symbed_catalog_free(void* catalog) {
    if (!catalog) return;
    static_cast<Catalog*>(catalog)->~Catalog();
    free(catalog);
}

// Reads lines that end with '\n', from line `first` on, and writes the place of each: ASK and BLANK
// as above. With `stop`, the first line that is left to the parser is the last that is written.
SYMBED_API int64_t symbed_catalog_read(void* catalog, const SymbolTable* symbols, const char* text,
                                         int64_t n_text, int64_t n_lines, int64_t first,
                                         int64_t stop, int64_t* places) {
    if (symbols->n_names > Vocabulary::MAX_NAMES) return BAD_SHAPE;
    Catalog& all = *static_cast<Catalog*>(catalog);
    const Vocabulary vocabulary(*symbols);
    if (!vocabulary.places) return NO_MEMORY;
    const char* last = text + n_text;
    int64_t line = 0;
    for (const char* end; text < last; text = end + 1, line++) {
        const char* found = static_cast<const char*>(memchr(text, '\n', size_t(last - text)));
        end = found ? found : last;
        if (line == n_lines) return BAD_SHAPE;
        if (line < first) continue;
        if (all.recent.find(text, end - text, last, places + line)) continue;
        int64_t n_words;
        int32_t n_parameters;
        if (is_blank(text, end)) {
            places[line] = BLANK;
        } else if (!all.reader.read(vocabulary, text, end, n_words, n_parameters)) {
            places[line] = ASK;
            if (stop) return DONE;
        } else if (Status status = all.intern(all.reader.words, n_words, n_parameters, places + line)) {
            return status;
        } else {
            all.recent.remember(text, end - text, last, places[line]);
        }
    }
    return line == n_lines ? DONE : BAD_SHAPE;
}

SYMBED_API int64_t symbed_catalog_intern(void* catalog, const int32_t* words, int64_t n_words,
                                           int32_t n_parameters, int64_t* place) {
    return static_cast<Catalog*>(catalog)->intern(words, n_words, n_parameters, place);
}

// Number of rows of a kind, those forgotten included.
SYMBED_API int64_t symbed_catalog_count(void* catalog, int64_t varied) {
    const Shelf& shelf = static_cast<Catalog*>(catalog)->shelves[varied != 0];
    return shelf.first + shelf.ends.count;
}

// Number of words of the rows from `first` to `last`, or NOWHERE if not all of them are here.
SYMBED_API int64_t symbed_catalog_size(void* catalog, int64_t varied, int64_t first,
                                         int64_t last) {
    const Shelf& shelf = static_cast<Catalog*>(catalog)->shelves[varied != 0];
    if (first < shelf.first || last < first || last > shelf.first + shelf.ends.count) return NOWHERE;
    return last == first ? 0 : shelf.end(last - 1) - shelf.begin(first);
}

// Copies the rows from `first` to `last`: their words, where each begins, numbers of parameters.
SYMBED_API int64_t symbed_catalog_copy(void* catalog, int64_t varied, int64_t first,
                                         int64_t last, int32_t* words, int64_t* starts,
                                         int32_t* n_parameters) {
    const int64_t size = symbed_catalog_size(catalog, varied, first, last);
    if (size < 0) return BAD_SHAPE;
    const Shelf& shelf = static_cast<Catalog*>(catalog)->shelves[varied != 0];
    const int64_t begin = last == first ? 0 : shelf.begin(first);
    if (size) memcpy(words, shelf.words.items + begin, size_t(size) * sizeof *words);
    for (int64_t row = first; row < last; row++) {
        starts[row - first] = shelf.begin(row) - begin;
        n_parameters[row - first] = shelf.n_parameters.items[row - shelf.first];
    }
    starts[last - first] = size;
    return DONE;
}

SYMBED_API int64_t symbed_catalog_forget(void* catalog, int64_t n_fixed, int64_t n_varied) {
    Catalog& all = *static_cast<Catalog*>(catalog);
    all.forget();
    all.shelves[0].first = n_fixed;
    all.shelves[1].first = n_varied;
    return DONE;
}

// Takes programs in that were kept elsewhere; each gets the number that follows, known or not.
SYMBED_API int64_t symbed_catalog_recall(void* catalog, const int32_t* words, int64_t n_words,
                                           const int64_t* starts, const int32_t* n_parameters,
                                           int64_t n_programs) {
    Catalog& all = *static_cast<Catalog*>(catalog);
    for (int64_t i = 0; i < n_programs; i++) {
        const int64_t begin = starts[i], end = starts[i + 1];
        if (begin < 0 || end < begin || end > n_words) return BAD_SHAPE;
        Shelf& shelf = all.shelves[n_parameters[i] > 0];
        const int64_t n_before = shelf.ends.count;
        int64_t place;
        if (Status status = all.intern(words + begin, end - begin, n_parameters[i], &place)) {
            return status;
        }
        if (shelf.ends.count > n_before) continue;
        if (!shelf.reserve(end - begin)) return NO_MEMORY;
        shelf.put(words + begin, end - begin, n_parameters[i]);
    }
    return DONE;
}
