#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "search/collect.hpp"
#include "search/found.hpp"
#include "search/query_rows.hpp"
#include "search/search.hpp"

namespace labeltree {
namespace {

constexpr std::size_t MAX_CHUNK = 256;

// One tree and one row at a time: gives labels in the order of probability, and the probability of any label.
class Cursor {
 public:
  // is_full: all labels above the thresholds are wanted, so nodes below them need not be followed. A search
  // for the best few ends by the bound, which must then hold for all labels.
  Cursor(const TreeModel& model, const LabelLimits* limits, const HeldScores* held, float threshold,
         bool is_full)
      : model_(model),
        limits_(limits),
        held_(held),
        threshold_(threshold),
        is_full_(is_full),
        probability_(model.tree().n_nodes()),
        last_row_(model.tree().n_nodes(), 0),
        last_scored_(model.tree().n_nodes(), 0) {}

  void begin_row(const QueryRow& row, std::size_t number) {
    features_ = row;
    number_ = number;
    ++row_;
    n_calls_ = 0;
    float root = 1.0f;
    if (model_.has_root()) {
      root = child_probabilities(-1).front();
      n_calls_ = 1;
    }
    set(0, root);
    open_.clear();
    offer(0);
  }

  // No label that is still to come is more probable; negative when none is to come.
  float bound() const { return open_.empty() ? -1.0f : open_.front().rank; }

  // The best node goes; it is a label, or its children come. -1 where it was no label.
  int32_t step() {
    std::ranges::pop_heap(open_, is_worse);
    const int32_t node = open_.back().index;
    open_.pop_back();
    if (model_.tree().degree(node) == 0) return model_.tree().label(node);
    score_children(node);
    for (int32_t c = model_.tree().first_child(node); c < model_.tree().first_child(node + 1); ++c) offer(c);
    return -1;
  }

  float of_label(int32_t label) { return of(model_.tree().leaf(label)); }
  int64_t n_calls() const { return n_calls_; }

 private:
  std::span<const float> child_probabilities(int32_t node) {
    if (held_ == nullptr) return model_.child_probabilities(node, features_, space_);
    return model_.child_probabilities(node, features_, space_, held_->of_children(number_, node));
  }

  void set(int32_t node, float probability) {
    last_row_[at(node)] = row_;
    probability_[at(node)] = probability;
  }

  void offer(int32_t node) {
    const float weight = limits_ == nullptr ? 1.0f : limits_->weight(node);
    const float least = limits_ == nullptr ? 0.0f : limits_->threshold(node);
    const float p = probability_[at(node)];
    // A label above a threshold on average is above it in one tree at least.
    if (weight <= 0.0f || (is_full_ && (p < threshold_ || p < least))) return;
    open_.push_back({p, p, node});
    std::ranges::push_heap(open_, is_worse);
  }

  void score_children(int32_t node) {
    if (last_scored_[at(node)] == row_) return;
    last_scored_[at(node)] = row_;
    const auto estimates = child_probabilities(node);
    n_calls_ += static_cast<int64_t>(estimates.size());
    int32_t child = model_.tree().first_child(node);
    for (const float estimate : estimates) set(child++, probability_[at(node)] * estimate);
  }

  float of(int32_t node) {
    if (last_row_[at(node)] == row_) return probability_[at(node)];
    const int32_t parent = model_.tree().parent(node);
    of(parent);
    score_children(parent);
    return probability_[at(node)];
  }

  const TreeModel& model_;
  const LabelLimits* limits_;
  const HeldScores* held_;
  float threshold_;
  bool is_full_;
  QueryRow features_;
  std::size_t number_ = 0;  // of the row
  int64_t row_ = 0, n_calls_ = 0;
  std::vector<float> probability_;  // [node], where last_row_ is this row
  std::vector<int64_t> last_row_, last_scored_;
  QuerySpace space_;
  std::vector<Found> open_;  // the best on top
};

// Trees take turns in naming labels, best first, and each label is looked up in all of them: once enough
// labels rank above the mean of what the trees can still name, no other label can.
class ForestSearcher {
 public:
  ForestSearcher(std::span<const TreeModel* const> trees, std::span<const LabelLimits* const> limits,
                 std::span<const HeldScores* const> held, const Query& query)
      : query_(query), limits_(limits.empty() ? nullptr : limits.front()), tree_(&trees.front()->tree()) {
    for (std::size_t t = 0; t < trees.size(); ++t)
      cursors_.emplace_back(*trees[t], limits.empty() ? nullptr : limits[t], held.empty() ? nullptr : held[t],
                            query.threshold, query.k == 0);
    last_seen_.assign(tree_->n_labels(), 0);
  }

  void begin_row(const QueryRow& row, std::size_t number) {
    for (Cursor& cursor : cursors_) cursor.begin_row(row, number);
    ++row_;
  }

