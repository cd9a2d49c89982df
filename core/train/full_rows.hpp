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

template <int N>
struct FullRows {
  const float* rows[N];
  std::size_t n_features;

  // scores[r] += the weights times row r.
  void add_scores(const Floats* weights, Floats* scores) const {
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      Some sums[N];
      for (std::size_t r = 0; r < N; ++r) sums[r] = some(address(scores, r, lane));
      for (std::size_t f = 0; f < n_features; ++f) {
        const Some weight = some(address(weights, f, lane));
        for (int r = 0; r < N; ++r) sums[r] += weight * rows[r][f];
      }
      for (std::size_t r = 0; r < N; ++r) put(sums[r], address(scores, r, lane));
    }
  }

  // weights += changes[r] times row r, for all rows.
  void add_to(Floats* weights, const Floats* changes) const {
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      Some by[N];
      for (std::size_t r = 0; r < N; ++r) by[r] = some(address(changes, r, lane));
      for (std::size_t f = 0; f < n_features; ++f) {
        Some weight = some(address(weights, f, lane));
        for (int r = 0; r < N; ++r) weight += by[r] * rows[r][f];
        put(weight, address(weights, f, lane));
      }
    }
  }

  // Products of row r with each row before it. Sixteen sums at every width, so that all give the same bits.
  void multiply(int r, float* products) const {
    constexpr std::size_t N_SUMS = N_LANES / WIDTH;
    for (int before = 0; before < r; ++before) {
      Some sums[N_SUMS] = {};
      std::size_t f = 0;
      for (; f + N_LANES <= n_features; f += N_LANES)
        for (std::size_t s = 0; s < N_SUMS; ++s)
          sums[s] += some(rows[r] + f + s * WIDTH) * some(rows[before] + f + s * WIDTH);
      float product = 0.0f;
      for (; f < n_features; ++f) product += rows[r][f] * rows[before][f];
      for (const Some& sum : sums)
        for (int l = 0; l < WIDTH; ++l) product += sum[l];
      products[before] = product;
    }
  }

 private:
  static float* address(Floats* items, std::size_t i, int lane) {
    return reinterpret_cast<float*>(items + i) + lane;
  }
  static const float* address(const Floats* items, std::size_t i, int lane) {
    return reinterpret_cast<const float*>(items + i) + lane;
  }
};

}  // namespace
}  // namespace labeltree
