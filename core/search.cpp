#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "index.hpp"
#include "parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t ROWS_PER_PIECE = 64;

struct Found {
  float probability;
  int32_t index;  // node while searching, label in answers
};

// The most probable first; of equals the smaller number.
bool later(const Found& a, const Found& b) {
  return a.probability < b.probability || (a.probability == b.probability && a.index > b.index);
}

float probability(Link link, float score) {
  return 1.0f / (1.0f + std::exp(-(link.slope * score + link.intercept)));
}

struct Row {
  std::span<const int32_t> indices;
  std::span<const float> values;
};

// Searches one tree for one row after the other.
class Searcher {
 public:
  explicit Searcher(const TreeModel& model)
      : model_(model),
        probability_(model.tree->n_nodes()),
        last_row_(model.tree->n_nodes(), 0),
        last_expanded_(model.tree->n_nodes(), 0) {}

  void begin_row(const Row& row) {
    features_ = row;
    ++row_;
    set(0, model_.has_root ? ask_root() : 1.0f);
  }

  void best(int32_t top_k, float threshold, std::vector<Found>& answers) {
    const std::size_t most = top_k == 0 ? model_.tree->n_labels() : at(top_k);
    heap_.assign(1, {probability_[0], 0});
    leaves_.clear();
    std::size_t n_found = 0;
    while (!heap_.empty() && n_found < most) {
      std::ranges::pop_heap(heap_, later);
      const Found node = heap_.back();
      heap_.pop_back();
      if (node.probability < threshold) return;
      if (model_.tree->degree(node.index) == 0) {
        answers.push_back({node.probability, model_.tree->label(node.index)});
        ++n_found;
        continue;
      }
      expand(node.index);
      for (int32_t c = model_.tree->first_child(node.index); c < model_.tree->first_child(node.index + 1);
           ++c)
        open(c, most, threshold);
    }
  }

  float of_label(int32_t label) { return of(model_.tree->leaf(label)); }
  int64_t n_calls() const { return n_calls_; }

 private:
  void set(int32_t node, float probability) {
    last_row_[at(node)] = row_;
    probability_[at(node)] = probability;
  }

  float ask_root() {
    ++n_calls_;
    model_.weights.score(-1, features_.indices, features_.values, scores_);
    return probability(model_.link, scores_.front());
  }

  // The probabilities of all children of a node: their own estimates times the node's.
  void expand(int32_t node) {
    if (last_expanded_[at(node)] == row_) return;
    last_expanded_[at(node)] = row_;
    model_.weights.score(node, features_.indices, features_.values, scores_);
    n_calls_ += static_cast<int64_t>(scores_.size());
    const float above = probability_[at(node)];
    for (std::size_t c = 0; c < scores_.size(); ++c)
      set(model_.tree->first_child(node) + static_cast<int32_t>(c),
          above * probability(model_.link, scores_[c]));
  }

  // Nodes that cannot come among the best any more are not opened: `most` leaves are better.
  void open(int32_t node, std::size_t most, float threshold) {
    const float p = probability_[at(node)];
    if (p < threshold || (leaves_.size() == most && p < leaves_.front())) return;
    heap_.push_back({p, node});
    std::ranges::push_heap(heap_, later);
    if (model_.tree->degree(node) > 0) return;
    leaves_.push_back(p);
    std::ranges::push_heap(leaves_, std::greater<>());
    if (leaves_.size() <= most) return;
    std::ranges::pop_heap(leaves_, std::greater<>());
    leaves_.pop_back();
  }

  float of(int32_t node) {
    if (last_row_[at(node)] == row_) return probability_[at(node)];
    const int32_t parent = model_.tree->parent(node);
    of(parent);
    expand(parent);
    return probability_[at(node)];
  }

  const TreeModel& model_;
  Row features_;
  int64_t row_ = 0, n_calls_ = 0;
  std::vector<float> probability_;  // [node], where last_row_ is this row
  std::vector<int64_t> last_row_, last_expanded_;
  std::vector<float> scores_;
  std::vector<Found> heap_;
  std::vector<float> leaves_;  // the best leaves seen, the worst of them on top
};

