// Products of rows with each other, and weights from rows, where weights of all features are many.
//
// With products, a step of dual coordinate descent costs as much as there are rows, however many features
// they have. Both loops walk the features of all rows in tiles: the weights of a tile stay in the cache.
#pragma once

#include "train/solver.hpp"

namespace labeltree {

// Products of every two rows, [row][n_products(rows)], plus a constant. Features of each row ascend.
void multiply_rows(const ProblemRows& rows, float constant, Interrupt& interrupt, Block& products);

// Numbers of a row of products: a multiple of the lanes; those beyond the last row are 0.
std::size_t n_products(const ProblemRows& rows);

// weights[feature] = the sum of changes[row] times its values.
void combine_rows(const ProblemRows& rows, const Block& changes, Block& weights);

// scores[i][lane] += the products of row picked[i] with the weights that are larger than their lane's limit.
void score_rows(const ProblemRows& rows, std::span<const int32_t> picked, const Block& weights,
                const float* limits, float* scores);

}  // namespace labeltree