  void finish_row(Collected& results) {
    best_.clear();
    const std::size_t most = query_.k == 0 ? tree_->n_labels() : at(query_.k);
    while (can_improve(most)) {
      for (Cursor& cursor : cursors_) {
        if (cursor.bound() < 0.0f) continue;
        const int32_t label = cursor.step();
        if (label >= 0 && last_seen_[at(label)] != row_) consider(label, most);
      }
    }
    std::ranges::sort(best_, is_better);
    for (const Found& found : best_) results.push(found.index, found.probability);
    results.end_row();
    int64_t n_calls = 0;
    for (const Cursor& cursor : cursors_) n_calls += cursor.n_calls();
    results.n_calls.push_back(n_calls);
  }

  float mean(int32_t label) {
    float sum = 0.0f;
    for (Cursor& cursor : cursors_) sum += cursor.of_label(label);
    return sum / static_cast<float>(cursors_.size());
  }

 private:
  bool can_improve(std::size_t most) const {
    float sum = 0.0f;
    bool any = false;
    for (const Cursor& cursor : cursors_) {
      any = any || cursor.bound() >= 0.0f;
      sum += std::max(cursor.bound(), 0.0f);
    }
    // A little more, since sums are rounded: the bound must not be below what a label can reach.
    const float bound = std::min(1.0f, sum / static_cast<float>(cursors_.size()) * (1.0f + 1e-6f));
    if (!any || query_.k == 0) return any;
    if (bound < query_.threshold) return false;
    const float rank = limits_ == nullptr ? bound : query_.curve(bound) * limits_->weight(0);
    return best_.size() < most || rank >= best_.front().rank;
  }

  void consider(int32_t label, std::size_t most) {
    last_seen_[at(label)] = row_;
    const int32_t leaf = tree_->leaf(label);
    const float p = mean(label);
    const float least = limits_ == nullptr ? 0.0f : limits_->threshold(leaf);
    if (p < query_.threshold || p < least) return;
    best_.push_back({limits_ == nullptr ? p : query_.curve(p) * limits_->weight(leaf), p, label});
    std::ranges::push_heap(best_, is_better);
    if (best_.size() <= most) return;
    std::ranges::pop_heap(best_, is_better);
    best_.pop_back();
  }

  const Query& query_;
  const LabelLimits* limits_;
  const Tree* tree_;  // the first
  std::vector<Cursor> cursors_;
  std::vector<int64_t> last_seen_;  // [label]
  int64_t row_ = 0;
  std::vector<Found> best_;  // the worst on top
};

void check_forest(std::span<const TreeModel* const> trees, const FeatureRows& rows,
                  const RowScaling& scaling) {
  if (trees.empty()) throw std::invalid_argument("a forest has at least one tree");
  const TreeModel& one = *trees.front();
  check(rows, one.weights().n_features());
  check(scaling, one.weights().n_features());
  for (const TreeModel* model : trees)
    if (model->weights().n_features() != one.weights().n_features() ||
        model->tree().n_labels() != one.tree().n_labels())
      throw std::invalid_argument("trees must have the same features and labels");
}

}  // namespace

SearchResults search_forest(std::span<const TreeModel* const> trees,
                            std::span<const LabelLimits* const> limits,
                            std::span<const HeldScores* const> held, const FeatureRows& rows,
                            const Query& query, Interrupt& interrupt) {
  check_forest(trees, rows, query.scaling);
  for (const HeldScores* one : held) check_same_size(rows.size(), one->n_rows());
  check(query.curve);
  return collect(rows.size(), MAX_CHUNK, query.n_threads, interrupt, [&] {
    return [&, searcher = std::make_unique<ForestSearcher>(trees, limits, held, query), chunk = QueryRows()](
               std::size_t first, std::size_t last, Collected& results) mutable {
      chunk.set(rows, first, last, query.scaling);
      for (std::size_t row = 0; row < chunk.size(); ++row) {
        interrupt.check();
        searcher->begin_row(chunk[row], first + row);
        searcher->finish_row(results);
      }
    };
  });
}

std::vector<float> probabilities_of(std::span<const TreeModel* const> trees, const FeatureRows& rows,
                                    const LabelRows& labels, const RowScaling& scaling, int n_threads,
                                    Interrupt& interrupt) {
  check_forest(trees, rows, scaling);
  check(labels, trees.front()->tree().n_labels());
  if (labels.size() != rows.size())
    throw std::invalid_argument("labels and features must have equally many rows");
  const Query query{.k = 0,
                    .threshold = 0.0f,
                    .beam = 0,
                    .nodes_per_step = 1,
                    .scaling = scaling,
                    .curve = {},
                    .n_threads = n_threads};
  return collect(
             rows.size(), MAX_CHUNK, n_threads, interrupt,
             [&] {
               return
                   [&,
                    searcher = std::make_unique<ForestSearcher>(trees, std::span<const LabelLimits* const>(),
                                                                std::span<const HeldScores* const>(), query),
                    chunk = QueryRows()](std::size_t first, std::size_t last, Collected& results) mutable {
                     chunk.set(rows, first, last, scaling);
                     for (std::size_t row = first; row < last; ++row) {
                       interrupt.check();
                       searcher->begin_row(chunk[row - first], row);
                       for (const int32_t label : labels[row]) results.push(label, searcher->mean(label));
                     }
                   };
             })
      .probabilities;
}

}  // namespace labeltree
