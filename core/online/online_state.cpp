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

OnlineTree online_tree(const OnlineView& arrays, const OptimizerSettings& settings) {
  if (arrays.parent.size() == 1 && arrays.label.size() == 1) return OnlineTree(settings);
  return OnlineTree(tree_of(arrays.parent, arrays.label), settings);
}

void check_ends(std::span<const int64_t> begin, std::size_t n_nodes, std::size_t last, const char* what) {
  if (begin.size() != n_nodes + 1 || begin[0] != 0 || begin[n_nodes] != static_cast<int64_t>(last) ||
      !std::ranges::is_sorted(begin))
    throw std::invalid_argument(std::string(what) + " must ascend from 0 to " + std::to_string(last));
}

void check_sizes(const OnlineView& arrays) {
  const std::size_t n = arrays.parent.size();
  const StoreView& stores = arrays.stores;
  if (arrays.n_rows.size() != n) throw std::invalid_argument("every node must have a number of rows");
  check_ends(arrays.row_begin, n, stores.features.size(), "row_begin");
  check_ends(arrays.loose_begin, n, stores.loose_features.size(), "loose_begin");
  check_ends(arrays.example_begin, n,
             arrays.example_begin.empty() ? 0 : at(std::max<int64_t>(arrays.example_begin.back(), 0)),
             "example_begin");
  if (stores.forms.size() != stores.features.size())
    throw std::invalid_argument("every feature must have a form");
  if (stores.loose_lanes.size() != stores.loose_features.size())
    throw std::invalid_argument("every loose feature must have a lane");
  if (stores.values.size() != stores.examples.size())
    throw std::invalid_argument("every example of a feature must have a value");
}

void check_values(const OnlineView& arrays, const OnlineCounts& counts, std::size_t n_features) {
  for (const int64_t n_rows : arrays.n_rows)
    if (n_rows < 0 || n_rows > counts.n_rows)
      throw std::invalid_argument("a node must have learned 0 to " + std::to_string(counts.n_rows) +
                                  " rows, but one has " + std::to_string(n_rows));
  for (const auto features : {arrays.stores.features, arrays.stores.loose_features})
    for (const int32_t feature : features)
      if (feature < -1 || (feature >= 0 && at(feature) >= n_features))
        throw std::invalid_argument("feature " + std::to_string(feature) + " is outside 0.." +
                                    std::to_string(static_cast<int64_t>(n_features) - 1));
  const StoreView& stores = arrays.stores;
  for (const auto numbers : {stores.numbers, stores.values, stores.gradients, stores.loose_numbers})
    if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
      throw std::invalid_argument("numbers of an online state must be finite");
}

// The next n of an array that is read from its beginning.
template <class T>
std::span<const T> take(std::span<const T>& from, std::size_t n, const char* what) {
  if (n > from.size()) throw std::invalid_argument(std::string(what) + " must be there for every feature");
  const auto taken = from.first(n);
  from = from.subspan(n);
  return taken;
}

