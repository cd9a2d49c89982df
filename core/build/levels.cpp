#include "build/levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace labeltree {
namespace {

constexpr double shrink = 0.69336127435063470;  // 3^(-1/3): what a node's share of 1 loses on each level

// Below a closed level: a lower bound on what the labels from `first` on still cost, counted from there, if
// their shares 3^(-D/3) must sum to at most the capacity of the open nodes (Kraft). The Lagrangian
// sum_j min_D (w_j D + price 3^(-D/3)) - price capacity is a bound at every price; it is tabulated on a grid.
class Bound {
 public:
  explicit Bound(std::span<const int64_t> weights) : weight_left_(weights.size() + 1, 0.0) {
    const std::size_t m = weights.size();
    for (std::size_t i = m; i-- > 0;) weight_left_[i] = weight_left_[i + 1] + static_cast<double>(weights[i]);
    n_prices_ = grid_index(best_price(0, shrink * shrink)) + 2 * reach;
    sums_.assign((m + 1) * n_prices_, 0.0);
    for (std::size_t k = 0; k < n_prices_; ++k)
      for (std::size_t i = m; i-- > 0;)
        sums_[i * n_prices_ + k] =
            sums_[(i + 1) * n_prices_ + k] + cheapest_level(static_cast<double>(weights[i]), grid_price(k));
  }

  double operator()(std::size_t first, double capacity) const {
    if (weight_left_[first] == 0) return 0;
    const std::size_t near = grid_index(best_price(first, capacity));
    const double* const sums = &sums_[first * n_prices_];
    double bound = 0;
    for (std::size_t k = near; k < std::min(near + 2 * reach, n_prices_); ++k)
      bound = std::max(bound, sums[k] - grid_price(k) * capacity);
    return bound;
  }

 private:
  static constexpr double ln3 = 1.0986122886681098;
  static constexpr std::size_t reach = 2;  // grid points on each side of the price looked for

  // The grid has eight points an octave, the doubles with three bits after the leading one, from 1 on.
  static constexpr int grid_shift = 52 - 3;
  static constexpr uint64_t grid_start = std::bit_cast<uint64_t>(1.0) >> grid_shift;

  static double grid_price(std::size_t k) { return std::bit_cast<double>((grid_start + k) << grid_shift); }
  // The point `reach` - 1 below the last that is not above the price.
  static std::size_t grid_index(double price) {
    const uint64_t index = std::bit_cast<uint64_t>(price) >> grid_shift;
    return index < grid_start + reach ? 0 : static_cast<std::size_t>(index - grid_start - (reach - 1));
  }

  // The best price if levels were real numbers.
  double best_price(std::size_t first, double capacity) const {
    return 3 / ln3 * weight_left_[first] / capacity;
  }

  static double cheapest_level(double weight, double price) {
    if (weight == 0) return 0;
    const double level = std::floor(std::max(0.0, 3 / ln3 * std::log(price * ln3 / (3 * weight))));
    const double share = price * std::exp(-ln3 / 3 * level);
    return std::min(weight * level + share, weight * (level + 1) + share * shrink);
  }

  std::vector<double> weight_left_;
  std::size_t n_prices_ = 0;
  std::vector<double> sums_;  // [first label][price]
};

// Labels placed, and open nodes on the current and the next two levels, 16 bits each.
uint64_t pack(std::size_t placed, std::size_t now, std::size_t next, std::size_t later) {
  return uint64_t{placed} << 48 | uint64_t{now} << 32 | uint64_t{next} << 16 | uint64_t{later};
}

struct State {
  uint64_t key;
  int64_t cost;
  double bound;  // of a whole tree through this state
  int32_t from;  // index of the step before; -1 at the root
  Level level;   // what that step did
};

// States with distinct keys, of each the cheapest: a hash table of indices, searched linearly.
class Layer {
 public:
  std::vector<State>& states() { return states_; }

  void clear() {
    states_.clear();
    std::ranges::fill(slots_, empty);
  }

  void offer(const State& state) {
    if (2 * states_.size() >= slots_.size()) grow();
    int32_t& slot = find(state.key);
    if (slot == empty) {
      slot = static_cast<int32_t>(states_.size());
      states_.push_back(state);
    } else if (State& known = states_[static_cast<std::size_t>(slot)]; state.cost < known.cost) {
      known = state;
    }
  }

 private:
  static constexpr int32_t empty = -1;

  int32_t& find(uint64_t key) {
    std::size_t at = (key * 0x9e3779b97f4a7c15) >> 20 & (slots_.size() - 1);
    while (slots_[at] != empty && states_[static_cast<std::size_t>(slots_[at])].key != key)
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    slots_.assign(2 * slots_.size(), empty);
    for (std::size_t i = 0; i < states_.size(); ++i) find(states_[i].key) = static_cast<int32_t>(i);
  }

  std::vector<State> states_;
  std::vector<int32_t> slots_ = std::vector<int32_t>(1024, empty);  // a power of two
};

struct Step {
  int32_t from;
  Level level;
};

class Search {
 public:
  Search(std::span<const int64_t> weights, int64_t below, Interrupt& interrupt)
      : interrupt_(interrupt),
        weights_(weights),
        weight_left_(weights.size() + 1, 0),
        bound_(weights),
        best_{below, {}} {
    for (std::size_t i = weights.size(); i-- > 0;) weight_left_[i] = weight_left_[i + 1] + weights[i];
  }

