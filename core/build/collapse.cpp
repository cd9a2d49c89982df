#include "build/collapse.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace labeltree {
namespace {

// Breakpoints of concave functions, each in a heap from below and in one from above, so that both ends can be
// taken off and two functions added in O(log) time. Taking a breakpoint from one end leaves a dead entry in
// the other heap.
class Breakpoints {
 public:
  struct Ends {
    int32_t low = -1, high = -1;  // tops of the two heaps
  };

  void add(Ends& ends, double x, double drop) {
    const auto id = static_cast<int32_t>(points_.size());
    points_.push_back({x, drop, {}, {}});
    ends = {meld<0>(ends.low, id), meld<1>(ends.high, id)};
  }
  Ends join(Ends a, Ends b) { return {meld<0>(a.low, b.low), meld<1>(a.high, b.high)}; }

  // The breakpoint at one end, or -1.
  int32_t lowest(Ends& ends) { return top<0>(ends.low); }
  int32_t highest(Ends& ends) { return top<1>(ends.high); }
  void remove(int32_t id) { points_[at(id)].drop = DEAD; }
  double x(int32_t id) const { return points_[at(id)].x; }
  double drop(int32_t id) const { return points_[at(id)].drop; }

 private:
  static constexpr double DEAD = -1.0;
  struct Links {
    int32_t left = -1, right = -1, rank = 1;
  };
  struct Point {
    double x, drop;
    Links low, high;
  };

  template <int Side>
  Links& links(int32_t id) {
    return Side == 0 ? points_[at(id)].low : points_[at(id)].high;
  }
  template <int Side>
  bool before(int32_t a, int32_t b) const {
    return Side == 0 ? x(a) <= x(b) : x(a) >= x(b);
  }

  // Leftist heaps: the right spine is logarithmic, so the recursion is shallow.
  template <int Side>
  int32_t meld(int32_t a, int32_t b) {
    if (a < 0) return b;
    if (b < 0) return a;
    if (!before<Side>(a, b)) std::swap(a, b);
    const int32_t right = meld<Side>(links<Side>(a).right, b);
    Links& link = links<Side>(a);
    link.right = right;
    const int32_t left_rank = link.left < 0 ? 0 : links<Side>(link.left).rank;
    const int32_t right_rank = links<Side>(right).rank;
    if (left_rank < right_rank) std::swap(link.left, link.right);
    link.rank = 1 + std::min(left_rank, right_rank);
    return a;
  }
  template <int Side>
  int32_t top(int32_t& root) {
    while (root >= 0 && points_[at(root)].drop == DEAD)
      root = meld<Side>(links<Side>(root).left, links<Side>(root).right);
    return root;
  }

  std::vector<Point> points_;
};

// f(u, x) for x >= x0. All breakpoints and x0 are whole numbers, because weights are: with whole prices every
// value here is a whole number too, and doubles are exact.
struct Concave {
  double x0 = 0.0, value = 0.0, slope = 0.0;       // at x0
  double last_value_at_0 = 0.0, last_slope = 0.0;  // of the line behind the last breakpoint
  Breakpoints::Ends ends;
};

class Collapser {
 public:
  Collapser(const Tree& tree, std::span<const int64_t> weights, Price price)
      : tree_(tree), weights_(weights), price_(price), keep_from_(tree.n_nodes(), 0.0) {}

  NodeLists run() {
    std::vector<Concave> costs(tree_.n_nodes());
    for (auto u = static_cast<int32_t>(tree_.n_nodes()) - 1; u >= 0; --u) {
      Concave& cost = costs[at(u)];
      if (tree_.degree(u) == 0) {
        cost.slope = cost.last_slope = price_.per_pair;
        continue;
      }
      cost.x0 = weight(u);
      for (int32_t c = tree_.first_child(u); c < tree_.first_child(u + 1); ++c) add(cost, costs[at(c)]);
      if (u > 0) keep_from_[at(u)] = cut(cost, weight(u));
    }
    return kept_nodes();
  }

