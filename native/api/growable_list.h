// Memory: a list of plain items that reports when there is none left, instead of throwing.
#pragma once
#include <stdint.h>
#include <stdlib.h>

namespace SYMBED_NS {

// A list whose room is reserved before it is filled.
template <typename Item>
struct List {
    Item* items = nullptr;
    int64_t count = 0, capacity = 0;

    List() = default;
    List(const List&) = delete;
    ~List() { free(items); }

    // Room for so many items; what was inside is lost. False if there is no memory.
    bool reserve(int64_t wanted) {
        if (wanted <= capacity) return true;
        free(items);
        items = static_cast<Item*>(aligned_alloc(64, (size_t(wanted) * sizeof(Item) + 63) / 64 * 64));
        capacity = items ? wanted : 0;
        return items;
    }
    void push(const Item& item) { items[count++] = item; }
    Item pop() { return items[--count]; }
};

}  // namespace SYMBED_NS
