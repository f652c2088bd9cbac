// Sketches: sum up behaviors as means of their sorted outputs; and the scan, which turns
// sketches into lower bounds of distances at the speed of memory.
//
// At a point the outputs are cut into blocks of equal mass, neighboring points are put in groups,
// and of each block in each group the mean is kept. A mean moves by no more than what it is a mean
// of, so the distance of two sketches is never larger than that of their behaviors.
#pragma once
#include "api/core.h"
#include "api/growable_list.h"
#include "elementary/simd.h"

namespace SYMBED_NS {

// Outputs are cut off there, so that squares of differences fit into a float. Cutting off only
// brings outputs closer together.
constexpr double FAR_OUT = 0x1p62;

SYMBED_INLINE double cut_off(double value) {
    return value > FAR_OUT ? FAR_OUT : value < -FAR_OUT ? -FAR_OUT : value;
}

// Sums at each point: one row for each block, then of |output| and of output, as shares of the mean.
struct PointSums {
    List<double> room;
    int64_t n_points, n_blocks;

    bool reserve(int64_t points, int64_t blocks) {
        n_points = points;
        n_blocks = blocks;
        return room.reserve((blocks + 2) * points);
    }
    double* block(int64_t b) { return room.items + b * n_points; }
    double* sizes() { return block(n_blocks); }
    double* means() { return block(n_blocks + 1); }
};

// All points at once, as if all outputs were defined; the number of draws is a multiple of the blocks.
static void sum_whole(const double* values, int64_t draws, PointSums& sums) {
    const int64_t n = sums.n_points, length = draws / sums.n_blocks;
    const double share = 1.0 / double(length), part = 1.0 / (double(draws) * double(n));
    double *sizes = sums.sizes(), *means = sums.means();
    memset(sums.room.items, 0, size_t(sums.n_blocks + 2) * size_t(n) * sizeof(double));
    for (int64_t draw = 0; draw < draws; draw++) {
        const double* from = values + draw * n;
        double* block = sums.block(draw / length);
        for (int64_t i = 0; i < n; i++) {
            block[i] += cut_off(from[i]) * share;
            sizes[i] += __builtin_fabs(from[i]) * part;
            means[i] += from[i] * part;
        }
    }
}

// One point with any number of outputs; those on the border of two blocks are shared by them.
static void sum_point(const double* values, int64_t count, int64_t i, PointSums& sums) {
    const int64_t n = sums.n_points, blocks = sums.n_blocks;
    const double part = 1.0 / (double(count) * double(n));
    for (int64_t b = 0; b < blocks + 2; b++) sums.block(b)[i] = 0.0;
    for (int64_t draw = 0; draw < count; draw++) {
        const double value = values[draw * n + i];
        sums.sizes()[i] += __builtin_fabs(value) * part;
        sums.means()[i] += value * part;
        // In units of 1 / (count * blocks) an output lies from draw * blocks on, a block from b * count.
        for (int64_t b = draw * blocks / count; b < blocks && b * count < (draw + 1) * blocks; b++) {
            const int64_t low = draw * blocks > b * count ? draw * blocks : b * count;
            const int64_t end = (b + 1) * count;
            const int64_t high = (draw + 1) * blocks < end ? (draw + 1) * blocks : end;
            sums.block(b)[i] += cut_off(value) * (double(high - low) / double(count));
        }
    }
    for (int64_t b = 0; b < blocks && !count; b++) sums.block(b)[i] = UNDEFINED;
}

// From points to groups: a group with an undefined point is undefined.
static void write_sketch(const SketchPlan& plan, PointSums& sums, double* means, float* values,
                         double* keys) {
    const int64_t n = plan.n_points;
    for (int64_t b = 0; b < sums.n_blocks; b++) {
        memset(means, 0, size_t(plan.width) * sizeof(double));
        for (int64_t i = 0; i < n; i++)
            means[plan.groups[i]] += sums.block(b)[i] * plan.shares[plan.groups[i]];
        for (int64_t g = 0; g < plan.width; g++) values[b * plan.width + g] = float(means[g]);
    }
    keys[0] = keys[1] = keys[2] = 0.0;
    for (int64_t i = 0; i < n; i++) {
        keys[0] += sums.sizes()[i];
        keys[1] += sums.means()[i];
        keys[2] += sums.means()[i] * plan.signs[i];
    }
}

static int64_t sketch(const Behaviors& side, const SketchPlan& plan, float* values, double* keys) {
    const int64_t n = plan.n_points, blocks = side.draws == 1 ? 1 : plan.n_blocks;
    if (n < 1 || side.n_points != n || side.draws < 1 || blocks < 1 || plan.width < 1) return BAD_SHAPE;
    for (int64_t i = 0; i < n; i++)
        if (plan.groups[i] < 0 || plan.groups[i] >= plan.width) return BAD_SHAPE;
    PointSums sums;
    List<double> means;
    if (!sums.reserve(n, blocks) || !means.reserve(plan.width)) return NO_MEMORY;
    const bool even = side.draws % blocks == 0;
    for (int64_t k = 0; k < side.count; k++) {
        const double* outputs = side.values + k * side.draws * n;
        const int32_t* defined = side.defined + k * n;
        if (even) sum_whole(outputs, side.draws, sums);
        for (int64_t i = 0; i < n; i++) {
            if (defined[i] < 0 || defined[i] > side.draws) return BAD_COUNT;
            if (!even || defined[i] != side.draws) sum_point(outputs, defined[i], i, sums);
        }
        write_sketch(plan, sums, means.items, values + k * blocks * plan.width, keys + 3 * k);
    }
    return DONE;
}

typedef float Floats __attribute__((vector_size(8 * WIDTH)));
typedef int32_t FloatMask __attribute__((vector_size(8 * WIDTH)));
constexpr int FLOATS = 2 * WIDTH;

SYMBED_INLINE Floats load_floats(const float* from) {
    Floats value;
    memcpy(&value, from, sizeof value);
    return value;
}

// What two vectors of means differ by, to the power p; nothing where one is undefined.
template <int ORDER>
SYMBED_INLINE Floats float_costs(const float* u, const float* v) {
    const Floats difference = load_floats(u) - load_floats(v);
    const FloatMask known = difference == difference;
    const FloatMask bits = (FloatMask)difference & known;
    if (ORDER == 1) return (Floats)(bits & (FloatMask{} + INT32_MAX));
    return (Floats)bits * (Floats)bits;
}

template <int ORDER>
static float bound(const Scan& scan, const float* sketch) {
    const int64_t blocks = scan.n_blocks > scan.query_blocks ? scan.n_blocks : scan.query_blocks;
    const int64_t step = scan.n_blocks == 1 ? 0 : scan.width;
    const int64_t query_step = scan.query_blocks == 1 ? 0 : scan.width;
    Floats sums[2] = {};
    for (int64_t b = 0; b < blocks; b++) {
        const float *u = scan.query + b * query_step, *v = sketch + b * step;
        for (int64_t g = 0; g < scan.width; g += 2 * FLOATS)
            for (int half = 0; half < 2; half++) {
                const int64_t at = g + half * FLOATS;
                sums[half] += float_costs<ORDER>(u + at, v + at) * load_floats(scan.weights + at);
            }
    }
    const Floats both = sums[0] + sums[1];
    float sum = 0.0f;
    for (int lane = 0; lane < FLOATS; lane++) sum += both[lane];
    const float mean = sum / float(blocks);
    return ORDER == 1 ? mean : __builtin_sqrtf(mean);
}

template <int ORDER>
static int64_t fill_bounds(const Scan& scan, float* out) {
    const int64_t size = scan.n_blocks * scan.width;
    for (int64_t k = 0; k < scan.count; k++) {
        const int64_t row = scan.rows ? scan.rows[k] : scan.first + k;
        if (row < 0 || row >= scan.n_sketches) return BAD_SHAPE;
        out[k] = bound<ORDER>(scan, scan.values + row * size);
    }
    return DONE;
}

static int64_t scan(const Scan& scan, float* out) {
    const bool paired = scan.n_blocks == scan.query_blocks || scan.n_blocks == 1 ||
                        scan.query_blocks == 1;
    if (!paired || scan.n_blocks < 1 || scan.query_blocks < 1 || scan.width % 32) return BAD_SHAPE;
    if (scan.order != 1 && scan.order != 2) return BAD_ORDER;
    return scan.order == 1 ? fill_bounds<1>(scan, out) : fill_bounds<2>(scan, out);
}

}  // namespace SYMBED_NS
