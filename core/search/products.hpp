// Probabilities of children from that of their parent, and which of them are worth a look.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace labeltree {

// Calls each(i, parent * estimates[i]) for all i whose product is at least `least`, in order.
template <class Each>
void products_above(float parent, std::span<const float> estimates, float least, Each each) {
  std::size_t i = 0;
#ifdef __SSE2__
  const __m128 factor = _mm_set1_ps(parent), floor = _mm_set1_ps(least);
  for (; i + 4 <= estimates.size(); i += 4) {
    const __m128 four = _mm_mul_ps(factor, _mm_loadu_ps(estimates.data() + i));
    auto above = static_cast<uint32_t>(_mm_movemask_ps(_mm_cmpge_ps(four, floor)));
    for (; above != 0; above &= above - 1) {
      const std::size_t place = i + static_cast<std::size_t>(std::countr_zero(above));
      each(place, parent * estimates[place]);
    }
  }
#endif
  for (; i < estimates.size(); ++i)
    if (const float product = parent * estimates[i]; product >= least) each(i, product);
}

}  // namespace labeltree
