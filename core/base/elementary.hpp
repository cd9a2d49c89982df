// e^x and log x of one number or of several side by side: the same bits for every caller.
#pragma once

#include <bit>
#include <cstdint>

namespace labeltree {

template <class Vector>
[[gnu::always_inline]] inline Vector power_of_two(Vector whole) {
  using Ints = decltype(whole < whole);
  return std::bit_cast<Vector>((__builtin_convertvector(whole, Ints) + 127) << 23);
}
[[gnu::always_inline]] inline float power_of_two(float whole) {
  return std::bit_cast<float>((static_cast<int32_t>(whole) + 127) << 23);
}

// e^x to about 2e-7 of itself, for |x| <= 87: 2^n times a polynomial in the rest.
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

// Natural logarithm to about 1e-7 of itself, for vectors of normal positive numbers: the exponent and a
// polynomial in the rest.
template <class Vector>
[[gnu::always_inline]] inline Vector logarithm(Vector x) {
  using Ints = decltype(x < x);
  const Ints raised = std::bit_cast<Ints>(x) - 0x3f3504f3;  // that of sqrt(1/2), so that the rest is around 1
  const Vector rest = std::bit_cast<Vector>((raised & 0x007fffff) + 0x3f3504f3) - 1.0f;
  Vector p = rest * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * rest + 1.1676998740e-1f;
  p = p * rest - 1.2420140846e-1f;
  p = p * rest + 1.4249322787e-1f;
  p = p * rest - 1.6668057665e-1f;
  p = p * rest + 2.0000714765e-1f;
  p = p * rest - 2.4999993993e-1f;
  p = p * rest + 3.3333331174e-1f;
  const Vector squared = rest * rest;
  return p * rest * squared - 0.5f * squared + rest +
         __builtin_convertvector(raised >> 23, Vector) * 0.693147182f;
}

}  // namespace labeltree
