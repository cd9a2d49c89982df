#include "data/label_rows.hpp"

#include <numeric>

#include "base/index.hpp"

namespace labeltree {

RowsOfLabels rows_of_labels(const LabelRows& labels, int32_t n_labels) {
  RowsOfLabels by_label{std::vector<int64_t>(at(n_labels) + 1, 0),
                        std::vector<int32_t>(labels.indices.size())};
  for (const int32_t j : labels.indices) ++by_label.begin[at(j) + 1];
  std::partial_sum(by_label.begin.begin(), by_label.begin.end(), by_label.begin.begin());
  std::vector<int64_t> next(by_label.begin.begin(), by_label.begin.end() - 1);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (const int32_t j : labels[i]) by_label.rows[at(next[at(j)]++)] = static_cast<int32_t>(i);
  return by_label;
}

}  // namespace labeltree
