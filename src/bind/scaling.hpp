// A scaling with the array that it looks at; made by data.cpp, used by search.cpp.
#pragma once

#include "arrays.hpp"
#include "data/row_scaling.hpp"

namespace labeltree::bind {

struct BoundScaling {
  F32 weights;
  RowScaling scaling;
};

}  // namespace labeltree::bind
