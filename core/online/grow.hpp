// Vectors of which there are many, and of which some are large.
#pragma once

#include <algorithm>
#include <cstddef>

namespace labeltree {

// More elements, with a quarter more room than before if it has to move.
template <class Vector>
void grow(Vector& vector, std::size_t n) {
  if (n > vector.capacity()) vector.reserve(std::max(n, vector.capacity() * 5 / 4));
  vector.resize(n);
}

}  // namespace labeltree
