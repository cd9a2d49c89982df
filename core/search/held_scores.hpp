// Scores that take the place of a model's for rows that it was trained on.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/index.hpp"
#include "tree/path_pairs.hpp"

namespace labeltree {

// Node scores of rows from a fit without them. Searches use them in place of the model's, which the rows
// themselves have shaped; they are not a number where there is none.
class HeldScores {
 public:
  HeldScores(const Tree& tree, const LabelRows& rows, bool has_root, std::span<const float> scores)
      : tree_(tree), pairs_(tree, rows, has_root), n_rows_(rows.size()), scores_(scores) {
    if (scores.size() != pairs_.size())
      throw std::invalid_argument("there must be one score for each pair of a row and a node");
  }

  std::size_t n_rows() const { return n_rows_; }

  // Of the children of a node, or of the root where node is -1; empty unless the node is positive.
  std::span<const float> of_children(std::size_t row, int32_t node) const {
    const int64_t first = pairs_.first_child(row, node);
    if (first < 0) return {};
    return scores_.subspan(at(first), node < 0 ? 1 : at(tree_.degree(node)));
  }

 private:
  const Tree& tree_;
  PathPairs pairs_;
  std::size_t n_rows_;
  std::span<const float> scores_;
};

}  // namespace labeltree
