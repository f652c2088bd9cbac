// Tree edit distance after Zhang and Shasha, between all trees of two blocks of ordered trees.
//
// A tree is its nodes in postorder, each with a label and its number of children. The distance is the
// least total cost of inserting, removing and relabeling nodes that turns one tree into the other.
// All costs are whole numbers, so results are exact.
#include "api/core.h"

#include <stdlib.h>
#include <string.h>

SYMBED_API int64_t symbed_tree_edit(const Trees* a, const Trees* b, const EditCosts* costs,
                                    double* out);

namespace {

// An array that is freed with its scope; null when there is no memory.
template <typename Item>
struct Array {
    Item* items;
    explicit Array(int64_t count)
        : items(static_cast<Item*>(malloc(size_t(count > 0 ? count : 1) * sizeof(Item)))) {}
    Array(const Array&) = delete;
    ~Array() { free(items); }
    explicit operator bool() const { return items; }
    Item& operator[](int64_t place) { return items[place]; }
};

// One tree as the recursion sees it, in one direction.
struct Side {
    const int32_t* labels;
    const int32_t* lefts;     // the leftmost leaf below each node
    const int32_t* keyroots;  // the nodes that are not the first child of their parent, ascending
    int32_t size, n_keyroots;
    int64_t work;             // nodes in the subtrees of all keyroots: what the recursion visits
};

// A block of trees, each from the left and, as its mirror image, from the right. The distance of two
// mirrored trees is that of the trees themselves, but a tree that grows to the right is cheap from
// the right and dear from the left.
class Forest {
  public:
    explicit Forest(const Trees& given)
        : trees(given), total(given.starts[given.count] - given.starts[0]), labels(2 * total),
          lefts(2 * total), keyroots(2 * total), sizes(total), stack(total), sides(2 * given.count) {}

    bool has_memory() const { return labels && lefts && keyroots && sizes && stack && sides; }

    // Fills both sides of every tree; false if a sequence of arities is no tree.
    bool prepare() {
        for (int64_t k = 0; k < trees.count; ++k)
            if (!prepare_tree(k)) return false;
        return true;
    }

    const Side& side(int64_t tree, int direction) { return sides[2 * tree + direction]; }
    int64_t largest() const { return largest_size; }

  private:
    bool prepare_tree(int64_t k) {
        const int64_t first = trees.starts[k], size = trees.starts[k + 1] - first;
        const int32_t* arity = trees.arities + first;
        const int32_t* label = trees.labels + first;
        const int64_t place = 2 * (first - trees.starts[0]);
        if (size > largest_size) largest_size = size;
        if (!measure(arity, size)) return false;
        int32_t* straight = lefts.items + place;
        int32_t* mirrored = straight + size;
        for (int64_t i = 0; i < size; ++i) straight[i] = int32_t(i + 1 - sizes[i]);
        memcpy(labels.items + place, label, size_t(size) * sizeof(int32_t));
        reflect(arity, label, size, labels.items + place + size, mirrored);
        for (int direction = 0; direction < 2; ++direction)
            finish(sides[2 * k + direction], place + direction * size, int32_t(size));
        return true;
    }

    // The size of each subtree; false unless the nodes form exactly one tree.
    bool measure(const int32_t* arity, int64_t size) {
        int64_t waiting = 0;
        for (int64_t i = 0; i < size; ++i) {
            if (arity[i] < 0 || arity[i] > waiting) return false;
            int32_t below = 1;
            for (int32_t child = 0; child < arity[i]; ++child) below += stack[--waiting];
            sizes[i] = stack[waiting++] = below;
        }
        return waiting == 1;
    }

    // The mirror image: the postorder of a mirrored tree is the preorder of the tree, backwards.
    void reflect(const int32_t* arity, const int32_t* label, int64_t size, int32_t* to, int32_t* left) {
        int64_t waiting = 0, next = size;
        stack[waiting++] = int32_t(size - 1);
        while (waiting) {
            const int32_t node = stack[--waiting];
            --next;
            to[next] = label[node];
            left[next] = int32_t(next + 1 - sizes[node]);
            // The last child is pushed first, so that the first one is visited next.
            for (int32_t child = node - 1, left_over = arity[node]; left_over; --left_over) {
                stack[waiting++] = child;
                child -= sizes[child];
            }
        }
    }

    void finish(Side& side, int64_t place, int32_t size) {
        side = {labels.items + place, lefts.items + place, keyroots.items + place, size, 0, 0};
        // A keyroot is the highest node above its leftmost leaf; seen from the end, the first one.
        int32_t* roots = keyroots.items + place;
        for (int32_t i = 0; i < size; ++i) stack[i] = 0;
        for (int32_t i = size - 1; i >= 0; --i) {
            const int32_t left = side.lefts[i];
            if (stack[left]) continue;
            stack[left] = 1;
            roots[side.n_keyroots++] = i;
            side.work += i + 1 - left;
        }
        for (int32_t low = 0, high = side.n_keyroots - 1; low < high; ++low, --high) {
            const int32_t kept = roots[low];
            roots[low] = roots[high];
            roots[high] = kept;
        }
    }

