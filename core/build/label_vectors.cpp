#include "build/label_vectors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "data/walked_pages.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 512;  // labels that a thread takes at a time

// Keeps the heaviest of the entries from `first` on, and scales them to length 1.
void shorten(std::vector<Entry>& entries, std::size_t first, std::size_t max_entries) {
  keep_heaviest(entries, first, max_entries);
  double square = 0.0;
  for (std::size_t e = first; e < entries.size(); ++e)
    square += static_cast<double>(entries[e].value) * static_cast<double>(entries[e].value);
  const auto scale = static_cast<float>(1.0 / std::sqrt(square));
  for (std::size_t e = first; e < entries.size(); ++e) entries[e].value *= scale;
}

// Adds up rows of features. Sums are doubles, so that no sum of floats overflows.
class Sum {
 public:
  explicit Sum(int32_t n_features) : values_(at(n_features), 0.0) {}

  // Without a branch, because which features are new cannot be predicted. A sum that falls back to 0 counts
  // as new once more, which take() does not mind.
  void add(const FeatureRows& features, int32_t row) {
    const int64_t begin = features.indptr[at(row)], end = features.indptr[at(row) + 1];
    if (touched_.size() < n_touched_ + at(end - begin)) touched_.resize(2 * n_touched_ + at(end - begin));
    for (int64_t e = begin; e < end; ++e) {
      const int32_t f = features.indices[at(e)];
      double& value = values_[at(f)];
      touched_[n_touched_] = f;
      n_touched_ += value == 0.0;
      value += static_cast<double>(features.values[at(e)]);
    }
  }

  // Appends the heaviest entries of the sum, scaled to length 1, and starts again.
  void take(std::size_t max_entries, std::vector<Entry>& out) {
    double square = 0.0;
    sums_.clear();
    for (std::size_t i = 0; i < n_touched_; ++i) {
      double& value = values_[at(touched_[i])];
      square += value * value;
      sums_.push_back(value);
      value = 0.0;
    }
    const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    const std::size_t used = out.size();
    for (std::size_t i = 0; i < n_touched_; ++i)
      if (const auto value = static_cast<float>(sums_[i] * scale); value != 0.0F)
        out.push_back({touched_[i], value});
    n_touched_ = 0;
    if (out.size() - used > max_entries) shorten(out, used, max_entries);
  }

 private:
  std::vector<double> values_;
  std::vector<int32_t> touched_;  // of which the first n_touched_ count
  std::size_t n_touched_ = 0;
  std::vector<double> sums_;
};

}  // namespace

LabelSums::LabelSums(const FeatureRows& features, int32_t n_features, const LabelRows& labels,
                     int32_t n_labels, std::size_t page_bytes)
    : features_(features), n_features_(n_features), page_bytes_(page_bytes) {
  if (n_labels < 1) throw std::invalid_argument("a tree needs at least one label, but there is none");
  if (n_features < 0) throw std::invalid_argument("n_features must not be negative");
  WalkedPages checked(features, page_bytes);
  check(features, at(n_features), checked);
  check(labels, at(n_labels));
  check_same_size(features.size(), labels.size());
  by_label_ = rows_of_labels(labels, n_labels);
}

LabelVectors LabelSums::vectors(int32_t first, int32_t last, std::size_t max_entries, int n_threads,
                                Interrupt& interrupt) const {
  by_label_.check_range(first, last);
  const std::size_t n_labels = at(last - first), n_blocks = (n_labels + BLOCK - 1) / BLOCK;
  std::vector<std::vector<Entry>> blocks(n_blocks);
  std::vector<int64_t> lengths(n_labels, 0);
  std::vector<Sum> sums(n_workers(n_blocks, n_threads), Sum(n_features_));
  std::vector<WalkedPages> pages(sums.size(), WalkedPages(features_, page_bytes_));
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t worker) {
    Sum& sum = sums[worker];
    for (std::size_t i = block * BLOCK; i < std::min(n_labels, (block + 1) * BLOCK); ++i) {
      interrupt.check();
      const std::size_t j = at(first) + i;
      for (int64_t e = by_label_.begin[j]; e < by_label_.begin[j + 1]; ++e) {
        const int32_t row = by_label_.rows[at(e)];
        sum.add(features_, row);
        pages[worker].visit(features_.indptr[at(row)], features_.indptr[at(row) + 1]);
      }
      const std::size_t used = blocks[block].size();
      sum.take(max_entries, blocks[block]);
      lengths[i] = static_cast<int64_t>(blocks[block].size() - used);
    }
  });

  LabelVectors vectors{n_features_, std::vector<int64_t>(n_labels + 1, 0), {}};
  std::partial_sum(lengths.begin(), lengths.end(), vectors.begin.begin() + 1);
  vectors.entries.reserve(at(vectors.begin.back()));
  for (std::vector<Entry>& block : blocks) {
    vectors.entries.insert(vectors.entries.end(), block.begin(), block.end());
    block = std::vector<Entry>();  // {} would keep its memory
  }
  return vectors;
}

LabelVectors short_label_vectors(const FeatureRows& features, int32_t n_features, const LabelRows& labels,
                                 int32_t n_labels, int n_threads, Interrupt& interrupt) {
  return LabelSums(features, n_features, labels, n_labels)
      .vectors(0, n_labels, MAX_ENTRIES, n_threads, interrupt);
}

// Weights of floats compare like their bits, so one pass that counts by the upper bits leaves few to sort.
void keep_heaviest(std::vector<Entry>& entries, std::size_t first, std::size_t most) {
  if (entries.size() - first <= most) return;
  const std::span tail = std::span(entries).subspan(first);
  const auto weight = [](const Entry& entry) { return std::bit_cast<uint32_t>(entry.value) << 1 >> 1; };
  std::vector<uint32_t> counts(1 << 12, 0), middle;
  for (const Entry& entry : tail) ++counts[weight(entry) >> 19];
  std::size_t n_heavier = 0;
  uint32_t bin = 1 << 12;
  while (n_heavier + counts[bin - 1] < most) n_heavier += counts[--bin];
  --bin;
  for (const Entry& entry : tail)
    if (weight(entry) >> 19 == bin) middle.push_back(weight(entry));
  const auto least = middle.begin() + static_cast<std::ptrdiff_t>(most - n_heavier) - 1;
  std::ranges::nth_element(middle, least, std::greater<>());
  auto n_ties = std::ranges::count(middle.begin(), least + 1, *least);
  const auto dropped = std::remove_if(tail.begin(), tail.end(), [&](const Entry& entry) {
    return weight(entry) < *least || (weight(entry) == *least && n_ties-- <= 0);
  });
  entries.resize(entries.size() - at(tail.end() - dropped));
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
