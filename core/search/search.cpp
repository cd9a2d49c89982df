#include "search/search.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "data/implied_labels.hpp"
#include "search/collect.hpp"
#include "search/found.hpp"
#include "search/products.hpp"
#include "search/query_rows.hpp"

namespace labeltree {
namespace {

constexpr std::size_t MAX_CHUNK = 4096;  // rows that go down the tree together
// Share of the best open node's rank: nodes that good are as a rule evaluated as well.
constexpr float SIMILAR_RANK = 0.7f;

// What one row has seen of the tree and not yet followed.
class Frontier {
 public:
  void begin(std::size_t most) {
    most_ = most;
    open_.clear();
    best_.clear();
  }

  void offer_leaf(const Found& leaf) {
    if (is_useless(leaf)) return;
    best_.push_back(leaf);
    if (most_ == UNLIMITED) return;
    std::ranges::push_heap(best_, is_better);
    if (best_.size() <= most_) return;
    std::ranges::pop_heap(best_, is_better);
    best_.pop_back();
  }

  void offer_node(const Found& node) {
    if (is_useless(node)) return;
    open_.push_back(node);
    std::ranges::push_heap(open_, is_worse);
  }

  // Takes the best open node of at least that rank; false when there is none that can hold a better label
  // than those known.
  bool next(Found& node, float least) {
    if (open_.empty() || open_.front().rank() < least) return false;
    std::ranges::pop_heap(open_, is_worse);
    node = open_.back();
    open_.pop_back();
    if (!is_useless(node)) return true;
    open_.clear();
    return false;
  }

  void forget_open() { open_.clear(); }

  // Nodes of a lower rank are of no use.
  float least() const { return best_.size() < most_ ? 0.0f : best_.front().rank(); }

  // The leaves, best first.
  std::vector<Found>& leaves() {
    std::ranges::sort(best_, is_better);
    return best_;
  }

  static constexpr std::size_t UNLIMITED = std::numeric_limits<std::size_t>::max();

 private:
  bool is_useless(const Found& found) const {
    return best_.size() >= most_ && is_worse(found, best_.front());
  }

  std::size_t most_ = UNLIMITED;
  std::vector<Found> open_;  // inner nodes, the best on top
  std::vector<Found> best_;  // leaves, the worst of them on top unless their number is unlimited
};

// Sends some rows down the tree together. Rows that evaluate the same node do so one after the other, while
// its weights are in the cache.
class ChunkSearcher {
 public:
  ChunkSearcher(const TreeModel& model, const LabelLimits* limits, const HeldScores* held, const Query& query)
      : model_(model), limits_(limits), held_(held), query_(query) {}

  void run(const FeatureRows& rows, std::size_t first, std::size_t last, Collected& results,
           Interrupt& interrupt) {
    first_ = first;
    rows_.set(rows, first, last, query_.scaling);
    frontiers_.resize(std::max(frontiers_.size(), rows_.size()));
    n_calls_.assign(rows_.size(), 0);
    active_.clear();
    for (std::size_t row = 0; row < rows_.size(); ++row) begin_row(row);
    while (!active_.empty()) {
      interrupt.check();
      collect_requests();
      expand_requests();
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      results.n_calls.push_back(n_calls_[row]);
      for (const Found& leaf : frontiers_[row].leaves())
        results.push(model_.tree().label(leaf.index()), leaf.probability);
      results.end_row();
    }
  }

 private:
  struct Request {
    int32_t node;
    uint32_t row;
    float probability;
  };

  void begin_row(std::size_t row) {
    frontiers_[row].begin(query_.k == 0 ? Frontier::UNLIMITED : at(query_.k));
    active_.push_back(static_cast<uint32_t>(row));
    float root = 1.0f;
    if (model_.has_root()) {
      root = child_probabilities(-1, row).front();
      n_calls_[row] = 1;
    }
    offer(row, 0, root);
  }

  std::span<const float> child_probabilities(int32_t node, std::size_t row) {
    if (held_ == nullptr) return model_.child_probabilities(node, rows_[row], space_);
    return model_.child_probabilities(node, rows_[row], space_, held_->of_children(first_ + row, node));
  }

  void offer(std::size_t row, int32_t node, float probability) {
    const float least = limits_ == nullptr ? 0.0f : limits_->threshold(node);
    const float weight = limits_ == nullptr ? 1.0f : limits_->weight(node);
    if (probability < query_.threshold || probability < least || weight <= 0.0f) return;
    const float rank = limits_ == nullptr ? probability : query_.curve(probability) * weight;
    const Found found{rank, probability, node};
    if (model_.tree().degree(node) == 0)
      frontiers_[row].offer_leaf(found);
    else
      frontiers_[row].offer_node(found);
  }

  // Where no number of labels ends the search, every open node is evaluated sooner or later.
  std::size_t max_requests() const {
    if (query_.beam > 0) return at(query_.beam);
    return query_.k == 0 ? Frontier::UNLIMITED : at(query_.nodes_per_step);
  }

