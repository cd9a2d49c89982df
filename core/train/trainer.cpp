#include "train/trainer.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "train/pack_trainer.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

constexpr int32_t NONE = -1;
// To begin a pack and to collect its weights takes as long as the solver with this many of its features, by
// measurement (benchmarks/pages/cost_model.py).
constexpr double ENDS = 8.0;

}  // namespace

Trainer::Trainer(const Tree& tree, const LabelRows& labels, const FeatureRows& features,
                 std::size_t n_features, const LossWeights& loss_weights, const WarmStart& warm_start,
                 const TrainSettings& settings)
    : tree_(tree),
      labels_(labels),
      features_(features),
      n_features_(n_features),
      loss_weights_(loss_weights),
      warm_start_(warm_start),
      settings_(settings) {
  check(features, n_features);
  if (features.size() != labels.size() ||
      (!loss_weights.row.empty() && loss_weights.row.size() != labels.size()))
    throw std::invalid_argument("labels, features and row weights must have equally many rows");
  if (loss_weights.positive.size() != tree.n_nodes() || loss_weights.negative.size() != tree.n_nodes())
    throw std::invalid_argument("there must be two loss weights for each node");
  if (is_warm()) check_warm_start();
  weights_ = node_weights(tree, labels);
  const bool with_root = weights_[0] < static_cast<int64_t>(labels.size());
  packs_ = make_packs(tree, weights_, with_root, N_LANES);
  square_.assign(labels.size(), 0.0f);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (int64_t e = features.indptr[i]; e < features.indptr[i + 1]; ++e)
      square_[i] += features.values[at(e)] * features.values[at(e)];
  index_rows();
}

void Trainer::check_warm_start() const {
  const bool fits = warm_start_.indptr.size() == tree_.n_nodes() + 1 && warm_start_.indptr.front() == 0 &&
                    std::ranges::is_sorted(warm_start_.indptr) &&
                    at(warm_start_.indptr.back()) == warm_start_.features.size() &&
                    warm_start_.values.size() == warm_start_.features.size() &&
                    warm_start_.bias.size() == tree_.n_nodes();
  if (!fits) throw std::invalid_argument("a warm start must have weights for each node of the tree");
  for (const int32_t feature : warm_start_.features)
    if (feature < 0 || at(feature) >= n_features_)
      throw std::invalid_argument("a warm start must have features below the columns of X");
}

void Trainer::index_rows() {
  slot_.assign(tree_.n_nodes() + 1, NONE);
  for (const Pack& pack : packs_) slot_[at(pack.top + 1)] = 0;
  int32_t n_tops = 0;
  begin_ = {0};
  for (std::size_t v = 0; v < slot_.size(); ++v) {
    if (slot_[v] == NONE) continue;
    slot_[v] = n_tops++;
    begin_.push_back(begin_.back() + (v == 0 ? static_cast<int64_t>(labels_.size()) : weights_[v - 1]));
  }
  rows_.resize(static_cast<std::size_t>(begin_.back()));
  std::vector<int64_t> next(begin_.begin(), begin_.end() - 1);
  std::vector<double> features(static_cast<std::size_t>(n_tops), 0.0);  // of all rows of a top, summed
  const auto put = [&](int32_t node, std::size_t row) {
    const int32_t slot = slot_[at(node + 1)];
    if (slot == NONE) return;
    rows_[static_cast<std::size_t>(next[at(slot)]++)] = static_cast<int32_t>(row);
    features[at(slot)] += 1.0 + static_cast<double>(features_.indptr[row + 1] - features_.indptr[row]);
  };
  for (std::size_t i = 0; i < labels_.size(); ++i) put(NONE, i);
  visit_positive(tree_, labels_, [&](std::size_t i, int32_t v) { put(v, i); });

  const auto cost = [&](const Pack& pack) {
    const double walked = features[at(slot_[at(pack.top + 1)])];
    return walked + ENDS * std::min(walked, static_cast<double>(n_features_));
  };
  std::ranges::stable_sort(packs_, std::greater<>(), cost);
  for (const Pack& pack : packs_) costs_.push_back(cost(pack));
}

std::span<const int32_t> Trainer::rows_of(const Pack& pack) const {
  const auto slot = at(slot_[at(pack.top + 1)]);
  const auto begin = static_cast<std::size_t>(begin_[slot]);
  return std::span(rows_).subspan(begin, static_cast<std::size_t>(begin_[slot + 1]) - begin);
}

// The rows that a node is trained on: the positive rows of its parent.
int64_t Trainer::n_rows_at(int32_t node) const {
  const int32_t parent = tree_.parent(node);
  return parent == NONE ? static_cast<int64_t>(labels_.size()) : weights_[at(parent)];
}

std::vector<double> Trainer::costs() const {
  return costs_;
}

std::vector<uint8_t> Trainer::is_trained() const {
  std::vector<uint8_t> is_trained(tree_.n_nodes(), 0);
  for (const Pack& pack : packs_)
    for (const int32_t v : pack.nodes) is_trained[at(v)] = 1;
  return is_trained;
}

double Trainer::thread_bytes() const {
  constexpr double lane_bytes = 4.0 * N_LANES;
  const auto n_rows = static_cast<double>(packs_.empty() ? 0 : rows_of(packs_.front()).size());
  const auto copied = MAX_COPIED * static_cast<double>(features_.values.size());
  return static_cast<double>(n_features_) * (lane_bytes + 12.0) + n_rows * (lane_bytes + 28.0) +
         copied * 16.0;  // the copy is a growing vector
}

double Trainer::shared_bytes() const {
  return 4.0 * static_cast<double>(rows_.size() + square_.size()) +
         40.0 * static_cast<double>(tree_.n_nodes());
}

NodeWeights Trainer::train(std::size_t first, std::size_t last, int n_threads, Interrupt& interrupt) const {
  last = std::min(last, packs_.size());
  first = std::min(first, last);
  std::vector<NodeWeights> parts(last - first);
  std::vector<std::unique_ptr<PackTrainer>> trainers(n_workers(parts.size(), n_threads));
  parallel_for(parts.size(), n_threads, interrupt, [&](std::size_t i, std::size_t worker) {
    if (!trainers[worker]) trainers[worker] = std::make_unique<PackTrainer>(*this);
    parts[i] = trainers[worker]->train(packs_[first + i], interrupt);
  });
  NodeWeights all;
  for (NodeWeights& part : parts) {
    const auto shift = static_cast<int64_t>(all.features.size());
    all.nodes.insert(all.nodes.end(), part.nodes.begin(), part.nodes.end());
    for (std::size_t i = 1; i < part.indptr.size(); ++i) all.indptr.push_back(part.indptr[i] + shift);
    all.features.insert(all.features.end(), part.features.begin(), part.features.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    all.bias.insert(all.bias.end(), part.bias.begin(), part.bias.end());
    all.n_visits += part.n_visits;
    all.n_passes = std::max(all.n_passes, part.n_passes);
    all.n_far_pairs += part.n_far_pairs;
    part = {};
  }
  return all;
}

}  // namespace labeltree
