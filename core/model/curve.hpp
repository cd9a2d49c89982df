// Calibration: a rising map of probabilities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

namespace labeltree {

// Linear between knots, at least two; no knots for no map.
struct Curve {
  std::span<const double> x, y;

  // As calibration/curve.py has it: the end of a piece is never above the beginning of the next one.
  float operator()(float probability) const {
    if (x.empty()) return probability;
    const double before = probability;
    const auto above = std::ranges::upper_bound(x, before) - x.begin();
    const auto piece = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, std::ssize(x) - 2));
    const double slope = (y[piece + 1] - y[piece]) / (x[piece + 1] - x[piece]);
    return static_cast<float>(std::min(y[piece] + (before - x[piece]) * slope, y[piece + 1]));
  }
};

inline void check(const Curve& curve) {
  if (curve.x.size() != curve.y.size() || curve.x.size() == 1)
    throw std::invalid_argument("a curve has at least two knots");
}

}  // namespace labeltree
