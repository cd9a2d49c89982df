// Nodes and labels on their way to a result.
#pragma once

#include <bit>
#include <cstdint>

namespace labeltree {

// A node while searching, a label in results. Rank and index are one number, so that a heap compares them
// without a branch: the higher rank first, of equals the smaller index.
struct Found {
  uint64_t order = 0;
  float probability = 0.0f;  // of the node

  Found() = default;
  Found(float rank, float chance, int32_t index)
      : order(uint64_t{ascending(rank)} << 32 | ~static_cast<uint32_t>(index)), probability(chance) {}

  int32_t index() const { return static_cast<int32_t>(~static_cast<uint32_t>(order)); }
  // Probability times weight: at most this for every label below a node.
  float rank() const {
    const auto bits = static_cast<uint32_t>(order >> 32);
    return std::bit_cast<float>(bits & SIGN ? bits ^ SIGN : ~bits);
  }

 private:
  static constexpr uint32_t SIGN = 0x80000000u;

  // The bits of numbers in the order of the numbers; 0 and -0 are one.
  static uint32_t ascending(float number) {
    const auto bits = std::bit_cast<uint32_t>(number + 0.0f);
    return bits & SIGN ? ~bits : bits | SIGN;
  }
};

// Objects and not functions, so that heaps call them inline.
inline constexpr auto is_worse = [](const Found& a, const Found& b) { return a.order < b.order; };
inline constexpr auto is_better = [](const Found& a, const Found& b) { return is_worse(b, a); };

}  // namespace labeltree
