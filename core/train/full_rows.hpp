// Several full rows at once: rows that have a value of every feature, side by side in memory.
//
// Weights of all lanes are more than the first cache holds, so reading them takes longer than multiplying
// them. Each is read once for all rows of a block, and written once.
#pragma once

#include "train/lanes.hpp"

namespace labeltree {
namespace {

#if defined(__AVX512F__)
constexpr int WIDTH = 16;
#elif defined(__AVX__)
constexpr int WIDTH = 8;
#else
constexpr int WIDTH = 4;
#endif
// Some of the lanes, as many as one register holds: the compiler leaves wider sums in memory.
using Some = float __attribute__((vector_size(4 * WIDTH)));

inline Some some(const float* from) {
  Some values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}
inline void put(Some values, float* to) {
  __builtin_memcpy(to, &values, sizeof values);
}

// Rows of a block. With fewer, weights are read more often; with more, more rows are multiplied with each
// other.
constexpr int N_FULL = 8;

// A block of rows. One that has fewer repeats some of them, with changes of 0.
struct FullRows {
  const float* rows[N_FULL];
  std::size_t n_features;

  // scores[r] += the weights times row r.
  void add_scores(const Floats* weights, Floats* scores) const {
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      Some sums[N_FULL];
      for (std::size_t r = 0; r < N_FULL; ++r) sums[r] = some(address(scores, r, lane));
      for (std::size_t f = 0; f < n_features; ++f) {
        const Some weight = some(address(weights, f, lane));
        for (int r = 0; r < N_FULL; ++r) sums[r] += weight * rows[r][f];
      }
      for (std::size_t r = 0; r < N_FULL; ++r) put(sums[r], address(scores, r, lane));
    }
  }

  // weights += changes[r] times row r, for all rows. From the last feature to the first, because the scores
  // leave the weights of the last ones in the cache.
  void add_to(Floats* weights, const Floats* changes) const {
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      Some by[N_FULL];
      for (std::size_t r = 0; r < N_FULL; ++r) by[r] = some(address(changes, r, lane));
      for (std::size_t f = n_features; f-- > 0;) {
        Some weight = some(address(weights, f, lane));
        for (int r = 0; r < N_FULL; ++r) weight += by[r] * rows[r][f];
        put(weight, address(weights, f, lane));
      }
    }
  }

  // Products of rows 1 to R with each row before them.
  template <int R = N_FULL - 1>
  void multiply(float (*products)[N_FULL]) const {
    if constexpr (R > 1) multiply<R - 1>(products);
    // Sixteen sums at every width, so that all give the same bits.
    constexpr std::size_t N_SUMS = N_LANES / WIDTH;
    Some sums[R][N_SUMS] = {};
    const std::size_t n_whole = n_features - n_features % N_LANES;
    for (std::size_t f = 0; f < n_whole; f += WIDTH * N_SUMS)
      for (std::size_t s = 0; s < N_SUMS; ++s) {
        const Some values = some(rows[R] + f + s * WIDTH);
        for (int before = 0; before < R; ++before)
          sums[before][s] += values * some(rows[before] + f + s * WIDTH);
      }
    for (int before = 0; before < R; ++before) {
      float rest = 0.0f;
      for (std::size_t f = n_whole; f < n_features; ++f) rest += rows[R][f] * rows[before][f];
      products[R][before] = rest + total(sums[before]);
    }
  }

 private:
  static float total(const Some* sixteen) {
    float sums[N_LANES];
    __builtin_memcpy(sums, sixteen, sizeof sums);
    for (int half = N_LANES / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    return sums[0];
  }
  static float* address(Floats* items, std::size_t i, int lane) {
    return reinterpret_cast<float*>(items + i) + lane;
  }
  static const float* address(const Floats* items, std::size_t i, int lane) {
    return reinterpret_cast<const float*>(items + i) + lane;
  }
};

}  // namespace
}  // namespace labeltree
