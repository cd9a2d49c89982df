#include "data/implied_labels.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "data/label_rows.hpp"

namespace labeltree {
namespace {

// What the rows of one label have in common.
class CommonLabels {
 public:
  CommonLabels(const LabelRows& rows, const RowsOfLabels& by_label)
      : rows_(rows),
        by_label_(by_label),
        longest_(at(longest_walked(rows))),
        mark_(by_label.begin.size() - 1, -1) {}

  int64_t count(int32_t label) const { return by_label_.begin[at(label) + 1] - by_label_.begin[at(label)]; }

  // Most labels share nothing after a few rows.
  const std::vector<int32_t>& of(int32_t label) {
    const auto* const own = by_label_.rows.data() + by_label_.begin[at(label)];
    const auto first = rows_[at(own[0])];
    common_.assign(first.begin(), first.end());
    const auto is_too_long = [&](std::span<const int32_t> row) { return row.size() > longest_; };
    std::erase_if(common_, [&](int32_t other) { return is_too_long(first) || count(other) <= count(label); });
    for (int64_t i = 1; i < count(label) && !common_.empty(); ++i) {
      const auto row = rows_[at(own[i])];
      if (is_too_long(row)) return common_ = {};
      for (const int32_t other : row) mark_[at(other)] = own[i];
      std::erase_if(common_, [&](int32_t other) { return mark_[at(other)] != own[i]; });
    }
    return common_;
  }

 private:
  const LabelRows& rows_;
  const RowsOfLabels& by_label_;
  std::size_t longest_;        // row that is looked at
  std::vector<int32_t> mark_;  // [label] the row that was looked at last of those with it
  std::vector<int32_t> common_;
};

}  // namespace

ImpliedLabels implied_labels(const LabelRows& rows, int32_t n_labels, int64_t min_rows,
                             Interrupt& interrupt) {
  check(rows, at(n_labels));
  const RowsOfLabels by_label = rows_of_labels(rows, n_labels);
  CommonLabels common(rows, by_label);
  ImpliedLabels implied;
  for (int32_t label = 0; label < n_labels; ++label) {
    interrupt.check();
    if (common.count(label) >= std::max<int64_t>(min_rows, 1)) {
      const auto& others = common.of(label);
      const auto begin = implied.indices.insert(implied.indices.end(), others.begin(), others.end());
      std::sort(begin, implied.indices.end(), [&](int32_t a, int32_t b) {
        return common.count(a) > common.count(b) || (common.count(a) == common.count(b) && a < b);
      });
    }
    implied.indptr.push_back(std::ssize(implied.indices));
  }
  return implied;
}

}  // namespace labeltree
