// Labels as points among the features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "data/label_rows.hpp"
#include "data/sparse.hpp"

namespace labeltree {

// A feature and its value lie together, because they are always read together.
struct Entry {
  int32_t feature;
  float value;
};

struct LabelVectors {
  int32_t n_features = 0;
  std::vector<int64_t> begin;  // label j owns entries begin[j] .. begin[j + 1] - 1, in no order
  std::vector<Entry> entries;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Entry> operator[](std::size_t label) const {
    return std::span(entries).subspan(static_cast<std::size_t>(begin[label]),
                                      static_cast<std::size_t>(begin[label + 1] - begin[label]));
  }
};

// Entries of a label's vector that are enough to find similar labels: more do not make better trees, and
// frequent labels have tens of thousands.
constexpr std::size_t MAX_ENTRIES = 512;
constexpr std::size_t ALL_ENTRIES = std::numeric_limits<std::size_t>::max();

// Rows that are checked once, for the vectors of any number of ranges of labels. The arrays behind the views
// must outlive it. Unless page_bytes is 0, features are mapped from files, of which each thread leaves no
// more than that in memory.
class LabelSums {
 public:
  LabelSums(const FeatureRows& features, int32_t n_features, const LabelRows& labels, int32_t n_labels,
            std::size_t page_bytes = 0);

  // Those of the labels from first to last - 1. The vector of a label is the sum of its rows, scaled to
  // length 1 (PIFA, "positive instance feature aggregation"). Labels without rows or features have an empty
  // one. Only the `max_entries` heaviest entries of each are kept, and scaled.
  LabelVectors vectors(int32_t first, int32_t last, std::size_t max_entries, int n_threads,
                       Interrupt& interrupt) const;

 private:
  FeatureRows features_;
  int32_t n_features_;
  std::size_t page_bytes_;
  RowsOfLabels by_label_;
};

// The vectors of all labels, short enough to find similar ones.
LabelVectors short_label_vectors(const FeatureRows& features, int32_t n_features, const LabelRows& labels,
                                 int32_t n_labels, int n_threads, Interrupt& interrupt);

// Of the entries from `first` on, keeps the `most` heaviest in their order, of equal ones the first.
void keep_heaviest(std::vector<Entry>& entries, std::size_t first, std::size_t most);

// The entries as two arrays.
struct Columns {
  std::vector<int32_t> features;
  std::vector<float> values;
};
Columns columns(const LabelVectors& vectors);

}  // namespace labeltree
