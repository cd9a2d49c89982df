// Reinsertion sweeps: every leaf and every small subtree is taken out and put where the tree is cheapest.
#pragma once

#include <cstdint>

#include "base/interrupt.hpp"
#include "build/price.hpp"
#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// One sweep over all leaves and all subtrees of at most max_share of the rows, lightest first. A move is made
// only if the exact cost falls, so the tree never gets more expensive. A sweep takes O(d sum of k_i^2) time
// for rows of k_i labels and paths of length d, and O(nnz + m) memory. Labels of rows too long to walk stay
// where they are.
NodeLists sweep(const Tree& tree, const LabelRows& rows, Price price, double max_share, Interrupt& interrupt);

}  // namespace labeltree
