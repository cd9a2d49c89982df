// A scaling with the arrays that it looks at; made by data.cpp, used by search.cpp.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "data/row_scaling.hpp"

namespace labeltree::bind {

struct BoundScaling {
  F32 weights;
  I32 pair_begin, pair_partners;
  std::vector<uint64_t> filter;
  RowScaling scaling;
};

}  // namespace labeltree::bind
