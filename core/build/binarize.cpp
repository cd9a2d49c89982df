#include "build/binarize.hpp"

#include <cstddef>
#include <stdexcept>

#include "base/order.hpp"
#include "build/huffman.hpp"

namespace labeltree {

std::vector<int32_t> binarize(const Tree& tree, std::span<const int64_t> weights) {
  if (weights.size() != tree.n_nodes()) throw std::invalid_argument("weights must have one entry per node");
  std::vector<int32_t> parent(tree.parents().begin(), tree.parents().end());
  for (int32_t v = 0; v < static_cast<int32_t>(tree.n_nodes()); ++v) {
    const auto degree = static_cast<std::size_t>(tree.degree(v));
    if (degree <= 2) continue;
    const auto first = static_cast<std::size_t>(tree.first_child(v));
    const std::vector<int32_t> order = ascending(weights.subspan(first, degree));
    std::vector<int64_t> sorted;
    sorted.reserve(order.size());
    for (const int32_t i : order) sorted.push_back(weights[first + static_cast<std::size_t>(i)]);
    const Merging merging = merge_lightest(sorted, {0, 2, 2, 2});  // the last two stay children of v
    // Merged nodes 0 .. degree-1 are the children in ascending order, the others are new.
    const auto number = [&, n_new = static_cast<int32_t>(parent.size()) - static_cast<int32_t>(degree)](
                            int32_t node) { return node < 0 ? v : n_new + node; };
    for (std::size_t i = 0; i < degree; ++i)
      parent[first + static_cast<std::size_t>(order[i])] = number(merging.parent[i]);
    for (std::size_t i = degree; i < merging.parent.size(); ++i) parent.push_back(number(merging.parent[i]));
  }
  return parent;
}

}  // namespace labeltree
