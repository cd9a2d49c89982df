#include "tree/active_features.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/index.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

// The rows of each inner node, node by node.
struct NodeRows {
  std::vector<int64_t> indptr;
  std::vector<int32_t> rows;
};

NodeRows rows_of_inner_nodes(const Tree& tree, const LabelRows& labels) {
  std::vector<int64_t> end(tree.n_nodes() + 1, 0);
  visit_positive(tree, labels, [&](std::size_t, int32_t v) { end[at(v) + 1] += tree.degree(v) > 0; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  NodeRows found{end, std::vector<int32_t>(at(end.back()))};
  visit_positive(tree, labels, [&](std::size_t i, int32_t v) {
    if (tree.degree(v) > 0) found.rows[at(end[at(v)]++)] = static_cast<int32_t>(i);
  });
  return found;
}

}  // namespace

std::vector<int64_t> active_features(const Tree& tree, const LabelRows& labels, const FeaturePattern& X) {
  // Features of a row have the same layout as labels of a row, so one view and one check serve both.
  const LabelRows pattern{X.indptr, X.features};
  check(pattern, X.n_features);
  check(labels, tree.n_labels());
  check_same_size(pattern.size(), labels.size());
  if (labels.size() > at(std::numeric_limits<int32_t>::max()))
    throw std::invalid_argument("features are counted over at most 2147483647 rows, but there are " +
                                std::to_string(labels.size()));
  const NodeRows nodes = rows_of_inner_nodes(tree, labels);
  std::vector<int64_t> active(tree.n_nodes(), 0);
  std::vector<int32_t> last_node(X.n_features, -1);
  for (std::size_t v = 0; v < tree.n_nodes(); ++v)
    for (int64_t e = nodes.indptr[v]; e < nodes.indptr[v + 1]; ++e)
      for (const int32_t feature : pattern[at(nodes.rows[at(e)])])
        if (last_node[at(feature)] != static_cast<int32_t>(v)) {
          last_node[at(feature)] = static_cast<int32_t>(v);
          ++active[v];
        }
  return active;
}

}  // namespace labeltree
