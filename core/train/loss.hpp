// Losses of a binary problem in their dual form, for all lanes at once.
//
// min over w of |w|²/2 + Σ C_i loss(y_i w·x_i) has a dual with one variable α_i per row, and w = Σ α_i y_i
// x_i. A loss says what α_i becomes while the others stay, and how far the row was from its optimum.
#pragma once

#include "train/lanes.hpp"

namespace labeltree {
namespace {

struct Step {
  Floats alpha;      // the new one
  Floats violation;  // of the old one; not negative
  Ints idle;         // the row is right, with some slack, and can be left out for a while
};

// max(0, 1 - margin)²
struct SquaredHinge {
  static Step step(Floats alpha, Floats margin, Floats c, float norm, Floats slack) {
    const Floats ridge = 0.5f / c;
    const Floats gradient = margin - 1.0f + ridge * alpha;
    const Ints at_bound = alpha <= 0.0f;
    const Floats pull = most(-gradient, all(0.0f));
    const Floats push = most(gradient, all(0.0f));
    return {most(alpha - gradient / (ridge + norm), all(0.0f)), at_bound ? pull : most(pull, push),
            at_bound & (gradient > slack)};
  }
};

// log(1 + exp(-margin)). At the optimum α = C / (1 + exp(margin)). With s = α norm, the share of the margin
// that the row gives itself, and t = log s this reads t + log(1 + exp(rest + s)) = log(C norm). The left side
// is convex and rises with slope at least 1, so Newton steps in t converge from anywhere.
struct Logistic {
  static Step step(Floats alpha, Floats margin, Floats c, float norm, Floats slack) {
    const Floats rest = margin - alpha * norm;
    const Floats limit = logarithm(c * norm);
    const Ints is_new = alpha <= 0.0f;
    Floats t = is_new ? limit - softplus(rest) : logarithm(most(alpha, all(1e-30f)) * norm);
    Floats violation{};
    for (int i = 0; i < 3; ++i) {
      const Floats s = exponential(t);
      const Floats u = exponential(rest + s);
      const Floats miss = t + logarithm(1.0f + u) - limit;
      if (i == 0) violation = is_new ? all(1.0f) : most(miss, -miss);
      t = least(t - miss * ((1.0f + u) / (1.0f + u + s * u)), limit);
    }
    return {exponential(t) / norm, violation, violation < 0.1f * slack};
  }

  static Floats softplus(Floats x) { return logarithm(1.0f + exponential(x)); }
};

}  // namespace
}  // namespace labeltree
