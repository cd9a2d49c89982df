// What a tree costs: rows to nodes (Algorithm 1), Hamming weights, costs per row and per leaf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Calls visit(row, node) once for every node on the paths up from first[label]; -1 for no path. Each path
// ends at the first node the row has been to, so the time is that of the visits.
template <class Visit>
void visit_paths(const Tree& tree, const LabelRows& rows, std::span<const int32_t> first, Visit visit) {
  check(rows, tree.n_labels());
  std::vector<int64_t> last_row(tree.n_nodes(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const int32_t j : rows[i]) {
      int32_t v = first[static_cast<std::size_t>(j)];
      while (v >= 0 && last_row[static_cast<std::size_t>(v)] != static_cast<int64_t>(i)) {
        last_row[static_cast<std::size_t>(v)] = static_cast<int64_t>(i);
        visit(i, v);
        v = tree.parent(v);
      }
    }
}

// Calls visit(row, node) once for every positive node of every row.
template <class Visit>
void visit_positive(const Tree& tree, const LabelRows& rows, Visit visit) {
  visit_paths(tree, rows, tree.leaves(), visit);
}

// The same without leaves, of which there are more than the near caches hold.
template <class Visit>
void visit_inner(const Tree& tree, const LabelRows& rows, Visit visit) {
  std::vector<int32_t> first;
  for (const int32_t v : tree.leaves()) first.push_back(tree.parent(v));
  visit_paths(tree, rows, first, visit);
}

struct Assignment {
  std::vector<int32_t> positive, negative;  // ascending node numbers
};

// Algorithm 1 for one row.
Assignment assign(const Tree& tree, std::span<const int32_t> labels);

// Hamming weight of each node: the number of rows that have a label under it.
std::vector<int64_t> node_weights(const Tree& tree, const LabelRows& rows);

// The same where a row counts as much as it weighs.
std::vector<double> node_weights(const Tree& tree, const LabelRows& rows, std::span<const float> row_weight);

// c(T, y) of each row.
std::vector<int64_t> row_costs(const Tree& tree, const LabelRows& rows);

// D_j of each label: the sum of the degrees of its leaf's proper ancestors.
std::vector<int64_t> leaf_costs(const Tree& tree);

// Depth of each node in edges.
std::vector<int32_t> node_depths(const Tree& tree);

}  // namespace labeltree
