// Binary trees from trees of any degree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace labeltree {

// Parents of the tree in which the children of each node are joined by Huffman merging of their weights.
// Nodes keep their numbers, new ones follow. Throws std::invalid_argument unless there is one weight per
// node.
std::vector<int32_t> binarize(const Tree& tree, std::span<const int64_t> weights);

}  // namespace labeltree
