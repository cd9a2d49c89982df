#include "train/pack_trainer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "base/random.hpp"
#include "train/row_products.hpp"

namespace labeltree {
namespace {

constexpr int32_t NONE = -1;
// A node is far from its optimum when a row violates its condition by more than this many times tol.
constexpr float FAR = 10.0f;

// With more rows than this for each feature, a node takes many passes to come near its optimum. So its
// weights are averaged over the last passes, and rows that were held back are left out: a few more would
// hardly change the optimum.
constexpr double MANY_ROWS = 10.0;

// With more features per row than this, rows within this share of tol from their optimum are left out of some
// passes. It halves the time of nodes with many rows. Shorter rows gain less and lose accuracy
// (docs/explanation/study-trees.md).
constexpr double MANY_FEATURES = 500.0;
constexpr float NEAR = 0.5f;

}  // namespace

PackTrainer::PackTrainer(const Trainer& trainer, const WindowLimits& limits)
    : t_(trainer),
      lane_of_(trainer.tree_.n_nodes(), NONE),
      local_of_(trainer.n_features_, NONE),
      is_windowed_(limits.max_entries > 0),
      window_(trainer.features_, limits) {
  space_.is_warm = trainer.is_warm();
}

NodeWeights PackTrainer::train(const Pack& pack, Interrupt& interrupt) {
  const auto rows = t_.rows_of(pack);
  set_targets(pack, rows);
  if (t_.slot_of(pack) != slot_) {
    slot_ = t_.slot_of(pack);
    set_features(rows);
    multiply(pack, interrupt);
  }
  if (t_.is_warm() && is_copied_) add_warm_features(pack);
  const ProblemRows problem = problem_rows();
  if (t_.is_warm()) set_warm_start(pack, problem.n_features);
  const auto seed = stream(t_.settings_.seed, static_cast<uint64_t>(pack.nodes.front()));
  const auto before_held = [&] { score_held(pack, rows, problem); };
  const int64_t n_visits =
      solve(problem, targets(pack, rows), solver_settings(problem), seed, interrupt, space_, before_held);
  NodeWeights weights = collect(pack, problem.n_features);
  weights.held_pairs = std::exchange(held_pairs_, {});
  weights.held_scores = std::exchange(held_scores_, {});
  weights.n_visits = n_visits;
  weights.n_passes = space_.n_passes;
  weights.n_far_pairs = n_far_pairs(pack);
  return weights;
}

void PackTrainer::set_targets(const Pack& pack, std::span<const int32_t> rows) {
  for (std::size_t l = 0; l < pack.nodes.size(); ++l) lane_of_[at(pack.nodes[l])] = static_cast<int8_t>(l);
  positive_.assign(rows.size(), 0);
  if (t_.has_candidates())
    reach_by_candidates(rows);
  else
    reach_by_paths(pack, rows);
  for (const int32_t v : pack.nodes) lane_of_[at(v)] = NONE;
}

void PackTrainer::reach_by_candidates(std::span<const int32_t> rows) {
  const auto lanes = [&](std::span<const int32_t> labels) {
    uint32_t bits = 0;
    for (const int32_t j : labels)
      if (const int8_t lane = lane_of_[at(t_.tree_.leaf(j))]; lane != NONE) bits |= 1u << lane;
    return static_cast<uint16_t>(bits);
  };
  reaches_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    positive_[i] = lanes(t_.labels_[at(rows[i])]);
    reaches_[i] = static_cast<uint16_t>(positive_[i] | lanes(t_.candidates_[at(rows[i])]));
  }
}

void PackTrainer::reach_by_paths(const Pack& pack, std::span<const int32_t> rows) {
  uint16_t from_top = 0;
  uint16_t below[N_LANES] = {};  // [lane] its children in the pack
  for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
    const int32_t p = t_.tree_.parent(pack.nodes[l]);
    auto& mask = p == pack.top ? from_top : below[lane_of_[at(p)]];
    mask = static_cast<uint16_t>(mask | 1u << l);
  }
  const int32_t lowest = *std::ranges::min_element(pack.nodes);  // ancestors have smaller numbers
  reaches_.assign(rows.size(), from_top);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const int32_t j : t_.labels_[at(rows[i])])
      for (int32_t v = t_.tree_.leaf(j); v >= lowest; v = t_.tree_.parent(v)) {
        const int8_t lane = lane_of_[at(v)];
        if (lane == NONE) continue;
        positive_[i] = static_cast<uint16_t>(positive_[i] | 1u << lane);
        reaches_[i] = static_cast<uint16_t>(reaches_[i] | below[lane]);
      }
}

// Wide nodes are split into several packs with the same top, which share its rows.
void PackTrainer::set_features(std::span<const int32_t> rows) {
  const FeatureRows& X = t_.features_;
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
  is_copied_ = t_.is_copied(rows.size());
  is_direct_ = !is_copied_ && !is_windowed_;
  is_loaded_ = true;
  if (!is_direct_) copy_rows(rows);
}

