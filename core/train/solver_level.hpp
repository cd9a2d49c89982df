// The solver's loops, compiled once for each level of instructions. See solver.hpp.
#pragma once

#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "train/lanes.hpp"
#include "train/loss.hpp"
#include "train/solver.hpp"

namespace labeltree {
namespace LABELTREE_LEVEL {

template <class LossType>
class Descent {
 public:
  Descent(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings, SolverSpace& space)
      : rows_(rows),
        targets_(targets),
        intercept_scaling_(settings.intercept_scaling),
        tol_(settings.tol),
        space_(space) {
    const std::size_t n = rows.size.size();
    if (!space.is_warm) space.weights.reset(rows.n_features + 1);
    weights_ = reinterpret_cast<Floats*>(space.weights[0]);
    alpha_ = reinterpret_cast<Floats*>(space.alpha.reset(n));
    for (int l = 0; l < N_LANES; ++l) {
      c_positive_[l] = targets.c_positive[l];
      c_negative_[l] = targets.c_negative[l];
    }
    space.order.resize(n);
    std::iota(space.order.begin(), space.order.end(), 0);
  }

  int64_t run(const SolverSettings& settings, uint64_t seed, Interrupt& interrupt) {
    Random random(seed);
    std::size_t n_active = space_.order.size();
    int64_t n_visits = 0;
    space_.n_passes = 0;
    for (int iteration = 0; iteration < settings.max_iter && open_ != 0; ++iteration) {
      random.shuffle(std::span(space_.order).first(n_active));
      n_visits += static_cast<int64_t>(n_active);
      space_.n_passes = iteration + 1;
      n_active = pass(n_active, interrupt);
      std::memcpy(space_.violation, &worst_, sizeof worst_);
      for (int l = 0; l < N_LANES; ++l)
        if (worst_[l] <= settings.tol) open_ = static_cast<uint16_t>(open_ & ~(1u << l));
      if (open_ == 0 && n_active < space_.order.size()) {  // look once more at the rows left out
        n_active = space_.order.size();
        open_ = ALL_LANES;
        worst_ = all(std::numeric_limits<float>::infinity());
      }
    }
    return n_visits;
  }

 private:
  static constexpr uint16_t ALL_LANES = std::numeric_limits<uint16_t>::max();

  Floats sign(std::size_t i) const { return spread(targets_.positive[i]) ? all(1.0f) : all(-1.0f); }

  Floats loss_weight(std::size_t i) const {
    const Floats c = spread(targets_.positive[i]) ? c_positive_ : c_negative_;
    return targets_.row_weight.empty() ? c : c * targets_.row_weight[i];
  }

  // Visits the active rows once. A row that no classifier gains from goes behind the active ones.
  std::size_t pass(std::size_t n_active, Interrupt& interrupt) {
    // Right by more than any row was wrong in the last pass, or than matters.
    const Floats slack = least(worst_, all(tol_));
    worst_ = Floats{};
    std::size_t at = 0;
    while (at < n_active) {
      if (at % 4096 == 0) interrupt.check();
      if (at + 2 < n_active) prefetch(static_cast<std::size_t>(space_.order[at + 2]));
      if (visit(static_cast<std::size_t>(space_.order[at]), slack))
        ++at;
      else
        std::swap(space_.order[at], space_.order[--n_active]);
    }
    return n_active;
  }

  // Improves one row's dual variables; returns whether the row is still of use.
  bool visit(std::size_t i, Floats slack) {
    const Ints here = spread(targets_.reaches[i] & open_);
    const Floats sign = this->sign(i);
    const Step step = LossType::step(alpha_[i], sign * score(i), loss_weight(i), norm(i), slack);
    const Floats change = here ? (step.alpha - alpha_[i]) * sign : Floats{};
    alpha_[i] = here ? step.alpha : alpha_[i];
    worst_ = most(worst_, here ? step.violation : Floats{});
    if (any(change != 0.0f)) add(i, change);
    return any(here & ~step.idle);
  }

  // A row without features moves no weight, whatever its norm is taken for.
  float norm(std::size_t i) const {
    const float norm = rows_.square[i] + intercept_scaling_ * intercept_scaling_;
    return norm == 0.0f ? 1.0f : norm;
  }

  Floats score(std::size_t i) const {
    const int32_t* index = rows_.index + rows_.begin[i];
    const float* value = rows_.value + rows_.begin[i];
    const int32_t size = rows_.size[i];
    // Several sums, so that none waits for itself.
    Floats a = weights_[rows_.n_features] * intercept_scaling_, b{}, c{}, d{};
    int32_t k = 0;
    for (; k + 4 <= size; k += 4) {
      a += weights_[index[k]] * value[k];
      b += weights_[index[k + 1]] * value[k + 1];
      c += weights_[index[k + 2]] * value[k + 2];
      d += weights_[index[k + 3]] * value[k + 3];
    }
    for (; k < size; ++k) a += weights_[index[k]] * value[k];
    return (a + b) + (c + d);
  }

  void add(std::size_t i, Floats change) {
    const int32_t* index = rows_.index + rows_.begin[i];
    const float* value = rows_.value + rows_.begin[i];
    for (int32_t k = 0; k < rows_.size[i]; ++k) weights_[index[k]] += change * value[k];
    weights_[rows_.n_features] += change * intercept_scaling_;
  }

  void prefetch(std::size_t i) const {
    __builtin_prefetch(rows_.index + rows_.begin[i]);
    __builtin_prefetch(rows_.value + rows_.begin[i]);
    __builtin_prefetch(alpha_ + i);
  }

  const ProblemRows& rows_;
  const Targets& targets_;
  float intercept_scaling_, tol_;
  SolverSpace& space_;
  Floats* weights_;
  Floats* alpha_;
  Floats c_positive_{}, c_negative_{};
  Floats worst_ = all(std::numeric_limits<float>::infinity());  // violation in the last pass
  uint16_t open_ = ALL_LANES;                                   // classifiers that are not done
};

inline int64_t solve(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings,
                     uint64_t seed, Interrupt& interrupt, SolverSpace& space) {
  if (settings.loss == Loss::squared_hinge)
    return Descent<SquaredHinge>(rows, targets, settings, space).run(settings, seed, interrupt);
  return Descent<Logistic>(rows, targets, settings, space).run(settings, seed, interrupt);
}

}  // namespace LABELTREE_LEVEL
}  // namespace labeltree
