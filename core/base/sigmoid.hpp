// The logistic function, of one number or of eight: the same bits for every caller.
#pragma once

#include "base/elementary.hpp"

namespace labeltree {

inline constexpr float SURELY_NOT = -87.0f;  // below it, exp(-x) leaves float32 and the estimate is 0

// Not a number becomes 0 too: no result is ever NaN.
template <class Numbers>
[[gnu::always_inline]] inline Numbers sigmoid(Numbers x) {
  const Numbers zero{}, least = zero + SURELY_NOT, most = zero - SURELY_NOT;
  const Numbers capped = x < most ? x : most;
  const Numbers inside = x > least ? capped : least;
  const Numbers p = 1.0f / (1.0f + exponential(-inside));
  return x > least ? p : zero;
}

}  // namespace labeltree
