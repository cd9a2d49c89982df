// Packs: groups of nodes that are trained side by side in one pass over the rows of the group's top.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace labeltree {

// The parent of every node of a pack is its top or another node of it. The rows of a pack are those of its
// top; -1 is above the root and has all rows. A pack with very many rows has one slice of them, and the same
// nodes have packs with the other slices: their weights are the mean over all slices.
struct Pack {
  int32_t top;
  std::vector<int32_t> nodes;
  int32_t slice = 0, n_slices = 1;
};

// Puts every node that must be trained into one pack of at most max_nodes: nodes that no row is positive for
// need no training, and the root needs it only if some rows have no label. A pack starts with children of its
// top and takes in the children of its heaviest nodes while they fit, since those share most rows with the
// top: cheap trees have narrow nodes, and a pack of one node's children would leave most lanes idle.
std::vector<Pack> make_packs(const Tree& tree, std::span<const int64_t> weights, bool with_root,
                             std::size_t max_nodes);

// Replaces each pack under the root, or with it, by packs with slices of its rows, unless some node has fewer
// than min_positive positive rows for each slice.
std::vector<Pack> sliced(std::vector<Pack> packs, std::span<const int64_t> weights, int32_t n_slices,
                         int64_t min_positive);

// Puts every leaf that some row is positive for into one pack of at most max_nodes. Leaves of a pack are
// close to each other in the tree, so that they share many rows. The top of such a pack only names it: it is
// the first of its leaves.
std::vector<Pack> make_leaf_packs(const Tree& tree, std::span<const int64_t> weights, std::size_t max_nodes);

}  // namespace labeltree