    const Trees& trees;
    int64_t total, largest_size = 0;
    Array<int32_t> labels, lefts, keyroots, sizes, stack;
    Array<Side> sides;
};

struct UnitCosts {
    int32_t weight(int32_t) const { return 1; }
    int32_t change(int32_t a, int32_t b) const { return a != b; }
};

struct LabelCosts {
    const EditCosts& costs;
    int32_t weight(int32_t label) const { return costs.weights[label]; }
    int32_t change(int32_t a, int32_t b) const { return costs.changes[a * costs.n_labels + b]; }
};

inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// One row of the forests below two keyroots: what becomes of them when node x joins. The minimum with
// the neighbor on the left comes last, so that the chain from column to column is short.
template <bool Whole, typename Costs>
inline void extend(const Side& b, int32_t first, int32_t last, int32_t label, const Costs& costs,
                   const int32_t* above, const int32_t* before, int32_t* __restrict found,
                   int32_t* __restrict row) {
    const int32_t removal = costs.weight(label);
    int32_t left = row[0] = above[0] + removal;
    for (int32_t y = first; y <= last; ++y) {
        const int32_t column = y - first, start = b.lefts[y] - first;
        const bool both = Whole && start == 0;  // both forests are whole trees: relabel their roots
        const int32_t kept = both ? above[column] + costs.change(label, b.labels[y])
                                  : before[start] + found[y];
        const int32_t best = least(kept, above[column + 1] + removal);
        left = least(best, left + costs.weight(b.labels[y]));
        row[column + 1] = left;
        if (both) found[y] = left;
    }
}

// The recursion over pairs of keyroots. trees[i][j] is the distance of the subtrees at i and j;
// forests[x][y], for one pair of keyroots, that of the first x and the first y nodes below them.
template <typename Costs>
int32_t distance(const Side& a, const Side& b, const Costs& costs, int32_t* trees, int32_t* forests) {
    const int64_t width = b.size, stride = width + 1;
    for (int32_t r = 0; r < a.n_keyroots; ++r) {
        const int32_t i = a.keyroots[r], first_a = a.lefts[i];
        for (int32_t s = 0; s < b.n_keyroots; ++s) {
            const int32_t j = b.keyroots[s], first_b = b.lefts[j];
            forests[0] = 0;
            for (int32_t y = first_b; y <= j; ++y)
                forests[y - first_b + 1] = forests[y - first_b] + costs.weight(b.labels[y]);
            for (int32_t x = first_a; x <= i; ++x) {
                const int32_t* above = forests + (x - first_a) * stride;
                // What remains of the forest when the whole tree at x is taken away.
                const int32_t* before = forests + (a.lefts[x] - first_a) * stride;
                int32_t* row = forests + (x - first_a + 1) * stride;
                int32_t* found = trees + x * width;
                if (before == forests)
                    extend<true>(b, first_b, j, a.labels[x], costs, above, before, found, row);
                else
                    extend<false>(b, first_b, j, a.labels[x], costs, above, before, found, row);
            }
        }
    }
    return trees[(a.size - 1) * width + b.size - 1];
}

bool same(const Side& a, const Side& b) {
    const size_t bytes = size_t(a.size) * sizeof(int32_t);
    return a.size == b.size && !memcmp(a.labels, b.labels, bytes) && !memcmp(a.lefts, b.lefts, bytes);
}

template <typename Costs>
void fill(Forest& a, int64_t rows, Forest& b, int64_t columns, const Costs& costs, int32_t* trees,
          int32_t* forests, double* out) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            const Side &x = a.side(i, 0), &y = b.side(j, 0);
            const Side &mirrored_x = a.side(i, 1), &mirrored_y = b.side(j, 1);
            const bool mirror = double(mirrored_x.work) * double(mirrored_y.work) <
                                double(x.work) * double(y.work);
            *out++ = same(x, y)  ? 0
                     : mirror    ? distance(mirrored_x, mirrored_y, costs, trees, forests)
                                 : distance(x, y, costs, trees, forests);
        }
}

bool labels_are_known(const Trees& trees, int64_t n_labels) {
    for (int64_t i = trees.starts[0]; i < trees.starts[trees.count]; ++i)
        if (trees.labels[i] < 0 || trees.labels[i] >= n_labels) return false;
    return true;
}

bool starts_rise(const Trees& trees) {
    if (trees.count < 0 || trees.starts[0] < 0) return false;
    for (int64_t k = 0; k < trees.count; ++k) {
        const int64_t size = trees.starts[k + 1] - trees.starts[k];
        if (size < 1 || size > INT32_MAX) return false;
    }
    return true;
}

}  // namespace

int64_t symbed_tree_edit(const Trees* a, const Trees* b, const EditCosts* costs, double* out) {
    if (!starts_rise(*a) || !starts_rise(*b)) return BAD_STARTS;
    const bool weighted = costs->weights && costs->changes;
    if (weighted && !(labels_are_known(*a, costs->n_labels) && labels_are_known(*b, costs->n_labels)))
        return UNKNOWN_WORD;
    Forest rows(*a), columns(*b);
    if (!rows.has_memory() || !columns.has_memory()) return NO_MEMORY;
    if (!rows.prepare() || !columns.prepare()) return LEFT_OVER;
    Array<int32_t> trees(rows.largest() * columns.largest());
    Array<int32_t> forests((rows.largest() + 1) * (columns.largest() + 1));
    if (!trees || !forests) return NO_MEMORY;
    if (weighted)
        fill(rows, a->count, columns, b->count, LabelCosts{*costs}, trees.items, forests.items, out);
    else
        fill(rows, a->count, columns, b->count, UnitCosts{}, trees.items, forests.items, out);
    return DONE;
}
