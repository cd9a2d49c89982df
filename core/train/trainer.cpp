#include "train/trainer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

constexpr int32_t NONE = -1;
constexpr int32_t NO_TOP = -2;  // -1 is above the root
// A pack with at most this share of all rows gets its own copy of them, with features renumbered so that its
// weights lie close together. Larger packs use most features anyway, and a copy would be one of nearly all of
// X.
constexpr double MAX_COPIED = 0.25;
// To begin a pack and to collect its weights takes as long as the solver with this many of its features, by
// measurement (benchmarks/cost_model.py).
constexpr double ENDS = 8.0;

}  // namespace

// Fits one pack after the other; one of them for each thread.
class PackTrainer {
 public:
  explicit PackTrainer(const Trainer& trainer)
      : t_(trainer), lane_of_(trainer.tree_.n_nodes(), NONE), local_of_(trainer.n_features_, NONE) {
    space_.is_warm = trainer.is_warm();
  }

  NodeWeights train(const Pack& pack, Interrupt& interrupt) {
    const auto rows = t_.rows_of(pack);
    set_targets(pack, rows);
    if (pack.top != top_) set_features(pack.top, rows);
    if (t_.is_warm() && is_copied_) add_warm_features(pack);
    const ProblemRows problem = problem_rows();
    if (t_.is_warm()) set_warm_start(pack, problem.n_features);
    const auto seed = stream(t_.settings_.seed, static_cast<uint64_t>(pack.nodes.front()));
    const int64_t n_visits =
        solve(problem, targets(pack, rows), t_.settings_.solver, seed, interrupt, space_);
    NodeWeights weights = collect(pack, problem.n_features);
    weights.n_visits = n_visits;
    return weights;
  }