  // The nodes that rows evaluate next, all rows of one node together; rows without such leave.
  void collect_requests() {
    const std::size_t width = max_requests();
    const bool is_guessing = query_.beam == 0 && query_.k > 0;
    requests_.clear();
    std::size_t n_left = 0;
    for (const uint32_t row : active_) {
      const std::size_t before = requests_.size();
      Found node;
      float least = 0.0f;
      while (requests_.size() - before < width && frontiers_[row].next(node, least)) {
        requests_.push_back({node.index(), row, node.probability});
        if (is_guessing) least = std::max(least, SIMILAR_RANK * node.rank());
      }
      if (query_.beam > 0) frontiers_[row].forget_open();
      if (requests_.size() > before) active_[n_left++] = row;
    }
    active_.resize(n_left);
    if (n_left > 1)
      std::ranges::sort(requests_, [](const Request& a, const Request& b) {
        return a.node < b.node || (a.node == b.node && a.row < b.row);
      });
  }

  // The weights of the next requests come from memory while one is evaluated.
  void expand_requests() {
    fetch_buckets(0);
    fetch_buckets(1);
    fetch_bytes(0);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      fetch_buckets(i + 2);
      fetch_bytes(i + 1);
      expand(requests_[i]);
    }
  }

  void fetch_buckets(std::size_t request) const {
    if (request < requests_.size())
      model_.weights().fetch_buckets(requests_[request].node, rows_[requests_[request].row]);
  }

  void fetch_bytes(std::size_t request) const {
    if (request < requests_.size())
      model_.weights().fetch_bytes(requests_[request].node, rows_[requests_[request].row]);
  }

  void expand(const Request& request) {
    const auto estimates = child_probabilities(request.node, request.row);
    n_calls_[request.row] += static_cast<int64_t>(estimates.size());
    const int32_t first = model_.tree().first_child(request.node);
    // Most children are too improbable: no need to look at them twice.
    const float least = limits_ == nullptr ? frontiers_[request.row].least() : 0.0f;
    products_above(request.probability, estimates, least, [&](std::size_t c, float probability) {
      offer(request.row, first + static_cast<int32_t>(c), probability);
    });
  }

  const TreeModel& model_;
  const LabelLimits* limits_;
  const HeldScores* held_;
  const Query& query_;
  QueryRows rows_;
  std::size_t first_ = 0;            // number of the first of them
  std::vector<Frontier> frontiers_;  // [row]
  std::vector<int64_t> n_calls_;     // [row]
  std::vector<uint32_t> active_;
  std::vector<Request> requests_;
  QuerySpace space_;
};

}  // namespace

LabelLimits::LabelLimits(const Tree& tree, std::span<const float> threshold, std::span<const float> weight,
                         const LabelRows& implied) {
  if (!implied.indptr.empty()) {
    check_implied(implied, tree.n_labels());
    own_threshold_.assign(threshold.begin(), threshold.end());
    own_weight_.assign(weight.begin(), weight.end());
  }
  const auto bring_up = [&](std::span<const float> of_label, std::vector<float>& of_node, auto better) {
    if (of_label.empty()) return;
    if (of_label.size() != tree.n_labels())
      throw std::invalid_argument("thresholds and weights must have one number for each label");
    of_node.resize(tree.n_nodes());
    for (auto v = static_cast<int32_t>(tree.n_nodes()) - 1; v >= 0; --v) {
      if (tree.degree(v) == 0) {
        of_node[at(v)] = of_label[at(tree.label(v))];
        if (implied.indptr.empty()) continue;
        for (const int32_t other : implied[at(tree.label(v))])
          of_node[at(v)] = better(of_node[at(v)], of_label[at(other)]);
        continue;
      }
      of_node[at(v)] = of_node[at(tree.first_child(v))];
      for (int32_t c = tree.first_child(v); c < tree.first_child(v + 1); ++c)
        of_node[at(v)] = better(of_node[at(v)], of_node[at(c)]);
    }
  };
  bring_up(threshold, threshold_, [](float a, float b) { return std::min(a, b); });
  bring_up(weight, weight_, [](float a, float b) { return std::max(a, b); });
}

SearchResults search(const TreeModel& model, const LabelLimits* limits, const HeldScores* held,
                     const FeatureRows& rows, const Query& query, Interrupt& interrupt) {
  check(query.scaling, model.weights().n_features());
  check(rows, query.scaling.n_given(model.weights().n_features()));
  if (held != nullptr) check_same_size(rows.size(), held->n_rows());
  check(query.curve);
  return collect(rows.size(), MAX_CHUNK, query.n_threads, interrupt, [&] {
    return [&, searcher = std::make_unique<ChunkSearcher>(model, limits, held, query)](
               std::size_t first, std::size_t last, Collected& results) {
      searcher->run(rows, first, last, results, interrupt);
    };
  });
}

}  // namespace labeltree
