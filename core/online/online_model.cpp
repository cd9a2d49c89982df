#include "online/online_model.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/sigmoid.hpp"

namespace labeltree {
namespace {

// Rows that are sent to their nodes together: enough to keep a node's numbers in the cache from one row
// to the next, and few enough that what is noted of them stays there too.
constexpr std::size_t RUN = 512;

// Blocks to learn, about a millisecond of work, below which threads take longer to start than to help.
constexpr std::size_t WORTH_A_THREAD = 200;

void check_settings(const OnlineSettings& settings) {
  if (!(settings.learning.learning_rate > 0.0f) || !(settings.learning.smoothing > 0.0f))
    throw std::invalid_argument("learning_rate and smoothing must be above 0");
  if (settings.growth.max_degree < 2) throw std::invalid_argument("max_degree must be at least 2");
}

QueryRow row_of(const FeatureRows& rows, std::size_t i) {
  const std::size_t first = at(rows.indptr[i]), n = at(rows.indptr[i + 1]) - first;
  return {rows.indices.subspan(first, n), rows.values.subspan(first, n)};
}

WaitingRow waiting_row(const QueryRow& row, float weight, const OptimizerSettings& settings) {
  WaitingRow made{{row.indices.begin(), row.indices.end()}, {}, weight};
  made.values.reserve(row.values.size() + 1);
  made.values.push_back(settings.intercept_scaling);
  made.values.insert(made.values.end(), row.values.begin(), row.values.end());
  return made;
}

}  // namespace

OnlineModel::OnlineModel(std::size_t n_features, const OnlineSettings& settings)
    : settings_(settings), n_features_(n_features), tree_(settings.learning) {
  check_settings(settings);
}

OnlineModel::OnlineModel(const Tree& tree, std::size_t n_features, const OnlineSettings& settings)
    : settings_(settings), n_features_(n_features), tree_(tree, settings.learning) {
  check_settings(settings);
}

std::size_t OnlineModel::n_weights() const {
  std::size_t n = tree_.node(OnlineTree::ABOVE).store().n_weights();
  for (const int32_t v : tree_.breadth_first()) n += tree_.node(v).store().n_weights();
  return n;
}

std::size_t OnlineModel::n_bytes() const {
  std::size_t n = tree_.size() * sizeof(OnlineNode);
  std::unordered_set<const OnlineStore*> stores;
  for (std::size_t v = 0; v < tree_.size(); ++v) tree_.node(static_cast<int32_t>(v)).store().collect(stores);
  for (const OnlineStore* store : stores) n += sizeof(OnlineStore) + store->n_bytes();
  return n;
}

void OnlineModel::check(const FeatureRows& rows, const LabelRows& labels) const {
  labeltree::check(rows, n_features_);
  labeltree::check(labels, at(INT32_MAX));
  if (rows.size() != labels.size()) throw std::invalid_argument("every row has features and labels");
  auto next = static_cast<int32_t>(tree_.n_labels());
  for (const int32_t label : labels.indices) {
    if (label > next) throw std::invalid_argument("new labels must come in the order of their numbers");
    if (label == next) ++next;
  }
}

void OnlineModel::mark(std::span<const int32_t> labels) {
  for (const int32_t v : marked_) is_positive_[at(v)] = 0;
  marked_.clear();
  is_positive_.resize(tree_.size());
  for (const int32_t label : labels) {
    if (at(label) >= tree_.n_labels()) continue;
    for (int32_t v = tree_.leaf(label); v > OnlineTree::ABOVE && is_positive_[at(v)] == 0;
         v = tree_.node(v).parent) {
      is_positive_[at(v)] = 1;
      marked_.push_back(v);
    }
  }
}

void OnlineModel::grow(std::size_t row, const FeatureRows& rows, std::span<const float> weight,
                       std::span<const int32_t> labels) {
  for (const int32_t label : labels) {
    if (at(label) < tree_.n_labels()) continue;
    mark(labels);
    const auto settle_node = [&](int32_t v) { settle(v, rows, weight); };
    tree_.insert(row_of(rows, row), is_positive_, settings_.growth, settle_node, space_);
  }
}

// Notes which parents the row trains, and which of their lanes are positive.
void OnlineModel::gather(std::size_t row, const FeatureRows& rows, std::span<const float> weight,
                         std::span<const int32_t> labels) {
  mark(labels);
  const auto parent = [this](int32_t v) { return tree_.node(v).parent; };
  std::ranges::sort(
      marked_, [&](int32_t a, int32_t b) { return parent(a) != parent(b) ? parent(a) < parent(b) : a < b; });
  const auto open = [&](int32_t node) {
    const auto lane = static_cast<uint32_t>(lanes_.size()), leaf = static_cast<uint32_t>(leaf_lanes_.size());
    pairs_.push_back({node, static_cast<uint32_t>(row), lane, lane, leaf, leaf, nullptr});
    ++n_noted_[at(node)];
  };
  n_noted_.resize(tree_.size());
  const SharedRow waiting = std::make_shared<const WaitingRow>(
      waiting_row(row_of(rows, row), weight.empty() ? 1.0f : weight[row], settings_.learning));
  if (marked_.empty()) open(OnlineTree::ABOVE);
  for (std::size_t i = 0; i < marked_.size(); ++i) {
    const int32_t v = marked_[i];
    if (i == 0 || parent(v) != pairs_.back().node) open(parent(v));
    const int32_t lane = tree_.node(v).position + 1;
    lanes_.push_back(lane);
    ++pairs_.back().last;
    if (!tree_.is_leaf(v)) continue;
    leaf_lanes_.push_back(lane);
    ++pairs_.back().leaf_last;
    pairs_.back().waiting = waiting;
  }
}

// Lets one node learn what is noted for it; the others keep theirs, which are more rows at a time then.
void OnlineModel::settle(int32_t node, const FeatureRows& rows, std::span<const float> weight) {
  if (at(node) >= n_noted_.size() || n_noted_[at(node)] == 0) return;
  std::vector<Pair> noted;
  for (Pair& pair : pairs_)
    if (pair.node == node) {
      noted.push_back(pair);
      pair.node = -1;
    }
  learn_node(noted, rows, weight, {}, 0, tree_.node(node).store().n_blocks(), space_);
  n_noted_[at(node)] = 0;
}

void OnlineModel::learn_node(std::span<const Pair> pairs, const FeatureRows& rows,
                             std::span<const float> weight, std::span<const LocatedRow> located,
                             std::size_t first, std::size_t last, OnlineSpace& space) {
  OnlineStore& store = tree_.node(pairs.front().node).store();
  const std::span<const int32_t> lanes(lanes_), leaves(leaf_lanes_);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    const QueryRow row = row_of(rows, pair.row);
    space.values.assign(1, settings_.learning.intercept_scaling);
    space.values.insert(space.values.end(), row.values.begin(), row.values.end());
    if (located.empty()) store.locate({&row, 1}, space);
    store.learn({located.empty() ? space.located.front() : located[i], space.values,
                 lanes.subspan(pair.first, pair.last - pair.first),
                 leaves.subspan(pair.leaf_first, pair.leaf_last - pair.leaf_first),
                 weight.empty() ? 1.0f : weight[pair.row], pair.waiting},
                first, last);
  }
}

