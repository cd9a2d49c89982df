// What a node costs: rows * (per_row + per_pair * children). The paper's price list is {0, 1}.
#pragma once

#include <algorithm>
#include <cmath>

namespace labeltree {

struct Price {
  double per_row;
  double per_pair;

  double node(double rows, double children) const { return rows * (per_row + per_pair * children); }

  // Cost per row and bit of the best single degree; 3 / log2(3) for the paper's price list. No tree over
  // disjoint labels can pay less for a bit of entropy.
  double per_bit() const {
    // The cost falls up to the degree d with per_pair d (ln d - 1) = per_row, then rises: the best whole
    // degree is one of the two beside it. Labels are int32, so no node has more children than `high`.
    double low = 2.0, high = 2147483648.0;
    while (high - low > 1.0) {
      const double middle = std::floor((low + high) / 2);
      (per_pair * middle * (std::log(middle) - 1.0) < per_row ? low : high) = middle;
    }
    return std::min(bit(low), bit(high));
  }

 private:
  double bit(double degree) const { return node(1.0, degree) / std::log2(degree); }
};

}  // namespace labeltree
