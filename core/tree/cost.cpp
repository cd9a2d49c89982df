#include "tree/cost.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "tree/meeting_nodes.hpp"

namespace labeltree {
namespace {

// To walk paths of this length takes about as long as to find where they meet.
constexpr double MAX_WALKED = 12.0;

// Of all leaves.
double mean_depth(const Tree& tree) {
  const std::vector<int32_t> depths = node_depths(tree);
  double sum = 0.0;
  for (const int32_t v : tree.leaves()) sum += depths[at(v)];
  return sum / static_cast<double>(tree.n_labels());
}

// Each leaf of a row counts 1 in all nodes above it. Where two neighbors among them meet, 1 is taken off
// again, so that the row counts 1 in every node that it is positive for. Paths are not walked.
std::vector<int64_t> weights_by_meetings(const Tree& tree, const LabelRows& rows) {
  check(rows, tree.n_labels());
  const MeetingNodes meetings(tree);
  std::vector<int64_t> weights(tree.n_nodes(), 0);
  std::vector<int32_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.clear();
    for (const int32_t j : rows[i]) places.push_back(meetings.place(j));
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (std::size_t k = 0; k < places.size(); ++k) {
      ++weights[at(meetings.leaf(places[k]))];
      if (k > 0) --weights[at(meetings.of(places[k - 1], places[k]))];
    }
  }
  for (std::size_t v = weights.size(); v-- > 1;) weights[at(tree.parents()[v])] += weights[v];
  return weights;
}

}  // namespace

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
  if (mean_depth(tree) > MAX_WALKED) return weights_by_meetings(tree, rows);
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
