#include "search/stages.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "data/implied_labels.hpp"
#include "data/label_rows.hpp"
#include "search/collect.hpp"
#include "search/lift.hpp"
#include "search/rerank.hpp"

namespace labeltree {
namespace {

constexpr std::size_t MAX_CHUNK = 1024;   // rows that are lifted together
constexpr int32_t MORE = 4;               // times as many labels are searched for if some are not certain
constexpr std::size_t AT_ONCE = 1 << 20;  // labels that are looked up together for those that they imply

// Rows first .. last - 1 of others, as rows of their own.
class RowSlice {
 public:
  RowSlice(const FeatureRows& all, std::size_t first, std::size_t last)
      : indptr_(all.indptr.begin() + std::ptrdiff_t(first), all.indptr.begin() + std::ptrdiff_t(last) + 1) {
    const auto begin = at(indptr_.front()), n = at(indptr_.back()) - begin;
    for (int64_t& end : indptr_) end -= static_cast<int64_t>(begin);
    rows_ = {indptr_, all.indices.subspan(begin, n), all.values.subspan(begin, n)};
  }
  RowSlice(const RowSlice&) = delete;
  RowSlice& operator=(const RowSlice&) = delete;

  const FeatureRows& rows() const { return rows_; }

 private:
  std::vector<int64_t> indptr_;
  FeatureRows rows_;
};

// Lifts what was found for rows. Where that does not make the best labels certain, more are searched for.
class LiftedRows {
 public:
  LiftedRows(const Stages& stages, std::span<const LabelLimits* const> limits, const FeatureRows& rows,
             const Query& query, Interrupt& interrupt)
      : stages_(stages),
        limits_(limits),
        rows_(rows),
        query_(query),
        interrupt_(interrupt),
        lifter_(stages, limits.empty() ? nullptr : limits.front(), query) {}

  void run(std::size_t row, const SearchResults& found, Collected& results) {
    const auto begin = at(found.indptr[row]), n = at(found.indptr[row + 1]) - begin;
    int64_t n_calls = found.n_calls[row];
    bool is_certain = lifter_.lift(std::span(found.labels).subspan(begin, n),
                                   std::span(found.probabilities).subspan(begin, n), query_.k);
    for (int64_t k = query_.k; !is_certain;) {
      k = std::min<int64_t>(MORE * k, std::ssize(stages_.implied.indptr) - 1);
      const SearchResults more = search_row(row, static_cast<int32_t>(k));
      n_calls += more.n_calls.front();
      is_certain = lifter_.lift(more.labels, more.probabilities, static_cast<int32_t>(k));
    }
    lifter_.write(results);
    results.n_calls.push_back(n_calls);
  }

 private:
  SearchResults search_row(std::size_t row, int32_t k) {
    Query query = query_;
    query.k = k;
    query.n_threads = 1;
    return search_ranked(stages_, limits_, {}, RowSlice(rows_, row, row + 1).rows(), query, interrupt_);
  }

  const Stages& stages_;
  std::span<const LabelLimits* const> limits_;
  const FeatureRows& rows_;
  const Query& query_;
  Interrupt& interrupt_;
  Lifter lifter_;
};

// Looks up labels together with those that imply them.
class ImplyingLabels {
 public:
  explicit ImplyingLabels(const Stages& stages)
      : stages_(stages),
        by_label_(rows_of_labels(stages.implied, static_cast<int32_t>(stages.implied.size()))) {}

  // A few rows at a time, because almost all labels may imply the same one.
  std::vector<float> probabilities_of(const FeatureRows& rows, const LabelRows& labels,
                                      const RowScaling& scaling, int n_threads, Interrupt& interrupt) {
    std::vector<float> found;
    for (std::size_t first = 0, row = 0; row < rows.size(); ++row) {
      for (const int32_t label : labels[row]) add(label);
      ends_.push_back(std::ssize(all_));
      if (all_.size() < AT_ONCE && row + 1 < rows.size()) continue;
      const RowSlice part(rows, first, row + 1);
      append_best(ranked_probabilities_of(stages_, part.rows(), {ends_, all_}, scaling, n_threads, interrupt),
                  found);
      first = row + 1;
    }
    return found;
  }

 private:
  // A label, and those that imply it behind it.
  void add(int32_t label) {
    all_.push_back(label);
    const auto* const implying = by_label_.rows.data();
    all_.insert(all_.end(), implying + by_label_.begin[at(label)], implying + by_label_.begin[at(label) + 1]);
    groups_.push_back(all_.size());
  }

  void append_best(const std::vector<float>& probabilities, std::vector<float>& found) {
    std::size_t begin = 0;
    for (const std::size_t end : groups_) {
      const auto group = std::span(probabilities).subspan(begin, end - begin);
      found.push_back(*std::ranges::max_element(group));
      begin = end;
    }
    all_.clear();
    groups_.clear();
    ends_.assign(1, 0);
  }

  const Stages& stages_;
  RowsOfLabels by_label_;            // labels that imply each label
  std::vector<int32_t> all_;         // groups of labels, in the order of the rows
  std::vector<std::size_t> groups_;  // where each ends
  std::vector<int64_t> ends_{0};     // [row]
};

}  // namespace

SearchResults search(const Stages& stages, std::span<const LabelLimits* const> limits,
                     std::span<const HeldScores* const> held, const FeatureRows& rows, const Query& query,
                     Interrupt& interrupt) {
  SearchResults found = search_ranked(stages, limits, held, rows, query, interrupt);
  if (stages.implied.indptr.empty()) return found;
  if (!limits.empty() && !held.empty())
    throw std::invalid_argument("rows that are held back must have no limits if labels imply others");
  return collect(rows.size(), MAX_CHUNK, query.n_threads, interrupt, [&] {
    return [&, lifted = std::make_unique<LiftedRows>(stages, limits, rows, query, interrupt)](
               std::size_t first, std::size_t last, Collected& results) {
      for (std::size_t row = first; row < last; ++row) lifted->run(row, found, results);
    };
  });
}

std::vector<float> probabilities_of(const Stages& stages, const FeatureRows& rows, const LabelRows& labels,
                                    const RowScaling& scaling, int n_threads, Interrupt& interrupt) {
  if (stages.implied.indptr.empty())
    return ranked_probabilities_of(stages, rows, labels, scaling, n_threads, interrupt);
  const std::size_t n_features = stages.trees.front()->weights().n_features();
  check(scaling, n_features);
  check(rows, scaling.n_given(n_features));
  check(labels, stages.implied.size());
  check_same_size(rows.size(), labels.size());
  return ImplyingLabels(stages).probabilities_of(rows, labels, scaling, n_threads, interrupt);
}

}  // namespace labeltree
