#include "data/label_affinity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 512;  // labels that a thread takes at a time

// Counts the features of one label's rows after the other.
class Counter {
 public:
  explicit Counter(int32_t n_features) : counts_(at(n_features), 0), shared_(at(n_features), 0) {}

  // Without a branch, because which features are new cannot be predicted.
  void add(std::span<const int32_t> features) {
    if (touched_.size() < n_touched_ + features.size()) touched_.resize(2 * n_touched_ + features.size());
    for (const int32_t f : features) {
      int32_t& count = counts_[at(f)];
      touched_[n_touched_] = f;
      n_touched_ += count == 0;
      ++count;
    }
  }

  void end_label(int64_t weight) {
    for (std::size_t i = 0; i < n_touched_; ++i) {
      const int64_t count = std::exchange(counts_[at(touched_[i])], 0);
      shared_[at(touched_[i])] += count * (count - 1) * weight;
    }
    n_touched_ = 0;
  }

  const std::vector<int64_t>& shared() const { return shared_; }

 private:
  std::vector<int32_t> counts_;  // [feature] rows of the label that have it
  std::vector<int64_t> shared_;
  std::vector<int32_t> touched_;  // of which the first n_touched_ count
  std::size_t n_touched_ = 0;
};

}  // namespace

SharedLabels::SharedLabels(const LabelRows& features, int32_t n_features, const LabelRows& labels,
                           int32_t n_labels)
    : features_(features), n_features_(n_features) {
  check(features.indptr, features.indices, at(n_features), "feature");
  check(labels, at(n_labels));
  check_same_size(features.size(), labels.size());
  by_label_ = rows_of_labels(labels, n_labels);
}

std::vector<int64_t> SharedLabels::of(int32_t first, int32_t last, int n_threads,
                                      Interrupt& interrupt) const {
  by_label_.check_range(first, last);
  const std::size_t n_blocks = (at(last - first) + BLOCK - 1) / BLOCK;
  std::vector<Counter> counters(n_workers(n_blocks, n_threads), Counter(n_features_));
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t worker) {
    const std::size_t begin = at(first) + block * BLOCK;
    for (std::size_t j = begin; j < std::min(at(last), begin + BLOCK); ++j) {
      interrupt.check();
      const int64_t n_rows = by_label_.begin[j + 1] - by_label_.begin[j];
      if (n_rows < 2) continue;
      for (int64_t e = by_label_.begin[j]; e < by_label_.begin[j + 1]; ++e)
        counters[worker].add(features_[at(by_label_.rows[at(e)])]);
      const double weight = AFFINITY_UNIT / std::sqrt(static_cast<double>(n_rows));
      counters[worker].end_label(std::max<int64_t>(std::llround(weight), 1));
    }
  });
  std::vector<int64_t> shared(at(n_features_), 0);
  for (const Counter& counter : counters)
    for (std::size_t f = 0; f < shared.size(); ++f) shared[f] += counter.shared()[f];
  return shared;
}

}  // namespace labeltree