// A parent learns its rows in their order, whatever the others do; lanes do not know of each other.
void OnlineModel::flush(const FeatureRows& rows, std::span<const float> weight,
                        std::span<const uint8_t> nodes, int n_threads) {
  for (Pair& pair : pairs_)
    if (pair.node >= 0 && !nodes.empty() && nodes[at(pair.node)] == 0) {
      n_noted_[at(pair.node)] = 0;
      pair.node = -1;
    }
  std::erase_if(pairs_, [](const Pair& pair) { return pair.node < 0; });
  std::ranges::stable_sort(pairs_, {}, &Pair::node);
  struct Task {
    std::span<const Pair> pairs;
    std::size_t first, last, cost;
    std::span<const LocatedRow> located;
  };
  std::vector<Task> tasks, wide;
  std::size_t total = 0;
  for (std::size_t i = 0, j = 0; i < pairs_.size(); i = j) {
    while (j < pairs_.size() && pairs_[j].node == pairs_[i].node) ++j;
    const std::size_t n_blocks = tree_.node(pairs_[i].node).store().n_blocks();
    tasks.push_back({std::span(pairs_).subspan(i, j - i), 0, n_blocks, (j - i) * n_blocks, {}});
    total += tasks.back().cost;
  }
  if (total < WORTH_A_THREAD) n_threads = 1;
  std::vector<OnlineSpace> found;  // for each of the wide ones
  Interrupt never;                 // rows are learned whole
  if (n_threads > 1) {
    const auto is_wide = [&](const Task& t) {
      return t.last > 1 && t.cost * 4 * at(n_threads) > total && t.pairs.size() > 16;
    };
    std::ranges::copy_if(tasks, std::back_inserter(wide), is_wide);
    std::erase_if(tasks, is_wide);
    found.resize(wide.size());
    parallel_for(wide.size(), n_threads, never, [&](std::size_t t, std::size_t) {
      std::vector<QueryRow> run;
      for (const Pair& pair : wide[t].pairs) run.push_back(row_of(rows, pair.row));
      tree_.node(wide[t].pairs.front().node).store().locate(run, found[t]);
    });
    for (std::size_t t = 0; t < wide.size(); ++t)
      for (std::size_t block = 0; block < wide[t].last; ++block)
        tasks.push_back({wide[t].pairs, block, block + 1, wide[t].pairs.size(), found[t].located});
    std::ranges::sort(tasks, std::greater{}, &Task::cost);
  }
  std::vector<OnlineSpace> spaces(n_workers(tasks.size(), n_threads));
  parallel_for(tasks.size(), n_threads, never, [&](std::size_t t, std::size_t worker) {
    const Task& task = tasks[t];
    learn_node(task.pairs, rows, weight, task.located, task.first, task.last, spaces[worker]);
  });
  forget_notes();
}