// Inline, like larger(): once for every entry of the rows.
inline int32_t PackTrainer::local_feature(int32_t feature) {
  int32_t& local = local_of_[at(feature)];
  if (local == NONE) {
    local = static_cast<int32_t>(global_of_.size());
    global_of_.push_back(feature);
  }
  return local;
}

// Weights of features that no row has stay as they are.
void PackTrainer::add_warm_features(const Pack& pack) {
  for (const int32_t v : pack.nodes)
    for (auto e = at(t_.warm_start_.indptr[at(v)]); e < at(t_.warm_start_.indptr[at(v) + 1]); ++e)
      local_feature(t_.warm_start_.features[e]);
}

void PackTrainer::copy_rows(std::span<const int32_t> rows) {
  window_.set_rows(rows, begin_);
  is_loaded_ = window_.fits();
  // Numbered as they come, so that frequent features come early and lie close together.
  const auto number = [&](int32_t feature) { return local_feature(feature); };
  if (is_loaded_ && is_copied_) return window_.load_all(number);
  if (is_loaded_) return window_.load_all([](int32_t feature) { return feature; });
  if (is_copied_) window_.visit_all(number);
  window_.begin_parts(is_copied_ ? local_of_.data() : nullptr);
}

void PackTrainer::multiply(const Pack& pack, Interrupt& interrupt) {
  products_ = nullptr;
  if (!t_.is_multiplied(pack)) return;
  const float intercept_scaling = t_.settings_.solver.intercept_scaling;
  products_ = t_.products_of(pack, [&](Block& products) {
    multiply_rows(problem_rows(), intercept_scaling * intercept_scaling, interrupt, products);
  });
}

ProblemRows PackTrainer::problem_rows() {
  const FeatureRows& X = t_.features_;
  return {t_.is_full_  ? nullptr
          : is_direct_ ? X.indices.data()
                       : window_.index(),
          is_direct_ ? X.values.data() : window_.value(),
          begin_,
          size_,
          square_,
          is_copied_ ? global_of_.size() : t_.n_features_,
          is_copied_ ? nullptr : products_.get(),
          is_loaded_ ? nullptr : &window_};
}

void PackTrainer::set_warm_start(const Pack& pack, std::size_t n_features) {
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

Targets PackTrainer::targets(const Pack& pack, std::span<const int32_t> rows) {
  row_weight_.clear();
  if (!t_.loss_weights_.row.empty())
    for (const int32_t row : rows) row_weight_.push_back(t_.loss_weights_.row[at(row)]);
  held_.clear();
  if (!t_.held_of_.empty())
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (t_.held_of_[at(rows[i])] != NONE) held_.push_back(static_cast<int32_t>(i));
  Targets targets{reaches_, positive_, row_weight_, held_, {}, {}};
  std::ranges::fill(targets.c_positive, 1.0f);  // of lanes without a node, too
  std::ranges::fill(targets.c_negative, 1.0f);
  // With n times as much, all slices together have the loss of all rows. But then each follows its rows too
  // closely (docs/explanation/cluster-jobs.md).
  const float factor = std::sqrt(static_cast<float>(pack.n_slices));
  for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
    targets.c_positive[l] = factor * t_.loss_weights_.positive[at(pack.nodes[l])];
    targets.c_negative[l] = factor * t_.loss_weights_.negative[at(pack.nodes[l])];
  }
  return targets;
}

SolverSettings PackTrainer::solver_settings(const ProblemRows& problem) const {
  SolverSettings settings = t_.settings_.solver;
  if (static_cast<double>(problem.size.size()) > MANY_ROWS * static_cast<double>(problem.n_features))
    settings.joint_iter = 0;
  else
    settings.mean_iter = 0;
  const auto n_rows = static_cast<double>(t_.labels_.size());
  if (static_cast<double>(t_.features_.values.size()) > MANY_FEATURES * n_rows)
    settings.near = NEAR * settings.tol;
  return settings;
}

// Scores by the weights that are kept. A node without positive rows is as one that is not trained.
void PackTrainer::score_held(const Pack& pack, std::span<const int32_t> rows, const ProblemRows& problem) {
  set_limits(pack, problem.n_features);
  const auto known = t_.is_warm() ? std::numeric_limits<uint16_t>::max() : lanes_with_positive();
  const float intercept_scaling = t_.settings_.solver.intercept_scaling;
  float* bias = scored_.reset(held_.size());
  for (std::size_t h = 0; h < held_.size(); ++h)
    for (int l = 0; l < N_LANES; ++l) *bias++ = space_.weights[problem.n_features][l] * intercept_scaling;
  // Full rows have no indices for the solver, but here they do.
  ProblemRows indexed = problem;
  if (problem.index == nullptr) indexed.index = is_direct_ ? t_.features_.indices.data() : window_.index();
  const std::size_t n_at_once = is_loaded_ ? held_.size() : WINDOW_VISITS;
  for (std::size_t h = 0; h < held_.size(); h += n_at_once) {
    const auto some = std::span(held_).subspan(h, std::min(n_at_once, held_.size() - h));
    if (!is_loaded_) window_.load(some);
    score_rows(indexed, some, space_.weights, limits_, scored_[h]);
  }
  for (std::size_t h = 0; h < held_.size(); ++h) {
    const int32_t i = held_[h];
    const float* const scores = scored_[h];
    for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
      if ((reaches_[at(i)] >> l & 1) == 0) continue;
      const int32_t node = pack.nodes[l], parent = t_.tree_.parent(node);
      const int32_t first = parent == NONE ? 0 : t_.tree_.first_child(parent);
      const auto row = at(t_.held_of_[at(rows[at(i)])]);
      held_pairs_.push_back(t_.held_pairs_.first_child(row, parent) + node - first);
      held_scores_.push_back((known >> l & 1) == 0 ? -std::numeric_limits<float>::infinity() : scores[l]);
    }
  }
}