class Forest {
 public:
  explicit Forest(std::span<const TreeModel* const> models) {
    for (const TreeModel* model : models) searchers_.emplace_back(*model);
  }

  void answer(const Row& row, const Query& query, std::vector<Found>& answers) {
    for (Searcher& searcher : searchers_) searcher.begin_row(row);
    if (searchers_.size() == 1)
      searchers_.front().best(query.top_k, query.threshold, answers);
    else
      average(query, answers);
  }

  int64_t n_calls() const {
    int64_t calls = 0;
    for (const Searcher& searcher : searchers_) calls += searcher.n_calls();
    return calls;
  }

 private:
  void average(const Query& query, std::vector<Found>& answers) {
    const auto n_trees = static_cast<float>(searchers_.size());
    candidates_.clear();
    // A label above the threshold on average is above it in one tree at least.
    for (Searcher& searcher : searchers_)
      searcher.best(query.top_k == 0 ? 0 : 2 * query.top_k, query.threshold, candidates_);
    std::ranges::sort(candidates_, {}, &Found::index);
    const auto repeated = std::ranges::unique(candidates_, {}, &Found::index);
    candidates_.erase(repeated.begin(), repeated.end());
    for (Found& candidate : candidates_) {
      candidate.probability = 0.0f;
      for (Searcher& searcher : searchers_)
        candidate.probability += searcher.of_label(candidate.index) / n_trees;
    }
    std::ranges::sort(candidates_, [](const Found& a, const Found& b) { return later(b, a); });
    for (const Found& candidate : candidates_) {
      if (candidate.probability < query.threshold || (query.top_k > 0 && answers.size() == at(query.top_k)))
        return;
      answers.push_back(candidate);
    }
  }

  std::vector<Searcher> searchers_;
  std::vector<Found> candidates_;
};

}  // namespace

Answers search(std::span<const TreeModel* const> trees, const FeatureRows& rows, const Query& query,
               Interrupt& interrupt) {
  if (trees.empty()) throw std::invalid_argument("a forest has at least one tree");
  const std::size_t n_features = trees.front()->weights.n_features();
  check(rows, n_features);
  for (const TreeModel* model : trees)
    if (model->weights.n_features() != n_features ||
        model->tree->n_labels() != trees.front()->tree->n_labels())
      throw std::invalid_argument("trees must have the same features and labels");
  const std::size_t n_pieces = (rows.size() + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE;
  std::vector<std::vector<Found>> found(rows.size());
  Answers answers;
  answers.n_calls.resize(rows.size());
  std::vector<std::unique_ptr<Forest>> forests(n_workers(n_pieces, query.n_threads));
  parallel_for(n_pieces, query.n_threads, interrupt, [&](std::size_t piece, std::size_t worker) {
    if (!forests[worker]) forests[worker] = std::make_unique<Forest>(trees);
    for (std::size_t i = piece * ROWS_PER_PIECE; i < std::min(rows.size(), (piece + 1) * ROWS_PER_PIECE);
         ++i) {
      const auto begin = static_cast<std::size_t>(rows.indptr[i]);
      const auto size = static_cast<std::size_t>(rows.indptr[i + 1] - rows.indptr[i]);
      const int64_t before = forests[worker]->n_calls();
      forests[worker]->answer({rows.indices.subspan(begin, size), rows.values.subspan(begin, size)}, query,
                              found[i]);
      answers.n_calls[i] = forests[worker]->n_calls() - before;
    }
  });
  for (auto& row : found) {
    for (const Found& one : row) {
      answers.labels.push_back(one.index);
      answers.probabilities.push_back(one.probability);
    }
    answers.indptr.push_back(static_cast<int64_t>(answers.labels.size()));
    row = {};
  }
  return answers;
}

std::vector<float> child_scores(const TreeModel& model, int32_t node, const FeatureRows& row) {
  check(row, model.weights.n_features());
  if (node < -1 || node >= static_cast<int32_t>(model.tree->n_nodes()))
    throw std::invalid_argument("nodes are 0.." + std::to_string(model.tree->n_nodes() - 1) + ", but " +
                                std::to_string(node) + " was asked for");
  std::vector<float> scores;
  model.weights.score(node, row.indices, row.values, scores);
  return scores;
}

}  // namespace labeltree
