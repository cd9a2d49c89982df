// Nodes and labels on their way to a result.
#pragma once

#include <cstdint>

namespace labeltree {

struct Found {
  float rank;         // probability times weight: at most this for every label below a node
  float probability;  // of the node
  int32_t index;      // node while searching, label in results
};

// The best first; of equals the smaller number. Objects and not functions, so that heaps call them inline.
constexpr auto is_worse = [](const Found& a, const Found& b) {
  return a.rank < b.rank || (a.rank == b.rank && a.index > b.index);
};
constexpr auto is_better = [](const Found& a, const Found& b) { return is_worse(b, a); };

}  // namespace labeltree
