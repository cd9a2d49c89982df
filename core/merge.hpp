// φ merging: a cheap binary tree over labels from which rows they share.
#pragma once

#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "likeness.hpp"
#include "price.hpp"
#include "sparse.hpp"
#include "tree.hpp"

namespace labeltree {

// Joins the smallest cluster a with the cluster c that minimises the price of their union u plus what is
// still to be paid above it, φ(u) - φ(c), where φ(x) = price per bit * x * log2(n / x). Clusters that share
// rows with a compete with the next smallest one. O(k nnz log m) time for at most k labels a row, O(nnz + m)
// memory. If likeness is given, it has a say in which cluster c is.
NodeLists merge(const LabelRows& rows, int32_t n_labels, Price price, Interrupt& interrupt,
                Likeness* likeness = nullptr);

}  // namespace labeltree