  // A narrow beam soon finds a good tree, whose cost lets the wider ones drop most states. The result is
  // exact once no state was cut off by the beam.
  LevelPlan run() && {
    for (std::size_t beam = 1000; !pass(beam);) beam *= 8;
    return std::move(best_);
  }

 private:
  bool pass(std::size_t beam) {
    bool is_exact = true;
    steps_.assign(1, {-1, {0, 0}});
    std::vector<State> layer{{pack(0, 1, 0, 0), 0, 0, -1, {0, 0}}};
    for (std::size_t first_step = 0; !layer.empty(); first_step = steps_.size() - layer.size()) {
      next_.clear();
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (i % 64 == 0) interrupt_.check();  // a look at the clock costs as much as a state
        expand(layer[i], static_cast<int32_t>(first_step + i));
      }
      layer.swap(next_.states());
      if (layer.size() > beam) {
        is_exact = false;
        const auto end = layer.begin() + static_cast<std::ptrdiff_t>(beam);
        std::nth_element(layer.begin(), end, layer.end(), [](const State& a, const State& b) {
          return a.bound != b.bound ? a.bound < b.bound : a.key < b.key;
        });
        layer.erase(end, layer.end());
      }
      for (const State& state : layer) steps_.push_back({state.from, state.level});
    }
    return is_exact;
  }

  void expand(const State& state, int32_t step) {
    const std::size_t placed = state.key >> 48, now = state.key >> 32 & 0xffff;
    const std::size_t next = state.key >> 16 & 0xffff, later = state.key & 0xffff;
    for (std::size_t leaves = 0; leaves <= now; ++leaves) {
      const std::size_t first = placed + leaves, inner = now - leaves;
      if (first == weights_.size()) return finish(state.cost, step, leaves);
      const int64_t cost = state.cost + weight_left_[first];
      if (cost >= best_.cost) continue;
      // An inner node lighter than a label placed deeper would change places with it.
      if (static_cast<int64_t>(inner) * weights_[first] > weight_left_[first]) continue;
      for (std::size_t binary = 0; binary <= std::min<std::size_t>(2, inner); ++binary) {
        const std::size_t two_down = later + 2 * binary, three_down = 3 * (inner - binary);
        const std::size_t n_open = next + two_down + three_down;
        if (n_open == 0 || first + n_open > weights_.size()) continue;
        // So would a label placed already and the heaviest open node below it.
        if (first > 0 && static_cast<int64_t>(n_open) * weights_[first - 1] < weight_left_[first]) continue;
        const double capacity = static_cast<double>(next) + shrink * static_cast<double>(two_down) +
                                shrink * shrink * static_cast<double>(three_down);
        const double bound = static_cast<double>(cost) + bound_(first, capacity);
        if (bound > prune_above_) continue;
        next_.offer({pack(first, next, two_down, three_down),
                     cost,
                     bound,
                     step,
                     {static_cast<int32_t>(leaves), static_cast<int32_t>(binary)}});
      }
    }
  }

  void finish(int64_t cost, int32_t step, std::size_t leaves) {
    if (cost >= best_.cost) return;
    best_.cost = cost;
    prune_above_ = threshold(cost);
    best_.levels.assign(1, {static_cast<int32_t>(leaves), 0});
    for (; step > 0; step = steps_[static_cast<std::size_t>(step)].from)
      best_.levels.push_back(steps_[static_cast<std::size_t>(step)].level);
    std::ranges::reverse(best_.levels);
  }

  // Costs are integers, so a better tree is better by 1; the rest is room for rounding.
  static double threshold(int64_t cost) { return static_cast<double>(cost) * (1 + 1e-10) - 1; }

  Interrupt& interrupt_;
  std::span<const int64_t> weights_;
  std::vector<int64_t> weight_left_;  // from this label on
  Bound bound_;
  LevelPlan best_;
  double prune_above_ = threshold(best_.cost);
  std::vector<Step> steps_;
  Layer next_;
};

}  // namespace

LevelPlan plan_levels(std::span<const int64_t> weights, int64_t below, Interrupt& interrupt) {
  if (weights.empty()) throw std::invalid_argument("a tree needs at least one label");
  if (weights.size() > max_level_labels)
    throw std::invalid_argument("the exact program takes at most " + std::to_string(max_level_labels) +
                                " labels, but there are " + std::to_string(weights.size()) +
                                "; lower exact_up_to");
  return Search(weights, below, interrupt).run();
}

std::vector<int32_t> grow_levels(std::span<const Level> levels, std::size_t n_leaves) {
  std::vector<int32_t> parent(n_leaves, -1);
  // open[d]: for each node wanted d levels down, its parent.
  std::array<std::vector<int32_t>, 4> open{std::vector<int32_t>{-1}};
  std::size_t leaf = 0;
  for (const Level& level : levels) {
    for (std::size_t i = 0; i < open[0].size(); ++i) {
      if (i < static_cast<std::size_t>(level.n_leaves)) {
        parent.at(leaf++) = open[0][i];
        continue;
      }
      const auto node = static_cast<int32_t>(parent.size());
      parent.push_back(open[0][i]);
      const bool binary =
          i < static_cast<std::size_t>(level.n_leaves) + static_cast<std::size_t>(level.n_binary);
      open[binary ? 2 : 3].insert(open[binary ? 2 : 3].end(), binary ? 2 : 3, node);
    }
    open[0].clear();
    std::rotate(open.begin(), open.begin() + 1, open.end());
  }
  return parent;
}

}  // namespace labeltree
