// Sixteen numbers side by side: one for each binary problem that is solved in the same pass.
//
// The compiler maps them to whatever vectors the target has, so this file is compiled once for each level of
// instructions that solver.cpp chooses from.
#pragma once

#include <bit>
#include <cstdint>

#include "solver.hpp"

namespace labeltree {

namespace LABELTREE_LEVEL {

using Floats = float __attribute__((vector_size(4 * N_LANES)));
using Ints = int32_t __attribute__((vector_size(4 * N_LANES)));

inline Floats all(float value) {
  return value - Floats{};
}
inline Floats least(Floats a, Floats b) {
  return a < b ? a : b;
}
inline Floats most(Floats a, Floats b) {
  return a > b ? a : b;
}
// Lane l is all ones where bit l is set.
inline Ints spread(uint16_t bits) {
  constexpr Ints each{1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                      1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  return ((int32_t{bits} - Ints{}) & each) != 0;
}
inline bool any(Ints mask) {
  int32_t found = 0;
  for (int l = 0; l < N_LANES; ++l) found |= mask[l];
  return found != 0;
}

// e^x to about 2e-7 of itself, for |x| <= 80: 2^n times a polynomial in the rest.
inline Floats exponential(Floats x) {
  x = least(most(x, all(-80.0f)), all(80.0f));
  const Floats scaled = x * 1.44269504f;
  const Floats shifted = scaled + 12582912.0f;  // 1.5 * 2^23 rounds to a whole number
  const Floats whole = shifted - 12582912.0f;
  const Floats rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Floats p = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * rest * rest + rest + 1.0f;
  const Ints exponent = (__builtin_convertvector(whole, Ints) + 127) << 23;
  return p * std::bit_cast<Floats>(exponent);
}

// Natural logarithm to about 1e-7 of itself, for normal positive numbers: the exponent and a polynomial in
// the rest.
inline Floats logarithm(Floats x) {
  const Ints bits = std::bit_cast<Ints>(x);
  const Ints raised = bits - 0x3f3504f3;  // the mantissa of sqrt(1/2), so that the rest lies around 1
  const Ints exponent = raised >> 23;
  const Floats rest = std::bit_cast<Floats>((raised & 0x007fffff) + 0x3f3504f3) - 1.0f;
  Floats p = rest * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * rest + 1.1676998740e-1f;
  p = p * rest - 1.2420140846e-1f;
  p = p * rest + 1.4249322787e-1f;
  p = p * rest - 1.6668057665e-1f;
  p = p * rest + 2.0000714765e-1f;
  p = p * rest - 2.4999993993e-1f;
  p = p * rest + 3.3333331174e-1f;
  const Floats squared = rest * rest;
  return p * rest * squared - 0.5f * squared + rest +
         __builtin_convertvector(exponent, Floats) * 0.693147182f;
}

}  // namespace LABELTREE_LEVEL
}  // namespace labeltree
