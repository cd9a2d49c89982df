// Array indices from the numbers of nodes, labels, rows and features, which are signed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace labeltree {

inline std::size_t at(int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace labeltree
