#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "search/collect.hpp"
#include "search/forest_row.hpp"
#include "search/query_rows.hpp"
#include "search/search.hpp"

namespace labeltree {
namespace {

constexpr std::size_t MAX_CHUNK = 256;
// Labels wanted by the rows that go down the trees together: what each of them knows should stay in the
// cache.
constexpr std::size_t MAX_LABELS = 160;

// Sends some rows down the trees together. Rows that evaluate the same node do so one after the other, while
// its weights are in the cache.
class ForestSearcher {
 public:
  ForestSearcher(std::span<const TreeModel* const> trees, std::span<const LabelLimits* const> limits,
                 std::span<const HeldScores* const> held, const Query& query)
      : trees_(trees), limits_(limits), held_(held), query_(query) {}

  void run(const FeatureRows& rows, std::size_t first, std::size_t last, Collected& results,
           Interrupt& interrupt) {
    begin(rows, first, last);
    active_.clear();
    for (std::size_t row = 0; row < rows_.size(); ++row) active_.push_back(static_cast<uint32_t>(row));
    while (!active_.empty()) {
      interrupt.check();
      collect_requests();
      evaluate_requests();
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) known_[row].finish(results);
  }

  // The means of given labels of each row.
  void look_up(const FeatureRows& rows, std::size_t first, std::size_t last, const LabelRows& labels,
               Collected& results, Interrupt& interrupt) {
    for (std::size_t row = first; row < last; ++row) {
      interrupt.check();
      begin(rows, row, row + 1);
      for (const int32_t label : labels[row]) results.push(label, mean(label));
    }
  }

 private:
  struct Request {
    ForestRow::Request what;
    uint32_t row;
  };

  void begin(const FeatureRows& rows, std::size_t first, std::size_t last) {
    first_ = first;
    rows_.set(rows, first, last, query_.scaling);
    while (known_.size() < rows_.size()) known_.emplace_back(trees_, limits_, query_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      known_[row].begin();
      for (std::size_t t = 0; t < trees_.size(); ++t) {
        const bool has_root = trees_[t]->has_root();
        known_[row].begin_tree(t, has_root ? child_probabilities(t, -1, row).front() : 1.0f,
                               has_root ? 1 : 0);
      }
    }
  }

  std::span<const float> child_probabilities(std::size_t tree, int32_t node, std::size_t row) {
    if (held_.empty()) return trees_[tree]->child_probabilities(node, rows_[row], space_);
    return trees_[tree]->child_probabilities(node, rows_[row], space_,
                                             held_[tree]->of_children(first_ + row, node));
  }

  // What rows evaluate next, all rows of one node together; rows without such leave.
  void collect_requests() {
    requests_.clear();
    std::size_t n_left = 0;
    for (const uint32_t row : active_) {
      ForestRow::Request what;
      if (!known_[row].next(what)) continue;
      requests_.push_back({what, row});
      active_[n_left++] = row;
    }
    active_.resize(n_left);
    std::ranges::sort(requests_, [](const Request& a, const Request& b) {
      if (a.what.tree != b.what.tree) return a.what.tree < b.what.tree;
      return a.what.node.index < b.what.node.index ||
             (a.what.node.index == b.what.node.index && a.row < b.row);
    });
  }

  // The weights of the next requests come from memory while one is evaluated.
  void evaluate_requests() {
    const auto fetch = [&](std::size_t i, auto what) {
      if (i >= requests_.size()) return;
      const Request& next = requests_[i];
      (trees_[next.what.tree]->weights().*what)(next.what.node.index, rows_[next.row]);
    };
    fetch(0, &SiblingWeights::fetch_buckets);
    fetch(1, &SiblingWeights::fetch_buckets);
    fetch(0, &SiblingWeights::fetch_bytes);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      fetch(i + 2, &SiblingWeights::fetch_buckets);
      fetch(i + 1, &SiblingWeights::fetch_bytes);
      evaluate(requests_[i].what, requests_[i].row);
    }
  }

  void evaluate(const ForestRow::Request& what, std::size_t row) {
    known_[row].add(what, child_probabilities(what.tree, what.node.index, row));
  }

  float mean(int32_t label) {
    ForestRow::Request what;
    while (true) {
      const ForestRow::Reach found = known_.front().reach(label, what);
      if (found.is_certain) return found.mean;
      evaluate(what, 0);
    }
  }

  std::span<const TreeModel* const> trees_;
  std::span<const LabelLimits* const> limits_;
  std::span<const HeldScores* const> held_;
  const Query& query_;
  QueryRows rows_;
  std::size_t first_ = 0;         // number of the first of them
  std::vector<ForestRow> known_;  // [row]
  std::vector<uint32_t> active_;
  std::vector<Request> requests_;
  QuerySpace space_;
};

void check_forest(std::span<const TreeModel* const> trees, const FeatureRows& rows,
                  const RowScaling& scaling) {
  if (trees.empty()) throw std::invalid_argument("a forest has at least one tree");
  const TreeModel& one = *trees.front();
  check(scaling, one.weights().n_features());
  check(rows, scaling.n_given(one.weights().n_features()));
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
  const std::size_t together =
      query.k == 0 ? 1 : std::clamp<std::size_t>(MAX_LABELS / at(query.k), 1, MAX_CHUNK);
  return collect(rows.size(), MAX_CHUNK, query.n_threads, interrupt, [&] {
    return [&, searcher = std::make_unique<ForestSearcher>(trees, limits, held, query)](
               std::size_t first, std::size_t last, Collected& results) {
      for (; first < last; first += together)
        searcher->run(rows, first, std::min(last, first + together), results, interrupt);
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
  return collect(rows.size(), MAX_CHUNK, n_threads, interrupt,
                 [&] {
                   return [&, searcher = std::make_unique<ForestSearcher>(
                                  trees, std::span<const LabelLimits* const>(),
                                  std::span<const HeldScores* const>(), query)](
                              std::size_t first, std::size_t last, Collected& results) {
                     searcher->look_up(rows, first, last, labels, results, interrupt);
                   };
                 })
      .probabilities;
}

}  // namespace labeltree
