#include "data/label_rows.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include "base/index.hpp"

namespace labeltree {

void RowsOfLabels::check_range(int32_t first, int32_t last) const {
  if (first < 0 || last < first || at(last) >= begin.size())
    throw std::invalid_argument("labels " + std::to_string(first) + ".." + std::to_string(last - 1) +
                                " are outside 0.." + std::to_string(std::ssize(begin) - 2));
}

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
