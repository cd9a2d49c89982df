#include "search/lift.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace labeltree {

Lifter::Lifter(const Stages& stages, const LabelLimits* limits, const Query& query)
    : tree_(stages.trees.front()->tree()), implied_(stages.implied), limits_(limits), query_(query) {}

bool Lifter::lift(std::span<const int32_t> labels, std::span<const float> probabilities, int32_t n_searched) {
  numbers_.clear();
  lifted_.clear();
  // Only without limits are the labels in the order of their probabilities, so that later ones raise none.
  const bool is_cut = query_.k > 0 && limits_ == nullptr;
  for (std::size_t i = 0; i < labels.size() && !(is_cut && lifted_.size() >= at(query_.k)); ++i) {
    for (const int32_t other : implied_[at(labels[i])]) offer(other, probabilities[i]);
    offer(labels[i], probabilities[i]);
  }
  if (limits_ == nullptr) return true;
  rank_by_limits();
  if (n_searched == 0 || labels.size() < at(n_searched) || at(n_searched) >= tree_.n_labels()) return true;
  // Labels that were not found rank no higher than the last one that was, nor does what they imply.
  const float last = query_.curve(probabilities.back()) * limits_->weight(tree_.leaf(labels.back()));
  return lifted_.size() >= at(query_.k) && lifted_[at(query_.k) - 1].rank >= last;
}

void Lifter::write(Collected& results) const {
  const std::size_t n = query_.k > 0 ? std::min(lifted_.size(), at(query_.k)) : lifted_.size();
  for (std::size_t i = 0; i < n; ++i) results.push(lifted_[i].label, lifted_[i].probability);
  results.end_row();
}

void Lifter::offer(int32_t label, float probability) {
  const int32_t number = numbers_.find(label);
  if (number >= 0) {
    float& known = lifted_[at(number)].probability;
    known = std::max(known, probability);
    return;
  }
  numbers_.add(label);
  lifted_.push_back({label, probability, probability});
}

void Lifter::rank_by_limits() {
  std::erase_if(lifted_, [&](const Lifted& one) {
    return one.probability < limits_->own_threshold(one.label) || limits_->own_weight(one.label) <= 0;
  });
  for (Lifted& one : lifted_) one.rank = query_.curve(one.probability) * limits_->own_weight(one.label);
  std::ranges::stable_sort(lifted_, std::ranges::greater(), &Lifted::rank);
}

}  // namespace labeltree