// A bit for each lane with a positive row that is not held back.
uint16_t PackTrainer::lanes_with_positive() const {
  uint16_t lanes = 0;
  auto held = held_.begin();
  for (std::size_t i = 0; i < positive_.size(); ++i)
    if (held != held_.end() && at(*held) == i)
      ++held;
    else
      lanes = static_cast<uint16_t>(lanes | positive_[i]);
  return lanes;
}

// Means over slices may be larger than the weights of some slices.
void PackTrainer::set_limits(const Pack& pack, std::size_t n_features) {
  std::ranges::fill(limits_, std::numeric_limits<float>::infinity());
  std::ranges::fill(pair_limits_, std::numeric_limits<float>::infinity());
  const auto n_slices = static_cast<float>(pack.n_slices);
  for (std::size_t l = 0; l < pack.nodes.size(); ++l) {
    limits_[l] = pack.n_slices == 1 ? smallest_kept(l, n_features) : t_.settings_.weight_threshold / n_slices;
    pair_limits_[l] = std::max(limits_[l], t_.settings_.pair_threshold / n_slices);
  }
}

NodeWeights PackTrainer::collect(const Pack& pack, std::size_t n_features) {
  const std::size_t n_lanes = pack.nodes.size();
  set_limits(pack, n_features);
  int64_t next[N_LANES + 1] = {};
  kept_.resize(n_features);
  const auto first_pair = static_cast<int64_t>(t_.n_features_) - t_.settings_.n_pairs;
  const auto global = [&](std::size_t f) { return is_copied_ ? global_of_[f] : static_cast<int32_t>(f); };
  for (std::size_t f = 0; f < n_features; ++f) {
    kept_[f] = larger(f, global(f) < first_pair ? limits_ : pair_limits_);
    for (uint32_t kept = kept_[f]; kept != 0; kept &= kept - 1) ++next[std::countr_zero(kept) + 1];
  }
  std::partial_sum(next, next + N_LANES + 1, next);
  NodeWeights weights{pack.nodes, {next, next + n_lanes + 1}, {}, {}, {}, {}, {}};
  weights.features.resize(at(next[n_lanes]));
  weights.values.resize(at(next[n_lanes]));
  for (std::size_t f = 0; f < n_features; ++f)
    for (uint32_t kept = kept_[f]; kept != 0; kept &= kept - 1) {
      const int lane = std::countr_zero(kept);
      const auto place = at(next[lane]++);
      weights.features[place] = global(f);
      weights.values[place] = space_.weights[f][lane];
    }
  for (std::size_t l = 0; l < n_lanes; ++l)
    weights.bias.push_back(space_.weights[n_features][l] * t_.settings_.solver.intercept_scaling);
  return weights;
}

int64_t PackTrainer::n_far_pairs(const Pack& pack) const {
  int64_t n_pairs = 0;
  for (std::size_t l = 0; l < pack.nodes.size(); ++l)
    if (space_.violation[l] > FAR * t_.settings_.solver.tol)
      n_pairs += std::ranges::count_if(reaches_, [&](uint16_t lanes) { return lanes >> l & 1u; });
  return n_pairs;
}

// A bit for each lane whose weight of a feature is larger than its limit.
inline uint16_t PackTrainer::larger(std::size_t feature, const float* limits) const {
  uint32_t bits = 0;
  for (int l = 0; l < N_LANES; ++l)
    bits |= static_cast<uint32_t>(std::abs(space_.weights[feature][l]) > limits[l]) << l;
  return static_cast<uint16_t>(bits);
}

// Weights of a lane must be larger than this to be kept.
float PackTrainer::smallest_kept(std::size_t lane, std::size_t n_features) {
  const auto most = at(t_.settings_.max_nonzeros);
  if (most == 0 || n_features <= most) return t_.settings_.weight_threshold;
  sizes_.clear();
  for (std::size_t f = 0; f < n_features; ++f) sizes_.push_back(std::abs(space_.weights[f][lane]));
  std::ranges::nth_element(sizes_, sizes_.begin() + static_cast<std::ptrdiff_t>(most), std::greater<>());
  return std::max(t_.settings_.weight_threshold, sizes_[most]);
}

}  // namespace labeltree
