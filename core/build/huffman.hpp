// Huffman merging of sorted weights with two queues. Leaves are nodes 0 .. m-1 in the order of the weights,
// inner nodes follow in the order of their making.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace labeltree {

struct Merging {
  std::vector<int32_t> parent;  // -1 for the roots
  std::vector<int64_t> weight;  // of the inner nodes
  std::vector<int32_t> roots;   // ascending weights
  __int128 cost = 0;            // the sum of weight times degree over the inner nodes
};

// Which roots to merge: the first `n_first` merges take `first_arity` of the lightest, later ones `arity`,
// until at most `n_roots` are left. The last merge takes fewer when there are no more.
struct MergeRule {
  std::size_t n_first, first_arity, arity, n_roots;
};

// Weights ascend and are not negative. Leaves of weight 0 are first merged into one node, at no cost.
Merging merge_lightest(std::span<const int64_t> weights, const MergeRule& rule);

// Parents of the cheaper of the two Huffman trees whose merges all take `arity` roots, but for the first
// or the last. Throws std::invalid_argument if there are no weights or the arity is below 2.
std::vector<int32_t> huffman(std::span<const int64_t> weights, std::size_t arity);

}  // namespace labeltree
