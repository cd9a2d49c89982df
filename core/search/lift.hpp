// Labels that imply others: a label is at least as probable as each label that implies it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/collect.hpp"
#include "search/key_numbers.hpp"
#include "search/stages.hpp"

namespace labeltree {

// Raises the labels of one row to the probability of the most probable label that implies them.
class Lifter {
 public:
  // limits may be null; `stages` has implied labels.
  Lifter(const Stages& stages, const LabelLimits* limits, const Query& query);

  // What a search for the best n_searched labels found, best first (0 for no limit). Returns whether the best
  // labels are certain. Without limits they always are: the labels that the k best imply come before them.
  // With limits, a label may have been found only for others that it implies.
  bool lift(std::span<const int32_t> labels, std::span<const float> probabilities, int32_t n_searched);

  // Adds the best labels.
  void write(Collected& results) const;

 private:
  struct Lifted {
    int32_t label;
    float probability, rank;
  };

  void offer(int32_t label, float probability);
  void rank_by_limits();

  const Tree& tree_;
  LabelRows implied_;
  const LabelLimits* limits_;
  const Query& query_;
  KeyNumbers numbers_;          // of labels in lifted_
  std::vector<Lifted> lifted_;  // best first
};

}  // namespace labeltree
