// The solver's loops, compiled once for each level of instructions. See solver_pass.hpp.
//
// All of it has internal linkage, so that no level calls what was compiled for another.
#pragma once

#include "train/lanes.hpp"
#include "train/loss.hpp"
#include "train/solver_pass.hpp"

namespace labeltree {
namespace {

constexpr int MAX_VISITS = 4096;  // between two looks for an interrupt

template <class LossType>
class Descent {
 public:
  explicit Descent(SolverPass& pass)
      : pass_(pass),
        weights_(reinterpret_cast<Floats*>(pass.weights)),
        alpha_(reinterpret_cast<Floats*>(pass.alpha)),
        c_positive_(load(pass.c_positive)),
        c_negative_(load(pass.c_negative)),
        slack_(load(pass.slack)),
        worst_(load(pass.worst)) {}

  void run() {
    int32_t* const order = pass_.order;
    std::size_t at = pass_.at, n_active = pass_.n_active;
    for (int n = 0; n < MAX_VISITS && at < n_active; ++n) {
      if (at + 2 < n_active) prefetch(order[at + 2]);
      const int32_t row = order[at];
      if (visit(row)) {
        ++at;
      } else {
        order[at] = order[--n_active];
        order[n_active] = row;
      }
    }
    pass_.at = at;
    pass_.n_active = n_active;
    __builtin_memcpy(pass_.worst, &worst_, sizeof worst_);
  }

 private:
  Floats sign(int32_t i) const { return spread(pass_.positive[i]) ? all(1.0f) : all(-1.0f); }

  Floats loss_weight(int32_t i) const {
    const Floats c = spread(pass_.positive[i]) ? c_positive_ : c_negative_;
    return pass_.row_weight == nullptr ? c : c * pass_.row_weight[i];
  }

  // Improves one row's dual variables; returns whether the row is still of use.
  bool visit(int32_t i) {
    const Ints here = spread(pass_.reaches[i] & pass_.open);
    const Floats sign = this->sign(i);
    const Step step = LossType::step(alpha_[i], sign * score(i), loss_weight(i), norm(i), slack_);
    const Floats change = here ? (step.alpha - alpha_[i]) * sign : Floats{};
    alpha_[i] = here ? step.alpha : alpha_[i];
    worst_ = most(worst_, here ? step.violation : Floats{});
    if (any(change != 0.0f)) add(i, change);
    return any(here & ~step.idle);
  }

  // A row without features moves no weight, whatever its norm is taken for.
  float norm(int32_t i) const {
    const float norm = pass_.square[i] + pass_.intercept_scaling * pass_.intercept_scaling;
    return norm == 0.0f ? 1.0f : norm;
  }

  Floats score(int32_t i) const {
    const int32_t* index = pass_.index + pass_.begin[i];
    const float* value = pass_.value + pass_.begin[i];
    const int32_t size = pass_.size[i];
    // Several sums, so that none waits for itself.
    Floats a = weights_[pass_.n_features] * pass_.intercept_scaling, b{}, c{}, d{};
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

  void add(int32_t i, Floats change) {
    const int32_t* index = pass_.index + pass_.begin[i];
    const float* value = pass_.value + pass_.begin[i];
    const int32_t size = pass_.size[i];
    for (int32_t k = 0; k < size; ++k) weights_[index[k]] += change * value[k];
    weights_[pass_.n_features] += change * pass_.intercept_scaling;
  }

  void prefetch(int32_t i) const {
    __builtin_prefetch(pass_.index + pass_.begin[i]);
    __builtin_prefetch(pass_.value + pass_.begin[i]);
    __builtin_prefetch(alpha_ + i);
  }

  SolverPass& pass_;
  Floats* weights_;
  Floats* alpha_;
  Floats c_positive_, c_negative_, slack_, worst_;
};

void visit_rows(SolverPass& pass) {
  if (pass.loss == Loss::squared_hinge)
    Descent<SquaredHinge>(pass).run();
  else
    Descent<Logistic>(pass).run();
}

}  // namespace
}  // namespace labeltree
