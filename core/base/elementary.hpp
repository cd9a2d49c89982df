// e^x and log x of one number or of several side by side: the same bits for every caller.
#pragma once

#include <bit>
#include <cstdint>

namespace labeltree {

template <class Vector>
[[gnu::always_inline]] inline Vector power_of_two(Vector whole) {
  using Ints = decltype(whole < whole);
  return reinterpret_cast<Vector>((__builtin_convertvector(whole, Ints) + 127) << 23);
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
  // In pairs, so that few steps wait for one another.
  const Numbers squared = rest * rest;
  const Numbers high =
      (rest * 1.9875691500e-4f + 1.3981999507e-3f) * squared + (rest * 8.3334519073e-3f + 4.1665795894e-2f);
  const Numbers p = (high * squared + (rest * 1.6666665459e-1f + 5.0000001201e-1f)) * squared + rest + 1.0f;
  return p * power_of_two(whole);
}

// Natural logarithm to about 1e-7 of itself, for vectors of normal positive numbers: the exponent and a
// polynomial in the rest.
template <class Vector>
[[gnu::always_inline]] inline Vector logarithm(Vector x) {
  using Ints = decltype(x < x);
  // Unsigned, because the bits of -0 are the smallest integer, and the difference would overflow.
  using Bits [[gnu::vector_size(sizeof(Vector))]] = uint32_t;
  // Less those of sqrt(1/2), so that the rest is around 1.
  const Ints raised = reinterpret_cast<Ints>(reinterpret_cast<Bits>(x) - 0x3f3504f3u);
  const Vector rest = reinterpret_cast<Vector>((raised & 0x007fffff) + 0x3f3504f3) - 1.0f;
  const Vector squared = rest * rest, fourth = squared * squared;
  // In pairs, so that few steps wait for one another.
  const Vector low =
      (3.3333331174e-1f - 2.4999993993e-1f * rest) + (2.0000714765e-1f - 1.6668057665e-1f * rest) * squared;
  const Vector high =
      (1.4249322787e-1f - 1.2420140846e-1f * rest) + (1.1676998740e-1f - 1.1514610310e-1f * rest) * squared;
  const Vector p = low + (high + 7.0376836292e-2f * fourth) * fourth;
  return p * rest * squared - 0.5f * squared + rest +
         __builtin_convertvector(raised >> 23, Vector) * 0.693147182f;
}

}  // namespace labeltree
