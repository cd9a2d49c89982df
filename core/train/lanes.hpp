// Sixteen numbers side by side: one for each binary problem that is solved in the same pass.
//
// The compiler maps them to whatever vectors the target has, so this file is compiled once for each level of
// instructions that solver.cpp chooses from.
#pragma once

#include <cstdint>

#include "base/elementary.hpp"
#include "train/solver_pass.hpp"

namespace labeltree {
namespace {

using Floats = float __attribute__((vector_size(4 * N_LANES)));
using Ints = int32_t __attribute__((vector_size(4 * N_LANES)));

inline Floats load(const float* from) {
  Floats values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}
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

inline Floats exponential(Floats x) {
  return labeltree::exponential(least(most(x, all(-80.0f)), all(80.0f)));
}

}  // namespace
}  // namespace labeltree
