// A model with the arrays that it looks at, which may be parts of a mapped file; made by model.cpp, used by
// search.cpp.
#pragma once

#include "arrays.hpp"
#include "model/tree_model.hpp"

namespace labeltree::bind {

struct BoundModel {
  std::tuple<nb::object, F32, F32, U8, I64, I64, U32, U8> keep;
  TreeModel model;

  // Throws for a number that is not a node; the smallest is 0, or -1 for what is above the root.
  void check_node(int32_t node, int32_t smallest) const {
    if (node < smallest || node >= static_cast<int32_t>(model.tree().n_nodes()))
      throw std::invalid_argument("no such node: " + std::to_string(node));
  }
};

}  // namespace labeltree::bind