 private:
  void set_targets(const Pack& pack, std::span<const int32_t> rows) {
    uint16_t from_top = 0;
    uint16_t below[N_LANES] = {};  // [lane] its children in the pack
    for (std::size_t l = 0; l < pack.nodes.size(); ++l) lane_of_[at(pack.nodes[l])] = static_cast<int8_t>(l);
    for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
      const int32_t p = t_.tree_.parent(pack.nodes[l]);
      auto& mask = p == pack.top ? from_top : below[lane_of_[at(p)]];
      mask = static_cast<uint16_t>(mask | 1u << l);
    }
    const int32_t lowest = *std::ranges::min_element(pack.nodes);  // ancestors have smaller numbers
    reaches_.assign(rows.size(), from_top);
    positive_.assign(rows.size(), 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const int32_t j : t_.labels_[at(rows[i])])
        for (int32_t v = t_.tree_.leaf(j); v >= lowest; v = t_.tree_.parent(v)) {
          const int8_t lane = lane_of_[at(v)];
          if (lane == NONE) continue;
          positive_[i] = static_cast<uint16_t>(positive_[i] | 1u << lane);
          reaches_[i] = static_cast<uint16_t>(reaches_[i] | below[lane]);
        }
    for (const int32_t v : pack.nodes) lane_of_[at(v)] = NONE;
  }

  // Wide nodes are split into several packs with the same top, which share its rows.
  void set_features(int32_t top, std::span<const int32_t> rows) {
    const FeatureRows& X = t_.features_;
    top_ = top;
    begin_.resize(rows.size());
    size_.resize(rows.size());
    square_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      begin_[i] = X.indptr[at(rows[i])];
      size_[i] = static_cast<int32_t>(X.indptr[at(rows[i]) + 1] - begin_[i]);
      square_[i] = t_.square_[at(rows[i])];
    }
    for (const int32_t feature : global_of_) local_of_[at(feature)] = NONE;
    global_of_.clear();
    is_copied_ = static_cast<double>(rows.size()) <= MAX_COPIED * static_cast<double>(t_.labels_.size());
    if (is_copied_) copy_rows();
    sort_features();
  }

  void sort_features() {
    order_.resize(global_of_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, {}, [&](int32_t f) { return global_of_[at(f)]; });
  }

  int32_t local_feature(int32_t feature) {
    int32_t& local = local_of_[at(feature)];
    if (local == NONE) {
      local = static_cast<int32_t>(global_of_.size());
      global_of_.push_back(feature);
    }
    return local;
  }

  // Weights of features that no row has stay as they are.
  void add_warm_features(const Pack& pack) {
    const std::size_t n_before = global_of_.size();
    for (const int32_t v : pack.nodes)
      for (auto e = at(t_.warm_start_.indptr[at(v)]); e < at(t_.warm_start_.indptr[at(v) + 1]); ++e)
        local_feature(t_.warm_start_.features[e]);
    if (global_of_.size() > n_before) sort_features();
  }

  void copy_rows() {
    const FeatureRows& X = t_.features_;
    index_.clear();
    value_.clear();
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      const auto first = static_cast<std::size_t>(begin_[i]);
      begin_[i] = static_cast<int64_t>(index_.size());
      for (std::size_t e = first; e < first + at(size_[i]); ++e) {
        // Numbered as they come, so that frequent features come early and lie close together.
        index_.push_back(local_feature(X.indices[e]));
        value_.push_back(X.values[e]);
      }
    }
  }

  ProblemRows problem_rows() const {
    const FeatureRows& X = t_.features_;
    if (is_copied_) return {index_.data(), value_.data(), begin_, size_, square_, global_of_.size()};
    return {X.indices.data(), X.values.data(), begin_, size_, square_, t_.n_features_};
  }

  void set_warm_start(const Pack& pack, std::size_t n_features) {
    const WarmStart& warm_start = t_.warm_start_;
    const float intercept_scaling = t_.settings_.solver.intercept_scaling;
    space_.weights.reset(n_features + 1);
    for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
      const auto v = at(pack.nodes[l]);
      for (auto e = at(warm_start.indptr[v]); e < at(warm_start.indptr[v + 1]); ++e) {
        const int32_t feature = is_copied_ ? local_of_[at(warm_start.features[e])] : warm_start.features[e];
        space_.weights[at(feature)][l] = warm_start.values[e];
      }
      if (intercept_scaling != 0.0f) space_.weights[n_features][l] = warm_start.bias[v] / intercept_scaling;
    }
  }

  Targets targets(const Pack& pack, std::span<const int32_t> rows) {
    row_weight_.clear();
    if (!t_.loss_weights_.row.empty())
      for (const int32_t row : rows) row_weight_.push_back(t_.loss_weights_.row[at(row)]);
    Targets targets{reaches_, positive_, row_weight_, {}, {}};
    std::ranges::fill(targets.c_positive, 1.0f);  // of lanes without a node, too
    std::ranges::fill(targets.c_negative, 1.0f);
    for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
      targets.c_positive[l] = t_.loss_weights_.positive[at(pack.nodes[l])];
      targets.c_negative[l] = t_.loss_weights_.negative[at(pack.nodes[l])];
    }
    return targets;
  }

  NodeWeights collect(const Pack& pack, std::size_t n_features) {
    const std::size_t n_lanes = pack.nodes.size();
    float limits[N_LANES];
    std::ranges::fill(limits, std::numeric_limits<float>::infinity());
    for (std::size_t l = 0; l < n_lanes; ++l) limits[l] = smallest_kept(l, n_features);
    int64_t next[N_LANES + 1] = {};
    kept_.resize(n_features);
    for (std::size_t f = 0; f < n_features; ++f) {
      kept_[f] = larger(f, limits);
      for (uint32_t kept = kept_[f]; kept != 0; kept &= kept - 1) ++next[std::countr_zero(kept) + 1];
    }
    std::partial_sum(next, next + N_LANES + 1, next);
    NodeWeights weights{pack.nodes, {next, next + n_lanes + 1}, {}, {}, {}};
    weights.features.resize(at(next[n_lanes]));
    weights.values.resize(at(next[n_lanes]));
    for (std::size_t i = 0; i < n_features; ++i) {
      const std::size_t f = is_copied_ ? at(order_[i]) : i;
      for (uint32_t kept = kept_[f]; kept != 0; kept &= kept - 1) {
        const int lane = std::countr_zero(kept);
        const auto place = at(next[lane]++);
        weights.features[place] = is_copied_ ? global_of_[f] : static_cast<int32_t>(f);
        weights.values[place] = space_.weights[f][lane];
      }
    }
    for (std::size_t l = 0; l < n_lanes; ++l)
      weights.bias.push_back(space_.weights[n_features][l] * t_.settings_.solver.intercept_scaling);
    return weights;
  }

  // A bit for each lane whose weight of a feature is larger than its limit.
  uint16_t larger(std::size_t feature, const float (&limits)[N_LANES]) const {
    uint32_t bits = 0;
    for (int l = 0; l < N_LANES; ++l)
      bits |= static_cast<uint32_t>(std::abs(space_.weights[feature][l]) > limits[l]) << l;
    return static_cast<uint16_t>(bits);
  }

  // Weights of a lane must be larger than this to be kept.
  float smallest_kept(std::size_t lane, std::size_t n_features) {
    const auto most = at(t_.settings_.max_nonzeros);
    if (most == 0 || n_features <= most) return t_.settings_.weight_threshold;
    sizes_.clear();
    for (std::size_t f = 0; f < n_features; ++f) sizes_.push_back(std::abs(space_.weights[f][lane]));
    std::ranges::nth_element(sizes_, sizes_.begin() + static_cast<std::ptrdiff_t>(most), std::greater<>());
    return std::max(t_.settings_.weight_threshold, sizes_[most]);
  }

  const Trainer& t_;
  SolverSpace space_;
  std::vector<int8_t> lane_of_;                // [node]
  std::vector<int32_t> local_of_, global_of_;  // [feature], [local feature]
  int32_t top_ = NO_TOP;                       // whose rows are set
  bool is_copied_ = false;
  std::vector<int64_t> begin_;
  std::vector<int32_t> size_, index_;
  std::vector<int32_t> order_;  // local features, by global number
  std::vector<float> value_, square_, row_weight_, sizes_;
  std::vector<uint16_t> reaches_, positive_;
  std::vector<uint16_t> kept_;  // [local feature] a bit for each lane
};

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
    part = {};
  }
  return all;
}

}  // namespace labeltree
