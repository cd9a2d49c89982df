// The logistic function, of one number or of eight: the same bits for every caller.
#pragma once

#include <bit>
#include <cstdint>

#include "wide.hpp"

namespace labeltree {

inline constexpr float SURELY_NOT = -87.0f;  // below it, exp(-x) leaves float32 and the estimate is 0

[[gnu::always_inline]] inline float power_of_two(float whole) {
  return std::bit_cast<float>((static_cast<int32_t>(whole) + 127) << 23);
}
[[gnu::always_inline]] inline Eight power_of_two(Eight whole) {
  return std::bit_cast<Eight>((__builtin_convertvector(whole, EightInts) + 127) << 23);
}

// e^x to about 2e-7 of itself, for |x| <= 87.
template <class Numbers>
[[gnu::always_inline]] inline Numbers exponential(Numbers x) {
  const Numbers shifted = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23 rounds to a whole number
  const Numbers whole = shifted - 12582912.0f;
  const Numbers rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Numbers p = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * rest * rest + rest + 1.0f;
  return p * power_of_two(whole);
}

// Not a number becomes 0 too: no answer is ever NaN.
template <class Numbers>
[[gnu::always_inline]] inline Numbers sigmoid(Numbers x) {
  const Numbers zero{}, least = zero + SURELY_NOT, most = zero - SURELY_NOT;
  const Numbers capped = x < most ? x : most;
  const Numbers inside = x > least ? capped : least;
  const Numbers p = 1.0f / (1.0f + exponential(-inside));
  return x > least ? p : zero;
}

}  // namespace labeltree