// Takes the store of one node from the beginning of `left`.
StoreView take_store(StoreView& left, const OnlineStore& store, std::size_t n_features,
                     std::size_t n_examples, std::size_t n_loose) {
  StoreView made;
  made.features = take(left.features, n_features, "features");
  made.forms = take(left.forms, n_features, "forms");
  made.loose_features = take(left.loose_features, n_loose, "loose_features");
  made.loose_lanes = take(left.loose_lanes, n_loose, "loose_lanes");
  if (n_examples > left.gradients.size()) throw std::invalid_argument("every example must have gradients");
  const StoreSizes sizes = store.sizes(made.forms, n_examples, n_loose);
  made.numbers = take(left.numbers, sizes.numbers, "numbers");
  made.examples = take(left.examples, sizes.examples, "examples");
  made.values = take(left.values, sizes.examples, "values");
  made.gradients = take(left.gradients, sizes.gradients, "gradients");
  made.loose_numbers = take(left.loose_numbers, sizes.loose_numbers, "loose_numbers");
  return made;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(StoreArrays& to, const StoreArrays& from) {
  append(to.features, from.features);
  append(to.forms, from.forms);
  append(to.numbers, from.numbers);
  append(to.examples, from.examples);
  append(to.values, from.values);
  append(to.gradients, from.gradients);
  append(to.loose_features, from.loose_features);
  append(to.loose_lanes, from.loose_lanes);
  append(to.loose_numbers, from.loose_numbers);
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
      tree_(online_tree(arrays, settings.learning)),
      counts_(counts) {
  check_sizes(arrays);
  check_values(arrays, counts, n_features);
  StoreView left = arrays.stores;
  const auto length = [](std::span<const int64_t> begin, std::size_t v) {
    return at(begin[v + 1] - begin[v]);
  };
  for (std::size_t v = 0; v < arrays.parent.size(); ++v) {
    OnlineNode& node = tree_.node(static_cast<int32_t>(v));
    node.store().restore(take_store(left, node.store(), length(arrays.row_begin, v),
                                    length(arrays.example_begin, v), length(arrays.loose_begin, v)));
    node.n_rows = arrays.n_rows[v];
  }
  if (!left.numbers.empty() || !left.examples.empty() || !left.gradients.empty() ||
      !left.loose_numbers.empty())
    throw std::invalid_argument("there are more numbers than features");
}

OnlineArrays OnlineModel::arrays() const {
  OnlineArrays made;
  std::vector<int32_t> order = tree_.breadth_first(), number(tree_.size(), -1);
  order.insert(order.begin(), OnlineTree::ABOVE);
  for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int32_t>(i);
  for (auto* begin : {&made.row_begin, &made.example_begin, &made.loose_begin}) begin->push_back(0);
  for (const int32_t v : order) {
    const OnlineNode& node = tree_.node(v);
    made.parent.push_back(node.parent < 0 ? -1 : number[at(node.parent)]);
    made.label.push_back(node.label);
    made.n_rows.push_back(node.n_rows);
    const StoreArrays store = node.store().arrays();
    append(made.stores, store);
    made.row_begin.push_back(static_cast<int64_t>(made.stores.features.size()));
    made.example_begin.push_back(
        made.example_begin.back() +
        static_cast<int64_t>(store.gradients.size() / (node.store().n_blocks() * BLOCK)));
    made.loose_begin.push_back(static_cast<int64_t>(made.stores.loose_features.size()));
  }
  return made;
}

void OnlineModel::add_labels(std::size_t n) {
  mark({});
  for (std::size_t i = 0; i < n; ++i) tree_.insert({}, {}, settings_.growth, [](int32_t) {}, space_);
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
  std::size_t known_block = 0;
  std::vector<int32_t> features;
  std::vector<float> columns;  // [feature, the bias first][lane of a block]
  for (std::size_t i = first; i < last; ++i) {
    const OnlineNode& node = tree_.node(order[i]);
    const OnlineStore& store = tree_.node(node.parent).store();
    const std::size_t lane = at(node.position) + 1;
    if (node.parent != known) {
      features = store.own_features();
      features.insert(features.begin(), -1);
    }
    if (node.parent != known || lane / BLOCK != known_block) {
      columns.resize(features.size() * BLOCK);
      for (std::size_t f = 0; f < features.size(); ++f)
        store.weights(features[f], lane / BLOCK, columns.data() + f * BLOCK);
    }
    known = node.parent;
    known_block = lane / BLOCK;
    made.nodes.push_back(static_cast<int32_t>(i));
    made.bias.push_back(columns[lane % BLOCK] * settings_.learning.intercept_scaling);
    const auto add = [&](int32_t feature, float weight) {
      if (!(std::abs(weight) > weight_threshold)) return;
      made.features.push_back(feature);
      made.values.push_back(weight);
    };
    const auto older = store.older_weights(lane);
    auto next = older.begin();
    for (std::size_t f = 1; f < features.size(); ++f) {
      for (; next != older.end() && next->first < features[f]; ++next) add(next->first, next->second);
      add(features[f], columns[f * BLOCK + lane % BLOCK]);
    }
    for (; next != older.end(); ++next) add(next->first, next->second);
    made.indptr.push_back(static_cast<int64_t>(made.features.size()));
  }
  return made;
}

LaneNumbers OnlineModel::warm_start(float weight, float squared_gradients) const {
  LaneNumbers made{weight, squared_gradients, 0.0f};
  if (settings_.learning.optimizer != Optimizer::ftrl) return made;
  const float scale =
      (settings_.learning.smoothing + std::sqrt(squared_gradients)) / settings_.learning.learning_rate +
      settings_.learning.l2;
  made[2] = -(weight * scale + std::copysign(settings_.learning.l1, weight));
  return made;
}

void OnlineModel::warm_start(int32_t node, const NodeWeights& children, float squared_gradients) {
  if (node < -1 || node + 1 >= static_cast<int32_t>(tree_.size()))
    throw std::invalid_argument("no such node");
  OnlineNode& parent = tree_.node(node + 1);
  if (children.bias.size() != parent.children.size() || children.indptr.size() != children.bias.size() + 1)
    throw std::invalid_argument("every child has weights");
  OnlineStore& store = parent.store();
  const float scale =
      settings_.learning.intercept_scaling > 0.0f ? 1.0f / settings_.learning.intercept_scaling : 0.0f;
  float mean = 0.0f;
  for (std::size_t i = 0; i < parent.children.size(); ++i) {
    const float bias = children.bias[i] * scale;
    mean += bias / static_cast<float>(parent.children.size());
    store.set(-1, i + 1, false, warm_start(bias, squared_gradients));
    for (std::size_t e = at(children.indptr[i]); e < at(children.indptr[i + 1]); ++e)
      store.set(children.features[e], i + 1, false, warm_start(children.values[e], squared_gradients));
    if (tree_.is_leaf(parent.children[i]))
      store.set(-1, i + 1, true, warm_start(STARTING_TWIN * scale, squared_gradients));
  }
  store.set(-1, 0, false, warm_start(mean, squared_gradients));
}

void OnlineModel::prune(std::size_t max_weights) {
  struct Cut {
    float largest;
    uint32_t n_weights;
  };
  std::vector<Cut> cuts;
  for (std::size_t v = 0; v < tree_.size(); ++v) tree_.node(static_cast<int32_t>(v)).store().copy_origins();
  std::size_t left = n_weights();
  if (left <= max_weights) return;
  for (std::size_t v = 0; v < tree_.size(); ++v) {
    const OnlineStore& store = tree_.node(static_cast<int32_t>(v)).store();
    for (const auto& [_, largest] : store.largest())
      cuts.push_back({largest, static_cast<uint32_t>(store.n_lanes())});
  }
  std::ranges::sort(cuts, {}, &Cut::largest);
  // A quarter below the limit, so that it takes a while until it is reached again.
  const std::size_t target = max_weights / 4 * 3;
  float least = 0.0f;
  for (std::size_t i = 0; i < cuts.size() && left > target; ++i) {
    least = cuts[i].largest;
    left -= cuts[i].n_weights;
  }
  for (std::size_t v = 0; v < tree_.size(); ++v) tree_.node(static_cast<int32_t>(v)).store().prune(least);
}

OnlineModel OnlineModel::rebuilt(const Tree& tree, std::vector<uint8_t>& is_new) const {
  if (tree.n_labels() != tree_.n_labels()) throw std::invalid_argument("the tree must have the same labels");
  OnlineModel made(tree, n_features_, settings_);
  made.counts_ = counts_;
  const auto old_sets = set_numbers(tree_), new_sets = set_numbers(made.tree_);
  std::unordered_map<uint64_t, int32_t> old_node;
  for (const int32_t v : tree_.breadth_first()) old_node[old_sets[at(v)]] = v;
  const auto find = [&](int32_t v) {
    if (v == OnlineTree::ABOVE) return OnlineTree::ABOVE;
    const auto found = old_node.find(new_sets[at(v)]);
    return found == old_node.end() ? -1 : found->second;
  };
  is_new.assign(made.tree_.size(), 0);
  for (int32_t v = static_cast<int32_t>(made.tree_.size()) - 1; v >= 0; --v) {
    OnlineNode& node = made.tree_.node(v);
    const int32_t old = find(v);
    if (old >= 0) node.n_rows = tree_.node(old).n_rows;
    std::vector<int32_t> same;
    for (const int32_t c : node.children) same.push_back(find(c));
    if (old >= 0 && same == tree_.node(old).children) {
      node.stored = tree_.node(old).stored;
      continue;
    }
    if (old >= 0) node.store().go_on(tree_.node(old).stored, 0, 0);
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < same.size(); ++i) {
      if (same[i] < 0) continue;
      const OnlineNode& from = tree_.node(same[i]);
      const OnlineNode& above = tree_.node(from.parent);
      node.store().go_on(above.stored, at(from.position) + 1, i + 1);
      if (tree_.is_leaf(same[i])) node.store().copy_twin(above.store(), at(from.position) + 1, i + 1);
      n_kept += from.parent == old;
    }
    is_new[at(v)] = n_kept != node.children.size();
  }
  return made;
}

}  // namespace labeltree
