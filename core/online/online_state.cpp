// OnlineModel as arrays, from arrays, and on another tree.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "base/index.hpp"
#include "base/random.hpp"
#include "online/online_model.hpp"

namespace labeltree {
namespace {

// The leaf of a model from elsewhere has not kept what its rows look like: what is searched under it first
// is likely to be the label that was there (88 %).
constexpr float STARTING_TWIN = -2.0f;

Tree tree_of(std::span<const int32_t> parent, std::span<const int32_t> label) {
  if (parent.empty() || parent.size() != label.size() || parent[0] != -1 || label[0] != -1)
    throw std::invalid_argument("parents and labels must begin with what is above the root");
  std::vector<int32_t> below(parent.begin() + 1, parent.end());
  for (int32_t& p : below) {
    if (p < 0) throw std::invalid_argument("a tree has one root");
    --p;
  }
  Tree tree(below, label.subspan(1));
  if (!std::ranges::equal(tree.parents(), below) || !std::ranges::equal(tree.labels(), label.subspan(1)))
    throw std::invalid_argument("nodes must be numbered breadth first, and none have one child");
  return tree;
}

OnlineTree online_tree(const OnlineView& arrays, std::size_t n_planes) {
  if (arrays.parent.size() == 1 && arrays.label.size() == 1) return OnlineTree(n_planes);
  return OnlineTree(tree_of(arrays.parent, arrays.label), n_planes);
}

void check_sizes(const OnlineView& arrays) {
  const std::size_t n = arrays.parent.size();
  const auto begin = arrays.row_begin;
  if (arrays.n_rows.size() != n || begin.size() != n + 1 || begin[0] != 0 ||
      begin[n] != static_cast<int64_t>(arrays.features.size()))
    throw std::invalid_argument("every node has a number of rows and features");
  if (!std::ranges::is_sorted(begin)) throw std::invalid_argument("features of nodes must not overlap");
}

void check_values(const OnlineView& arrays, const OnlineCounts& counts, std::size_t n_features) {
  for (const int64_t n_rows : arrays.n_rows)
    if (n_rows < 0 || n_rows > counts.n_rows)
      throw std::invalid_argument("a node must have learned 0 to " + std::to_string(counts.n_rows) +
                                  " rows, but one has " + std::to_string(n_rows));
  for (const int32_t feature : arrays.features)
    if (feature < -1 || (feature >= 0 && at(feature) >= n_features))
      throw std::invalid_argument("feature " + std::to_string(feature) + " is outside 0.." +
                                  std::to_string(static_cast<int64_t>(n_features) - 1));
  if (!std::ranges::all_of(arrays.numbers, [](float number) { return std::isfinite(number); }))
    throw std::invalid_argument("numbers of an online state must be finite");
}

// A number for the set of labels below each node; different sets have different numbers but for a chance of
// 2^-64 per pair.
std::vector<uint64_t> set_numbers(const OnlineTree& tree) {
  std::vector<uint64_t> numbers(tree.size());
  std::vector<int32_t> order = tree.breadth_first();
  order.insert(order.begin(), OnlineTree::ABOVE);
  for (std::size_t i = order.size(); i-- > 0;) {
    const OnlineNode& node = tree.node(order[i]);
    uint64_t& number = numbers[at(order[i])];
    if (node.label >= 0) number = stream(0, static_cast<uint64_t>(node.label));
    for (const int32_t c : node.children) number += numbers[at(c)];
  }
  return numbers;
}

}  // namespace

OnlineModel::OnlineModel(const OnlineView& arrays, const OnlineCounts& counts, std::size_t n_features,
                         const OnlineSettings& settings)
    : settings_(settings),
      n_features_(n_features),
      tree_(online_tree(arrays, settings.learning.n_planes())),
      counts_(counts) {
  check_sizes(arrays);
  check_values(arrays, counts, n_features);
  std::size_t place = 0;
  for (std::size_t v = 0; v < arrays.parent.size(); ++v) {
    OnlineNode& node = tree_.node(static_cast<int32_t>(v));
    const auto first = at(arrays.row_begin[v]), n = at(arrays.row_begin[v + 1]) - first;
    const std::size_t row_size = node.store.row_size();
    if (n > (arrays.numbers.size() - place) / row_size)
      throw std::invalid_argument("numbers must be there for every feature");
    node.store.restore(arrays.features.subspan(first, n), arrays.numbers.subspan(place, n * row_size));
    node.n_rows = arrays.n_rows[v];
    place += n * row_size;
  }
  if (place != arrays.numbers.size()) throw std::invalid_argument("there are more numbers than features");
}

OnlineArrays OnlineModel::arrays() const {
  OnlineArrays made;
  std::vector<int32_t> order = tree_.breadth_first(), number(tree_.size(), -1);
  order.insert(order.begin(), OnlineTree::ABOVE);
  for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int32_t>(i);
  made.row_begin.push_back(0);
  for (const int32_t v : order) {
    const OnlineNode& node = tree_.node(v);
    made.parent.push_back(node.parent < 0 ? -1 : number[at(node.parent)]);
    made.label.push_back(node.label);
    made.n_rows.push_back(node.n_rows);
    const auto features = node.store.features();
    made.features.insert(made.features.end(), features.begin(), features.end());
    made.numbers.insert(made.numbers.end(), node.store.data().begin(), node.store.data().end());
    made.row_begin.push_back(static_cast<int64_t>(made.features.size()));
  }
  return made;
}

void OnlineModel::add_labels(std::size_t n) {
  mark({});
  for (std::size_t i = 0; i < n; ++i)
    tree_.insert({}, settings_.learning.intercept_scaling, {}, settings_.growth, space_);
}

NodeLists OnlineModel::nodes() const {
  const std::vector<int32_t> order = tree_.breadth_first();
  std::vector<int32_t> number(tree_.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int32_t>(i);
  NodeLists made;
  for (const int32_t v : order) {
    made.parent.push_back(number[at(tree_.node(v).parent)]);
    made.label.push_back(tree_.node(v).label);
  }
  return made;
}

NodeWeights OnlineModel::weights(std::size_t first, std::size_t last, float weight_threshold) const {
  const std::vector<int32_t> order = tree_.breadth_first();
  if (first > last || last > order.size()) throw std::invalid_argument("no such nodes");
  NodeWeights made;
  int32_t known = -1;
  std::vector<uint32_t> by_feature;
  for (std::size_t i = first; i < last; ++i) {
    const OnlineNode& node = tree_.node(order[i]);
    const OnlineStore& store = tree_.node(node.parent).store;
    if (node.parent != known) {
      known = node.parent;
      by_feature.resize(store.n_rows());
      std::iota(by_feature.begin(), by_feature.end(), 0u);
      const auto features = store.features();
      std::ranges::sort(by_feature, {}, [&](uint32_t row) { return features[row]; });
    }
    const auto lane = at(node.position) + 1;
    made.nodes.push_back(static_cast<int32_t>(i));
    made.bias.push_back(store.number(0, 0, lane, false) * settings_.learning.intercept_scaling);
    for (const uint32_t row : by_feature) {
      const float weight = store.number(row, 0, lane, false);
      if (row == 0 || !(std::abs(weight) > weight_threshold)) continue;
      made.features.push_back(store.features()[row]);
      made.values.push_back(weight);
    }
    made.indptr.push_back(static_cast<int64_t>(made.features.size()));
  }
  return made;
}

void OnlineModel::set_warm_start(OnlineStore& store, std::size_t row, std::size_t lane, bool is_twin,
                                 float weight, float squared_gradients) {
  store.number(row, 0, lane, is_twin) = weight;
  store.number(row, 1, lane, is_twin) = squared_gradients;
  if (settings_.learning.optimizer != Optimizer::ftrl) return;
  const float scale =
      (settings_.learning.smoothing + std::sqrt(squared_gradients)) / settings_.learning.learning_rate +
      settings_.learning.l2;
  store.number(row, 2, lane, is_twin) = -(weight * scale + std::copysign(settings_.learning.l1, weight));
}

void OnlineModel::warm_start(int32_t node, const NodeWeights& children, float squared_gradients) {
  if (node < -1 || node + 1 >= static_cast<int32_t>(tree_.size()))
    throw std::invalid_argument("no such node");
  OnlineNode& parent = tree_.node(node + 1);
  if (children.bias.size() != parent.children.size() || children.indptr.size() != children.bias.size() + 1)
    throw std::invalid_argument("every child has weights");
  OnlineStore& store = parent.store;
  const float scale =
      settings_.learning.intercept_scaling > 0.0f ? 1.0f / settings_.learning.intercept_scaling : 0.0f;
  float mean = 0.0f;
  for (std::size_t i = 0; i < parent.children.size(); ++i) {
    const float bias = children.bias[i] * scale;
    mean += bias / static_cast<float>(parent.children.size());
    set_warm_start(store, 0, i + 1, false, bias, squared_gradients);
    for (std::size_t e = at(children.indptr[i]); e < at(children.indptr[i + 1]); ++e)
      set_warm_start(store, store.find_or_add(children.features[e]), i + 1, false, children.values[e],
                     squared_gradients);
    if (tree_.is_leaf(parent.children[i]))
      set_warm_start(store, 0, i + 1, true, STARTING_TWIN * scale, squared_gradients);
  }
  set_warm_start(store, 0, 0, false, mean, squared_gradients);
}

void OnlineModel::prune(std::size_t max_weights) {
  struct Cut {
    float largest;
    uint32_t n_weights;
  };
  std::vector<Cut> cuts;
  std::size_t left = n_weights();
  if (left <= max_weights) return;
  for (std::size_t v = 0; v < tree_.size(); ++v) {
    const OnlineStore& store = tree_.node(static_cast<int32_t>(v)).store;
    for (std::size_t row = 1; row < store.n_rows(); ++row)
      cuts.push_back({store.largest(row), static_cast<uint32_t>(store.n_lanes())});
  }
  std::ranges::sort(cuts, {}, &Cut::largest);
  // A quarter below the limit, so that it takes a while until it is reached again.
  const std::size_t target = max_weights / 4 * 3;
  float least = 0.0f;
  for (std::size_t i = 0; i < cuts.size() && left > target; ++i) {
    least = cuts[i].largest;
    left -= cuts[i].n_weights;
  }
  for (std::size_t v = 0; v < tree_.size(); ++v) tree_.node(static_cast<int32_t>(v)).store.prune(least);
}

OnlineModel OnlineModel::rebuilt(const Tree& tree, std::vector<uint8_t>& is_new) const {
  if (tree.n_labels() != tree_.n_labels()) throw std::invalid_argument("the tree must have the same labels");
  OnlineModel made(tree, n_features_, settings_);
  made.counts_ = counts_;
  const auto old_sets = set_numbers(tree_), new_sets = set_numbers(made.tree_);
  std::unordered_map<uint64_t, int32_t> old_node;
  for (const int32_t v : tree_.breadth_first()) old_node[old_sets[at(v)]] = v;
  const auto find = [&](int32_t v) {
    const auto found = old_node.find(new_sets[at(v)]);
    return found == old_node.end() ? -1 : found->second;
  };
  is_new.assign(made.tree_.size(), 0);
  for (int32_t v = static_cast<int32_t>(made.tree_.size()) - 1; v >= 0; --v) {
    OnlineNode& node = made.tree_.node(v);
    const int32_t old = v == OnlineTree::ABOVE ? OnlineTree::ABOVE : find(v);
    if (old >= 0) node.n_rows = tree_.node(old).n_rows;
    if (node.label >= 0) continue;
    std::size_t n_kept = 0;
    for (const int32_t c : node.children) {
      const int32_t same = find(c);
      if (same < 0) continue;
      const OnlineNode& from = tree_.node(same);
      const OnlineStore& store = tree_.node(from.parent).store;
      const auto lane = at(made.tree_.node(c).position) + 1;
      node.store.copy(store, at(from.position) + 1, false, lane, false, 1.0f);
      if (made.tree_.is_leaf(c)) node.store.copy(store, at(from.position) + 1, true, lane, true, 1.0f);
      n_kept += old >= 0 && from.parent == old;
    }
    if (old >= 0) node.store.copy(tree_.node(old).store, 0, false, 0, false, 1.0f);
    is_new[at(v)] = n_kept != node.children.size();
  }
  return made;
}

}  // namespace labeltree
