#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t ROWS_PER_PIECE = 64;

std::size_t at(int32_t index) {
  return static_cast<std::size_t>(index);
}

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

// Searches one tree for one row after the other.
class Searcher {
 public:
  explicit Searcher(const TreeModel& model)
      : model_(model), probability_(model.tree->n_nodes()), last_row_(model.tree->n_nodes(), 0) {}

  void begin_row(const float* dense) {
    dense_ = dense;
    ++row_;
  }

  void best(int32_t top_k, float threshold, std::vector<Found>& answers) {
    heap_.clear();
    heap_.push_back({of(0), 0});
    std::size_t n_found = 0;
    while (!heap_.empty() && (top_k == 0 || n_found < at(top_k))) {
      std::ranges::pop_heap(heap_, later);
      const Found node = heap_.back();
      heap_.pop_back();
      if (node.probability < threshold) return;
      if (model_.tree->degree(node.index) == 0) {
        answers.push_back({node.probability, model_.tree->label(node.index)});
        ++n_found;
        continue;
      }
      for (int32_t c = model_.tree->first_child(node.index); c < model_.tree->first_child(node.index + 1);
           ++c) {
        heap_.push_back({of(c), c});
        std::ranges::push_heap(heap_, later);
      }
    }
  }

  float of_label(int32_t label) { return of(model_.tree->leaf(label)); }
  int64_t n_calls() const { return n_calls_; }

 private:
  // The probability of a node: its own estimate times its parent's.
  float of(int32_t node) {
    if (last_row_[at(node)] == row_) return probability_[at(node)];
    const float above = node == 0 ? 1.0f : of(model_.tree->parent(node));
    const float p = node == 0 && !model_.has_root ? 1.0f : above * estimate(node);
    last_row_[at(node)] = row_;
    probability_[at(node)] = p;
    return p;
  }

  float estimate(int32_t node) {
    ++n_calls_;
    const FeatureRows& w = model_.weights;
    float score = model_.bias[at(node)];
    for (auto e = static_cast<std::size_t>(w.indptr[at(node)]);
         e < static_cast<std::size_t>(w.indptr[at(node) + 1]); ++e)
      score += w.values[e] * dense_[at(w.indices[e])];
    return probability(model_.link, score);
  }

  TreeModel model_;
  const float* dense_ = nullptr;
  int64_t row_ = 0, n_calls_ = 0;
  std::vector<float> probability_;
  std::vector<int64_t> last_row_;
  std::vector<Found> heap_;
};

class Forest {
 public:
  Forest(std::span<const TreeModel> models, std::size_t n_features) : dense_(n_features, 0.0f) {
    for (const TreeModel& model : models) searchers_.emplace_back(model);
  }

  void answer(std::span<const int32_t> indices, std::span<const float> values, const Query& query,
              std::vector<Found>& answers) {
    for (std::size_t e = 0; e < indices.size(); ++e) dense_[at(indices[e])] = values[e];
    for (Searcher& searcher : searchers_) searcher.begin_row(dense_.data());
    if (searchers_.size() == 1)
      searchers_.front().best(query.top_k, query.threshold, answers);
    else
      average(query, answers);
    for (const int32_t f : indices) dense_[at(f)] = 0.0f;
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
  std::vector<float> dense_;
  std::vector<Found> candidates_;
};

}  // namespace

void check(const TreeModel& model) {
  check(model.weights, model.n_features);
  if (model.weights.size() != model.tree->n_nodes() || model.bias.size() != model.tree->n_nodes())
    throw std::invalid_argument("a model has weights and a bias for each node of its tree");
}

Answers search(std::span<const TreeModel> trees, const FeatureRows& rows, const Query& query,
               Interrupt& interrupt) {
  if (trees.empty()) throw std::invalid_argument("a forest has at least one tree");
  const std::size_t n_features = trees.front().n_features;
  check(rows, n_features);
  for (const TreeModel& model : trees)
    if (model.n_features != n_features || model.tree->n_labels() != trees.front().tree->n_labels())
      throw std::invalid_argument("trees must have the same features and labels");
  const std::size_t n_pieces = (rows.size() + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE;
  std::vector<std::vector<Found>> found(rows.size());
  Answers answers;
  answers.n_calls.resize(rows.size());
  std::vector<std::unique_ptr<Forest>> forests(n_workers(n_pieces, query.n_threads));
  parallel_for(n_pieces, query.n_threads, interrupt, [&](std::size_t piece, std::size_t worker) {
    if (!forests[worker]) forests[worker] = std::make_unique<Forest>(trees, n_features);
    for (std::size_t i = piece * ROWS_PER_PIECE; i < std::min(rows.size(), (piece + 1) * ROWS_PER_PIECE);
         ++i) {
      const auto begin = static_cast<std::size_t>(rows.indptr[i]);
      const auto size = static_cast<std::size_t>(rows.indptr[i + 1] - rows.indptr[i]);
      const int64_t before = forests[worker]->n_calls();
      forests[worker]->answer(rows.indices.subspan(begin, size), rows.values.subspan(begin, size), query,
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

}  // namespace labeltree
