// Normal equations: sum the products of slopes and residuals, a stretch at a time, and solve the
// damped equations for steps. engine/reference/_fitting.py is the twin.
#pragma once
#include "api/growable_list.h"
#include "distance/lane_sums.h"

namespace SYMBED_NS {

// Sums of products of all pairs of columns: the slopes by each parameter, then the residuals. They
// are summed in lanes as distances are, so they are the same bits however points are cut.
struct Products {
    List<double> lanes;  // [pairs, LANES]: (0, 0), (0, 1) ... (0, p), (1, 1) ...

    static int64_t pair(int64_t i, int64_t j, int64_t n) { return i * n - i * (i - 1) / 2 + j - i; }
    bool reserve(int64_t n_columns) { return lanes.reserve(n_columns * (n_columns + 1) / 2 * LANES); }
    void clear(int64_t n_columns) {
        memset(lanes.items, 0, size_t(n_columns * (n_columns + 1) / 2 * LANES) * sizeof(double));
    }
    double sum(int64_t pair) const { return fold_lanes(lanes.items + pair * LANES); }
};

#if defined(__AVX512F__)
constexpr int PRODUCT_REGISTERS = 4;
#else
constexpr int PRODUCT_REGISTERS = 2;
#endif

// Adds the products of one column with B others over a stretch whose length is a multiple of LANES.
template <int B>
static void add_products(const double* column, const double* others, int64_t stride, int64_t length,
                         double* lanes) {
    constexpr int GROUP = PRODUCT_REGISTERS * WIDTH;
    static_assert(LANES % GROUP == 0, "lanes are done in whole groups");
    for (int group = 0; group < LANES; group += GROUP) {
        Vector sums[B][PRODUCT_REGISTERS];
        for (int b = 0; b < B; b++)
            for (int r = 0; r < PRODUCT_REGISTERS; r++)
                sums[b][r] = load(lanes + b * LANES + group + r * WIDTH);
        for (int64_t t = group; t < length; t += LANES)
            for (int r = 0; r < PRODUCT_REGISTERS; r++) {
                const Vector u = load(column + t + r * WIDTH);
                for (int b = 0; b < B; b++)
                    sums[b][r] += u * load(others + b * stride + t + r * WIDTH);
            }
        for (int b = 0; b < B; b++)
            for (int r = 0; r < PRODUCT_REGISTERS; r++)
                store(lanes + b * LANES + group + r * WIDTH, sums[b][r]);
    }
}

// Adds the products of column i with columns j to the last one, `n_columns` in all.
static void add_row(Products& products, const double* columns, int64_t stride, int64_t i, int64_t j,
                    int64_t n_columns, int64_t length) {
    const double* column = columns + i * stride;
    for (; j < n_columns; j += 3) {
        const double* others = columns + j * stride;
        double* lanes = products.lanes.items + Products::pair(i, j, n_columns) * LANES;
        const int64_t left = n_columns - j;
        if (left >= 3) add_products<3>(column, others, stride, length, lanes);
        if (left == 2) add_products<2>(column, others, stride, length, lanes);
        if (left == 1) add_products<1>(column, others, stride, length, lanes);
    }
}

// The quadratic model of the loss at some parameters: loss + 2 g.s + s.A.s for a step s.
struct Model {
    double loss;
    List<double> matrix, gradient;  // A [p, p], both halves; g [p]

    bool reserve(int64_t p) { return matrix.reserve(p * p + 1) && gradient.reserve(p + 1); }
};

// False if a sum is not finite.
static bool fold_products(const Products& products, int64_t p, Model& model) {
    double check = 0.0;
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = i; j < p; j++) {
            const double sum = products.sum(Products::pair(i, j, p + 1));
            model.matrix.items[i * p + j] = model.matrix.items[j * p + i] = sum;
            check += sum - sum;
        }
        model.gradient.items[i] = products.sum(Products::pair(i, p, p + 1));
        check += model.gradient.items[i] - model.gradient.items[i];
    }
    return check == 0.0;
}

// What steps are computed in.
struct Solver {
    List<double> factor, z, scale;  // Cholesky's factor, the scaled step, roots of the damping's scale
    List<int32_t> free;             // parameters that may move

    bool reserve(int64_t p) {
        return factor.reserve(p * p + 1) && z.reserve(p + 1) && scale.reserve(p + 1) &&
               free.reserve(p + 1);
    }
};

// Cholesky's factor of the scaled and damped matrix of the free parameters; false if it has none.
static bool factorize(Solver& solver, const Model& model, int64_t p, double damping) {
    const int64_t n = solver.free.count;
    double* factor = solver.factor.items;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = solver.free.items[i];
        for (int64_t j = 0; j <= i; j++) {
            const int64_t column = solver.free.items[j];
            double sum = model.matrix.items[row * p + column] / solver.scale.items[row] /
                         solver.scale.items[column];
            if (i == j) sum += damping;
            for (int64_t k = 0; k < j; k++) sum -= factor[i * n + k] * factor[j * n + k];
            if (i != j)
                factor[i * n + j] = sum / factor[j * n + j];
            else if (sum > 0.0 && sum < INFINITE)
                factor[i * n + i] = __builtin_sqrt(sum);
            else
                return false;
        }
    }
    return true;
}

// The damped step of the free parameters, where the others make the steps that `step` holds.
static bool solve(Solver& solver, const Model& model, int64_t p, double damping, double* step) {
    if (!factorize(solver, model, p, damping)) return false;
    const int64_t n = solver.free.count;
    const double* factor = solver.factor.items;
    double* z = solver.z.items;
    for (int64_t i = 0; i < n; i++) step[solver.free.items[i]] = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = solver.free.items[i];
        double slope = model.gradient.items[row];
        for (int64_t j = 0; j < p; j++) slope += model.matrix.items[row * p + j] * step[j];
        double sum = -slope / solver.scale.items[row];
        for (int64_t k = 0; k < i; k++) sum -= factor[i * n + k] * z[k];
        z[i] = sum / factor[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++) z[i] -= factor[k * n + i] * z[k];
        z[i] /= factor[i * n + i];
    }
    for (int64_t i = 0; i < n; i++)
        step[solver.free.items[i]] = z[i] / solver.scale.items[solver.free.items[i]];
    return true;
}

}  // namespace SYMBED_NS
