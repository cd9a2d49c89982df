// What a node costs: rows * (per_row + per_pair * children). The paper's price list is {0, 1}.
#pragma once

#include <cmath>

namespace labeltree {

struct Price {
  double per_row;
  double per_pair;

  double node(double rows, double children) const { return rows * (per_row + per_pair * children); }

  // Cost per row and bit of the best single degree; 3 / log2(3) for the paper's price list. No tree over
  // disjoint labels can pay less for a bit of entropy.
  double per_bit() const {
    double best = node(1.0, 2.0);
    for (double degree = 3.0;; ++degree) {
      const double cost = node(1.0, degree) / std::log2(degree);
      if (cost >= best) return best;  // (a + b d) / log2(d) falls, then rises
      best = cost;
    }
  }
};

}  // namespace labeltree