// Also before rows are gathered: a call that failed has left its notes.
void OnlineModel::forget_notes() {
  for (const Pair& pair : pairs_)
    if (pair.node >= 0) n_noted_[at(pair.node)] = 0;
  pairs_.clear();
  lanes_.clear();
  leaf_lanes_.clear();
}

void OnlineModel::count(std::span<const int32_t> labels) {
  for (const int32_t v : marked_) ++tree_.node(v).n_rows;
  ++counts_.n_rows;
  counts_.n_unlabeled += labels.empty();
  ++counts_.cost;  // of the root
  for (std::size_t i = 0; i < marked_.size(); ++i)
    counts_.cost += static_cast<int64_t>(tree_.node(marked_[i]).children.size());
}

void OnlineModel::learn(const FeatureRows& rows, const LabelRows& labels, std::span<const float> weight,
                        int n_threads, Interrupt& interrupt) {
  check(rows, labels);
  if (!weight.empty() && weight.size() != rows.size())
    throw std::invalid_argument("every row has one weight");
  forget_notes();
  std::size_t n_gathered = 0;
  const auto learn_gathered = [&] {
    flush(rows, weight, {}, n_threads);
    n_gathered = 0;
    interrupt.check();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    grow(i, rows, weight, labels[i]);
    gather(i, rows, weight, labels[i]);
    count(labels[i]);
    if (++n_gathered == RUN) learn_gathered();
  }
  flush(rows, weight, {}, n_threads);
}

void OnlineModel::replay(const FeatureRows& rows, const LabelRows& labels, std::span<const uint8_t> nodes,
                         int n_threads, Interrupt& interrupt) {
  check(rows, labels);
  if (nodes.size() != tree_.size()) throw std::invalid_argument("nodes must have one entry for each node");
  forget_notes();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    gather(i, rows, {}, labels[i]);
    if ((i + 1) % RUN != 0 && i + 1 < rows.size()) continue;
    // Twins have learned these rows already.
    for (Pair& pair : pairs_) pair.leaf_last = pair.leaf_first;
    flush(rows, {}, nodes, n_threads);
    interrupt.check();
  }
}

OnlinePredictions OnlineModel::predict_then_fit(const FeatureRows& rows, const LabelRows& labels, int32_t k,
                                                SiblingSums siblings, Interrupt& interrupt) {
  check(rows, labels);
  forget_notes();
  OnlinePredictions results;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const OnlinePredictions found = best(row_of(rows, i), k, siblings, space_);
    results.labels.insert(results.labels.end(), found.labels.begin(), found.labels.end());
    results.probabilities.insert(results.probabilities.end(), found.probabilities.begin(),
                                 found.probabilities.end());
    grow(i, rows, {}, labels[i]);
    gather(i, rows, {}, labels[i]);
    count(labels[i]);
    flush(rows, {}, {}, 1);
    interrupt.check();
  }
  return results;
}

OnlinePredictions OnlineModel::best(const QueryRow& row, int32_t k, SiblingSums siblings) const {
  OnlineSpace space;
  return best(row, k, siblings, space);
}

OnlinePredictions OnlineModel::best(const QueryRow& row, int32_t k, SiblingSums siblings,
                                    OnlineSpace& space) const {
  if (k < 1) throw std::invalid_argument("k must be at least 1, but is " + std::to_string(k));
  const int64_t ends[] = {0, static_cast<int64_t>(row.indices.size())};
  labeltree::check(FeatureRows{ends, row.indices, row.values}, n_features_);
  OnlinePredictions results{std::vector<int32_t>(at(k), -1), std::vector<float>(at(k))};
  using Reached = std::pair<float, int32_t>;  // probability and minus the node: of equals, the older first
  std::priority_queue<Reached> queue;
  std::vector<float> estimates;
  const auto open = [&](int32_t v, float probability) {
    const auto scores = tree_.node(v).store().scores(row, space);
    const auto& children = tree_.node(v).children;
    estimates.resize(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) estimates[i] = sigmoid(scores[i + 1]);
    if (v != OnlineTree::ABOVE) normalize(estimates, siblings);
    for (std::size_t i = 0; i < children.size(); ++i) queue.emplace(probability * estimates[i], -children[i]);
  };
  if (counts_.n_unlabeled > 0)
    open(OnlineTree::ABOVE, 1.0f);
  else if (!tree_.node(OnlineTree::ABOVE).children.empty())
    queue.emplace(1.0f, -tree_.node(OnlineTree::ABOVE).children.front());
  for (std::size_t found = 0; found < at(k) && !queue.empty();) {
    const auto [probability, minus] = queue.top();
    queue.pop();
    if (!tree_.is_leaf(-minus)) {
      open(-minus, probability);
      continue;
    }
    results.labels[found] = tree_.node(-minus).label;
    results.probabilities[found++] = probability;
  }
  return results;
}

}  // namespace labeltree
