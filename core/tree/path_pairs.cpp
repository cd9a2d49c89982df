#include "tree/path_pairs.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "tree/cost.hpp"

namespace labeltree {

PathPairs::PathPairs(const Tree& tree, const LabelRows& rows, bool with_root) {
  const auto begin_row = [&] {
    begin_.push_back(nodes_.size());
    if (with_root) nodes_.push_back(-1);
  };
  visit_positive(tree, rows, [&](std::size_t row, int32_t node) {
    while (begin_.size() <= row) begin_row();
    if (tree.degree(node) > 0) nodes_.push_back(node);
  });
  while (begin_.size() < rows.size()) begin_row();
  begin_.push_back(nodes_.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::sort(nodes_.begin() + static_cast<std::ptrdiff_t>(begin_[i]),
                      nodes_.begin() + static_cast<std::ptrdiff_t>(begin_[i + 1]));
  for (const int32_t node : nodes_) {
    first_.push_back(static_cast<int64_t>(size_));
    size_ += node < 0 ? 1 : at(tree.degree(node));
  }
}

int64_t PathPairs::first_child(std::size_t row, int32_t node) const {
  const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(begin_[row]);
  const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(begin_[row + 1]);
  const auto found = std::lower_bound(begin, end, node);
  return found == end || *found != node ? -1 : first_[static_cast<std::size_t>(found - nodes_.begin())];
}

}  // namespace labeltree
