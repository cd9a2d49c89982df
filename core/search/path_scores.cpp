#include "search/path_scores.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

constexpr std::size_t ROWS_PER_PIECE = 64;

// Writes the pairs of one row after the other.
class Walker {
 public:
  Walker(const TreeModel& model, PathScores& pairs)
      : model_(model), pairs_(pairs), last_row_(model.tree().n_nodes(), -1) {}

  void walk(int64_t row, std::span<const int32_t> labels, std::span<const int32_t> features,
            std::span<const float> values, int64_t place) {
    positive_.clear();
    for (const int32_t label : labels)
      for (int32_t v = model_.tree().leaf(label); v >= 0 && last_row_[at(v)] != row;
           v = model_.tree().parent(v)) {
        last_row_[at(v)] = row;
        positive_.push_back(v);
      }
    std::ranges::sort(positive_);
    if (model_.has_root()) place = write(row, -1, 0, features, values, place);
    for (const int32_t v : positive_)
      if (model_.tree().degree(v) > 0)
        place = write(row, v, model_.tree().first_child(v), features, values, place);
  }

 private:
  int64_t write(int64_t row, int32_t node, int32_t first, std::span<const int32_t> features,
                std::span<const float> values, int64_t place) {
    model_.weights().score(node, features, values, scores_);
    for (std::size_t s = 0; s < scores_.size(); ++s, ++first, ++place) {
      pairs_.nodes[at(place)] = first;
      pairs_.scores[at(place)] = scores_[s];
      pairs_.positive[at(place)] = last_row_[at(first)] == row;
    }
    return place;
  }

  const TreeModel& model_;
  PathScores& pairs_;
  std::vector<int64_t> last_row_;  // [node] the last row it was positive for
  std::vector<int32_t> positive_;
  std::vector<float> scores_;
};

}  // namespace

PathScores path_scores(const TreeModel& model, const FeatureRows& rows, const LabelRows& labels,
                       int n_threads, Interrupt& interrupt) {
  check(rows, model.weights().n_features());
  if (rows.size() + 1 != labels.indptr.size())
    throw std::invalid_argument("features and labels must have the same number of rows");
  std::vector<int64_t> begin{0};  // [row] its first pair; Algorithm 1 counts the root in any case
  for (const int64_t cost : row_costs(model.tree(), labels))
    begin.push_back(begin.back() + cost - (model.has_root() ? 0 : 1));
  PathScores pairs;
  pairs.nodes.resize(at(begin.back()));
  pairs.scores.resize(at(begin.back()));
  pairs.positive.resize(at(begin.back()));
  const std::size_t n_pieces = (rows.size() + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE;
  std::vector<Walker> walkers(n_workers(n_pieces, n_threads), Walker(model, pairs));
  parallel_for(n_pieces, n_threads, interrupt, [&](std::size_t piece, std::size_t worker) {
    for (std::size_t i = piece * ROWS_PER_PIECE; i < std::min(rows.size(), (piece + 1) * ROWS_PER_PIECE);
         ++i) {
      const auto first = at(rows.indptr[i]), size = at(rows.indptr[i + 1]) - first;
      walkers[worker].walk(static_cast<int64_t>(i), labels[i], rows.indices.subspan(first, size),
                           rows.values.subspan(first, size), begin[i]);
    }
  });
  return pairs;
}

}  // namespace labeltree
