// The logistic function of one number; ask.cpp has the same of eight.
#pragma once

#include <bit>
#include <cstdint>

namespace labeltree {

inline constexpr float SURELY_NOT = -87.0f;  // below it, exp(-x) leaves float32 and the estimate is 0

// e^x to about 2e-7 of itself, for |x| <= 87. The same bits for every caller.
[[gnu::always_inline]] inline float exponential(float x) {
  const float shifted = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23 rounds to a whole number
  const float whole = shifted - 12582912.0f;
  const float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * rest * rest + rest + 1.0f;
  return p * std::bit_cast<float>((static_cast<int32_t>(whole) + 127) << 23);
}

// Not a number becomes 0 too: no answer is ever NaN.
[[gnu::always_inline]] inline float sigmoid(float x) {
  const float inside = x > SURELY_NOT ? (x < -SURELY_NOT ? x : -SURELY_NOT) : SURELY_NOT;
  const float p = 1.0f / (1.0f + exponential(-inside));
  return x > SURELY_NOT ? p : 0.0f;
}

}  // namespace labeltree