 private:
  double weight(int32_t u) const { return static_cast<double>(weights_[at(u)]); }

  void advance(Concave& cost, double x) {
    for (int32_t b = points_.lowest(cost.ends); b >= 0 && points_.x(b) <= x; b = points_.lowest(cost.ends)) {
      cost.value += cost.slope * (points_.x(b) - cost.x0);
      cost.x0 = points_.x(b);
      cost.slope -= points_.drop(b);
      points_.remove(b);
    }
    cost.value += cost.slope * (x - cost.x0);
    cost.x0 = x;
  }

  void add(Concave& sum, Concave& term) {
    advance(term, sum.x0);
    sum.value += term.value;
    sum.slope += term.slope;
    sum.last_value_at_0 += term.last_value_at_0;
    sum.last_slope += term.last_slope;
    sum.ends = points_.join(sum.ends, term.ends);
  }

  // Replaces the sum g over u's children (u removed) by min(g(x), x + K) (u removed or kept) and returns the
  // smallest whole x for which keeping u is cheaper. g(x) - x - K rises, so there is one crossing.
  double cut(Concave& g, double w) {
    if (w <= 0) return 0.0;
    const double kept_at_0 = price_.per_row * w + g.value;  // K
    const double pair = price_.per_pair;
    const auto keeping_is_cheaper = [&](double x) {
      return g.last_value_at_0 + g.last_slope * x > kept_at_0 + pair * x;
    };
    for (int32_t b = points_.highest(g.ends); b >= 0 && keeping_is_cheaper(points_.x(b));
         b = points_.highest(g.ends)) {
      g.last_slope += points_.drop(b);
      g.last_value_at_0 -= points_.drop(b) * points_.x(b);
      points_.remove(b);
    }
    double x = std::floor((kept_at_0 - g.last_value_at_0) / (g.last_slope - pair)) + 1.0;
    while (keeping_is_cheaper(x - 1.0)) x -= 1.0;  // the division may have rounded
    while (!keeping_is_cheaper(x)) x += 1.0;
    const double before = g.last_value_at_0 + g.last_slope * (x - 1.0);
    const double step = kept_at_0 + pair * x - before;
    bend(g, x - 1.0, g.last_slope - step);
    bend(g, x, step - pair);
    g.last_value_at_0 = kept_at_0;
    g.last_slope = pair;
    return x;
  }

  void bend(Concave& g, double x, double drop) {
    if (drop <= 0) return;
    if (x <= g.x0)
      g.slope -= drop;
    else
      points_.add(g.ends, x, drop);
  }

  NodeLists kept_nodes() const {
    NodeLists nodes;
    std::vector<int32_t> anchor(tree_.n_nodes(), 0);  // the new number of the node or its kept ancestor
    std::vector<double> above(tree_.n_nodes(), 0.0);  // the weight of that node
    for (int32_t u = 0; u < static_cast<int32_t>(tree_.n_nodes()); ++u) {
      const int32_t p = tree_.parent(u);
      const bool kept = p < 0 || tree_.degree(u) == 0 || above[at(p)] >= keep_from_[at(u)];
      anchor[at(u)] = kept ? static_cast<int32_t>(nodes.parent.size()) : anchor[at(p)];
      above[at(u)] = kept ? weight(u) : above[at(p)];
      if (!kept) continue;
      nodes.parent.push_back(p < 0 ? -1 : anchor[at(p)]);
      nodes.label.push_back(tree_.label(u));
    }
    return nodes;
  }

  const Tree& tree_;
  std::span<const int64_t> weights_;
  Price price_;
  std::vector<double> keep_from_;  // [node] keep it where the nearest kept ancestor weighs at least this
  Breakpoints points_;
};

}  // namespace

NodeLists collapse(const Tree& tree, std::span<const int64_t> weights, Price price) {
  if (weights.size() != tree.n_nodes()) throw std::invalid_argument("a tree has one weight a node");
  return Collapser(tree, weights, price).run();
}

}  // namespace labeltree
