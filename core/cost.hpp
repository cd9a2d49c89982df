// What a tree costs: rows to nodes (Algorithm 1), Hamming weights, costs per row and per leaf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sparse.hpp"
#include "tree.hpp"

namespace labeltree {

struct Assignment {
  std::vector<int32_t> positive, negative;  // ascending node numbers
};

// Algorithm 1 for one row.
Assignment assign(const Tree& tree, std::span<const int32_t> labels);

// Hamming weight of each node: the number of rows that have a label under it.
std::vector<int64_t> node_weights(const Tree& tree, const LabelRows& rows);

// c(T, y) of each row.
std::vector<int64_t> row_costs(const Tree& tree, const LabelRows& rows);

// D_j of each label: the sum of the degrees of its leaf's proper ancestors.
std::vector<int64_t> leaf_costs(const Tree& tree);

// Depth of each node in edges.
std::vector<int32_t> node_depths(const Tree& tree);

}  // namespace labeltree
