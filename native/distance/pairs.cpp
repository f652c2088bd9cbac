// Distances of some pairs: the BED of listed pairs from two blocks of behaviors, by the kernel that
// fills matrices.
#include "api/core.h"

SYMBED_API int64_t symbed_paired(const Behaviors* a, const Behaviors* b, const Pairs* pairs,
                                 const Measure* measure, double* out);

static Behaviors one(const Behaviors& side, int64_t place, int64_t n_points) {
    return {side.values + place * side.draws * n_points, side.defined + place * n_points, 1,
            side.draws};
}

int64_t symbed_paired(const Behaviors* a, const Behaviors* b, const Pairs* pairs,
                      const Measure* measure, double* out) {
    for (int64_t k = 0; k < pairs->count; k++) {
        const int64_t i = pairs->a[k], j = pairs->b[k];
        if (i < 0 || i >= a->count || j < 0 || j >= b->count) return BAD_SHAPE;
        const Behaviors u = one(*a, i, measure->n_points), v = one(*b, j, measure->n_points);
        const int64_t status = symbed_cross(&u, &v, measure, out + k);
        if (status != DONE) return status;
    }
    return DONE;
}
