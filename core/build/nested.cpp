#include "build/nested.hpp"

#include <cstddef>
#include <stdexcept>

namespace labeltree {
namespace {

using Wide = __int128;  // a cost may be a million labels times a count

// What the first `size` labels add to a group of weight a above them, as a line in a.
struct Line {
  int64_t slope;  // falling
  Wide value;     // at a = 0
  int32_t size;

  Wide at(int64_t a) const { return value - Wide{slope} * a; }
};

// Whether `middle` is nowhere below both others; slopes ascend from left to right.
bool is_hidden(const Line& left, const Line& middle, const Line& right) {
  return (right.value - left.value) * (middle.slope - left.slope) <=
         (middle.value - left.value) * (right.slope - left.slope);
}

// previous[j]: how many of the first j labels lie under the inner child of their top node.
std::vector<int32_t> split_points(std::span<const int64_t> weights) {
  const auto m = static_cast<int64_t>(weights.size());
  std::vector<int32_t> previous(weights.size() + 1, 0);
  // The cost of the first j labels is f(j) = (j + 1) a_j + min over i of f(i) - i a_j, where i = 0 (no inner
  // child) has slope 1 and i = 1 (an inner node of degree one) is left out. Slopes and queries ascend, so the
  // lower envelope is a queue.
  std::vector<Line> hull{{1, 0, 0}};
  std::size_t head = 0;
  for (int64_t j = 2; j <= m; ++j) {
    const int64_t a = weights[static_cast<std::size_t>(j - 1)];
    while (head + 1 < hull.size() && hull[head + 1].at(a) < hull[head].at(a)) ++head;
    previous[static_cast<std::size_t>(j)] = hull[head].size;
    const Line line{j, Wide{j + 1} * a + hull[head].at(a), static_cast<int32_t>(j)};
    while (hull.size() >= head + 2 && is_hidden(hull[hull.size() - 2], hull.back(), line)) hull.pop_back();
    hull.push_back(line);
  }
  return previous;
}

}  // namespace

std::vector<int32_t> nested(std::span<const int64_t> weights) {
  if (weights.empty()) throw std::invalid_argument("a tree needs at least one label");
  const std::vector<int32_t> previous = split_points(weights);
  std::vector<int32_t> parent(weights.size(), -1);
  int32_t above = -1;
  for (auto end = static_cast<int32_t>(weights.size()); weights.size() > 1 && end > 0;) {
    const auto node = static_cast<int32_t>(parent.size());
    parent.push_back(above);
    const int32_t begin = previous[static_cast<std::size_t>(end)];
    for (int32_t j = begin; j < end; ++j) parent[static_cast<std::size_t>(j)] = node;
    above = node;
    end = begin;
  }
  return parent;
}

}  // namespace labeltree
