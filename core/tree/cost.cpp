#include "tree/cost.hpp"

#include <algorithm>

namespace labeltree {

Assignment assign(const Tree& tree, std::span<const int32_t> labels) {
  const int64_t indptr[2] = {0, static_cast<int64_t>(labels.size())};
  check(LabelRows{indptr, labels}, tree.n_labels());
  Assignment nodes;
  for (const int32_t j : labels)
    for (int32_t v = tree.leaf(j); v >= 0; v = tree.parent(v)) nodes.positive.push_back(v);
  std::ranges::sort(nodes.positive);
  nodes.positive.erase(std::unique(nodes.positive.begin(), nodes.positive.end()), nodes.positive.end());

  std::vector<int32_t> touched{0};  // the root, and every child of a positive node
  for (const int32_t v : nodes.positive)
    for (int32_t c = tree.first_child(v); c < tree.first_child(v + 1); ++c) touched.push_back(c);
  std::ranges::set_difference(touched, nodes.positive, std::back_inserter(nodes.negative));
  return nodes;
}

std::vector<int64_t> node_weights(const Tree& tree, const LabelRows& rows) {
  std::vector<int64_t> weights(tree.n_nodes(), 0);
  visit_positive(tree, rows, [&](std::size_t, int32_t v) { ++weights[static_cast<std::size_t>(v)]; });
  return weights;
}

std::vector<double> node_weights(const Tree& tree, const LabelRows& rows, std::span<const float> row_weight) {
  if (row_weight.size() != rows.size())
    throw std::invalid_argument("labels and row weights must have equally many rows");
  std::vector<double> weights(tree.n_nodes(), 0.0);
  visit_positive(tree, rows,
                 [&](std::size_t i, int32_t v) { weights[static_cast<std::size_t>(v)] += row_weight[i]; });
  return weights;
}

std::vector<int64_t> row_costs(const Tree& tree, const LabelRows& rows) {
  std::vector<int64_t> costs(rows.size(), 1);
  visit_positive(tree, rows, [&](std::size_t i, int32_t v) { costs[i] += tree.degree(v); });
  return costs;
}

std::vector<int64_t> leaf_costs(const Tree& tree) {
  std::vector<int64_t> above(tree.n_nodes(), 0);
  for (std::size_t v = 1; v < tree.n_nodes(); ++v) {
    const int32_t p = tree.parents()[v];
    above[v] = above[static_cast<std::size_t>(p)] + tree.degree(p);
  }
  std::vector<int64_t> costs;
  for (const int32_t v : tree.leaves()) costs.push_back(above[static_cast<std::size_t>(v)]);
  return costs;
}

std::vector<int32_t> node_depths(const Tree& tree) {
  std::vector<int32_t> depths(tree.n_nodes(), 0);
  for (std::size_t v = 1; v < tree.n_nodes(); ++v)
    depths[v] = depths[static_cast<std::size_t>(tree.parents()[v])] + 1;
  return depths;
}

}  // namespace labeltree
