// Where the paths of two leaves meet.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Leaves have places, from left to right. The deepest node above two leaves is the smallest of the nodes in
// which neighbors between them meet, because nodes are numbered breadth first. The smallest of a range is
// found in a table of blocks: O(m) memory and a few steps for every pair, however deep the tree.
class MeetingNodes {
 public:
  explicit MeetingNodes(const Tree& tree);

  int32_t place(int32_t label) const { return place_[at(label)]; }
  int32_t leaf(int32_t place) const { return leaf_[at(place)]; }
  // The deepest node above the leaves at two places, the first before the second.
  int32_t of(int32_t first, int32_t second) const;

 private:
  static constexpr std::size_t BLOCK = 16;

  std::vector<int32_t> place_;                // [label]
  std::vector<int32_t> leaf_;                 // [place]
  std::vector<int32_t> meeting_;              // [place] of its leaf and the next
  std::vector<std::vector<int32_t>> blocks_;  // [k][b] smallest of the blocks b .. b + 2^k - 1
};

inline int32_t MeetingNodes::of(int32_t first, int32_t second) const {
  const auto begin = at(first), end = at(second);
  const std::size_t block = begin / BLOCK + 1, last = end / BLOCK;
  const auto smallest = [&](std::size_t from, std::size_t to) {
    return *std::min_element(meeting_.data() + from, meeting_.data() + to);
  };
  if (block > last) return smallest(begin, end);
  int32_t found = smallest(begin, block * BLOCK);
  if (last * BLOCK < end) found = std::min(found, smallest(last * BLOCK, end));
  if (block == last) return found;
  const auto k = static_cast<std::size_t>(std::bit_width(last - block) - 1);
  return std::min({found, blocks_[k][block], blocks_[k][last - (std::size_t{1} << k)]});
}

}  // namespace labeltree
