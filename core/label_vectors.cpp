#include "label_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "index.hpp"
#include "parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 512;  // labels a thread takes at a time

struct Transposed {
  std::vector<int64_t> begin;
  std::vector<int32_t> rows;
};

Transposed rows_of_labels(const LabelRows& labels, int32_t n_labels) {
  Transposed by_label{std::vector<int64_t>(at(n_labels) + 1, 0), std::vector<int32_t>(labels.indices.size())};
  for (const int32_t j : labels.indices) ++by_label.begin[at(j) + 1];
  std::partial_sum(by_label.begin.begin(), by_label.begin.end(), by_label.begin.begin());
  std::vector<int64_t> next(by_label.begin.begin(), by_label.begin.end() - 1);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (const int32_t j : labels[i]) by_label.rows[at(next[at(j)]++)] = static_cast<int32_t>(i);
  return by_label;
}

// Adds up rows of features. Sums are doubles, so that no sum of floats overflows.
class Sum {
 public:
  explicit Sum(int32_t n_features) : values_(at(n_features), 0.0), met_(at(n_features), false) {}

  void add(const FeatureRows& features, int32_t row) {
    for (int64_t e = features.indptr[at(row)]; e < features.indptr[at(row) + 1]; ++e) {
      const int32_t f = features.indices[at(e)];
      if (!met_[at(f)]) touched_.push_back(f);
      met_[at(f)] = true;
      values_[at(f)] += static_cast<double>(features.values[at(e)]);
    }
  }

  int64_t n_touched() const { return static_cast<int64_t>(touched_.size()); }

  // Writes the sum, scaled to length 1, and returns how many entries are not 0.
  int64_t write(Entry* out) const {
    double square = 0.0;
    for (const int32_t f : touched_) square += values_[at(f)] * values_[at(f)];
    const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    const Entry* begin = out;
    for (const int32_t f : touched_)
      if (const auto value = static_cast<float>(values_[at(f)] * scale); value != 0.0F) *out++ = {f, value};
    return out - begin;
  }

  void clear() {
    for (const int32_t f : touched_) {
      values_[at(f)] = 0.0;
      met_[at(f)] = false;
    }
    touched_.clear();
  }

 private:
  std::vector<double> values_;
  std::vector<char> met_;
  std::vector<int32_t> touched_;
};

}  // namespace

LabelVectors label_vectors(const FeatureRows& features, int32_t n_features, const LabelRows& labels,
                           int32_t n_labels, int n_threads, Interrupt& interrupt) {
  if (n_labels < 1) throw std::invalid_argument("a tree needs at least one label, but there is none");
  if (n_features < 0) throw std::invalid_argument("n_features must not be negative");
  check(features, at(n_features));
  check(labels, at(n_labels));
  if (features.size() != labels.size())
    throw std::invalid_argument("X has " + std::to_string(features.size()) + " rows, but Y has " +
                                std::to_string(labels.size()));

  const Transposed by_label = rows_of_labels(labels, n_labels);
  const std::size_t n_blocks = (at(n_labels) + BLOCK - 1) / BLOCK;
  std::vector<std::vector<Entry>> blocks(n_blocks);
  std::vector<int64_t> lengths(at(n_labels), 0);
  std::vector<Sum> sums(n_workers(n_blocks, n_threads), Sum(n_features));
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t worker) {
    Sum& sum = sums[worker];
    for (std::size_t j = block * BLOCK; j < std::min(at(n_labels), (block + 1) * BLOCK); ++j) {
      interrupt.check();
      for (int64_t e = by_label.begin[j]; e < by_label.begin[j + 1]; ++e)
        sum.add(features, by_label.rows[at(e)]);
      const std::size_t used = blocks[block].size();
      blocks[block].resize(used + at(sum.n_touched()));
      lengths[j] = sum.write(blocks[block].data() + used);
      blocks[block].resize(used + at(lengths[j]));
      sum.clear();
    }
  });

  LabelVectors vectors{n_features, std::vector<int64_t>(at(n_labels) + 1, 0), {}};
  std::partial_sum(lengths.begin(), lengths.end(), vectors.begin.begin() + 1);
  vectors.entries.reserve(at(vectors.begin.back()));
  for (std::vector<Entry>& block : blocks) {
    vectors.entries.insert(vectors.entries.end(), block.begin(), block.end());
    block = {};
  }
  return vectors;
}

Columns columns(const LabelVectors& vectors) {
  Columns split;
  split.features.reserve(vectors.entries.size());
  split.values.reserve(vectors.entries.size());
  for (const Entry& entry : vectors.entries) {
    split.features.push_back(entry.feature);
    split.values.push_back(entry.value);
  }
  return split;
}

}  // namespace labeltree
