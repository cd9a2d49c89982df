#include "model/weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "model/bucket.hpp"

namespace labeltree {
namespace {

// Rules are checked for every group and weight: the text becomes a string only where it is needed.
void require(bool holds, const char* rule) {
  if (!holds) throw std::invalid_argument(rule);
}

void require(bool holds, const char* rule, int64_t found) {
  if (!holds) throw std::invalid_argument(rule + (", but is " + std::to_string(found)));
}

}  // namespace

LargeVector<int32_t> first_groups(const Tree& tree) {
  LargeVector<int32_t> first(tree.n_nodes() + 2);
  first[0] = 0;
  int32_t n_groups = first[1] = 1;
  for (std::size_t v = 0; v < tree.n_nodes(); ++v)
    first[v + 2] = n_groups += (tree.degree(static_cast<int32_t>(v)) + GROUP - 1) / GROUP;
  return first;
}

SiblingWeights::SiblingWeights(const Tree& tree, const WeightArrays& arrays, std::size_t n_features)
    : tree_(&tree), arrays_(arrays), n_features_(n_features), first_group_(first_groups(tree)) {
  const auto n_groups = at(first_group_.back());
  require(arrays.bias.size() == tree.n_nodes(), "bias must have one number for each node");
  const std::size_t n_bytes = arrays.weight_bytes;
  require(n_bytes == 1 || n_bytes == 2 || n_bytes == 4, "weight_bytes must be 1, 2 or 4",
          static_cast<int64_t>(n_bytes));
  require(arrays.scale.size() == (n_bytes == 4 ? 0 : tree.n_nodes()),
          "scale must have one number for each node, or none for weights of 4 bytes");
  require(arrays.shift.size() == n_groups && arrays.bucket_begin.size() == n_groups &&
              arrays.byte_begin.size() == n_groups,
          "shift, bucket_begin and byte_begin must have one number for each group of siblings");
  for (std::size_t g = 0; g < n_groups; ++g) {
    require(arrays.shift[g] <= MAX_SHIFT, "shift must be at most 16", arrays.shift[g]);
    const int64_t bucket = arrays.bucket_begin[g], byte = arrays.byte_begin[g];
    require(bucket >= 0 && at(bucket) <= arrays.buckets.size() &&
                arrays.buckets.size() - at(bucket) > n_buckets(n_features, arrays.shift[g]),
            "bucket_begin must lie within buckets", bucket);
    require(byte >= 0 && at(byte) <= arrays.bytes.size(), "byte_begin must lie within bytes", byte);
  }
}

SiblingWeights::Group SiblingWeights::group(std::size_t g, std::size_t size) const {
  return {arrays_.buckets.data() + arrays_.bucket_begin[g], arrays_.bytes.subspan(at(arrays_.byte_begin[g])),
          arrays_.shift[g], size};
}

void SiblingWeights::score(int32_t node, std::span<const int32_t> indices, std::span<const float> values,
                           std::vector<float>& scores) const {
  QuerySpace space;
  const auto found = sums(node, {indices, values}, space);
  scores.assign(found.begin(), found.end());
  const int32_t first = family(node).first;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    const std::size_t v = at(first) + c;
    if (!arrays_.scale.empty()) scores[c] *= arrays_.scale[v];
    scores[c] += arrays_.bias[v];
  }
}

template <class Each>
void SiblingWeights::visit(int32_t node, Each each) const {
  with_weight_type(arrays_.weight_bytes, [&](auto value) { visit_as<decltype(value)>(node, each); });
}

template <class Value, class Each>
void SiblingWeights::visit_as(int32_t node, Each each) const {
  const auto [first_node, size] = family(node);
  for (int32_t g = first_group_[at(node + 1)]; g < first_group_[at(node + 2)]; ++g) {
    const int32_t position = (g - first_group_[at(node + 1)]) * GROUP;
    const Group siblings = group(at(g), group_size(size, position));
    for (std::size_t b = 0; b < n_buckets(n_features_, siblings.shift); ++b) {
      const Bucket bucket(siblings.bytes, siblings.buckets[b], siblings.buckets[b + 1], siblings.shift);
      require(bucket.n > 0 || siblings.buckets[b] == siblings.buckets[b + 1],
              "buckets must lie within bytes");
      for (std::size_t place = 0; place < bucket.n; ++place) {
        const auto bytes = bucket.weights(place);
        const std::size_t n = n_weights<Value>(bytes.size(), siblings.size);
        require(n > 0 && n <= siblings.size, "weights must lie within their bucket");
        const uint8_t* weights = n == siblings.size ? bytes.data() : bytes.data() + n;
        const auto feature = static_cast<int32_t>((b << siblings.shift) | bucket.low(place));
        for (std::size_t e = 0; e < n; ++e) {
          const std::size_t sibling = n == siblings.size ? e : bytes[e];
          require(sibling < siblings.size, "weights must be of siblings that there are");
          const std::size_t v = at(first_node + position) + sibling;
          const auto stored = static_cast<float>(load<Value>(weights, e));
          each(v, feature, std::is_same_v<Value, float> ? stored : stored * arrays_.scale[v]);
        }
      }
    }
  }
}

std::size_t SiblingWeights::count() const {
  std::size_t n = 0;
  for (int32_t v = -1; v < static_cast<int32_t>(tree_->n_nodes()); ++v)
    visit(v, [&](std::size_t, int32_t feature, float weight) {
      require(at(feature) < n_features_, "features must be fewer than n_features");
      require(std::isfinite(weight), "weights must be finite");
      n += weight != 0.0f;
    });
  return n;
}

template <class Value>
void SiblingWeights::check_group(const Group& group) const {
  for (std::size_t b = 0; b < n_buckets(n_features_, group.shift); ++b) {
    const Bucket bucket(group.bytes, group.buckets[b], group.buckets[b + 1], group.shift);
    require(bucket.n > 0 || group.buckets[b] == group.buckets[b + 1], "buckets must lie within bytes");
    for (std::size_t place = 0; place < bucket.n; ++place) {
      const std::size_t feature = (b << group.shift) | bucket.low(place);
      require(feature < n_features_, "features must be fewer than n_features");
      const auto bytes = bucket.weights(place);
      const std::size_t n = n_weights<Value>(bytes.size(), group.size);
      require(n > 0 && n <= group.size, "weights must lie within their bucket");
      const uint8_t* weights = bytes.data();
      std::size_t largest = 0;
      if (n != group.size) {
        for (std::size_t e = 0; e < n; ++e) largest = std::max<std::size_t>(largest, weights[e]);
        weights += n;
      }
      require(largest < group.size, "weights must be of siblings that there are");
      bool is_finite = true;
      if constexpr (std::is_same_v<Value, float>)
        for (std::size_t e = 0; e < n; ++e) is_finite &= std::isfinite(load<float>(weights, e));
      require(is_finite, "weights must be finite");
    }
  }
}

void SiblingWeights::check_all(int n_threads, Interrupt& interrupt) const {
  std::vector<std::size_t> sizes{1};  // [group] siblings
  for (int32_t v = 0; v < static_cast<int32_t>(tree_->n_nodes()); ++v)
    for (int32_t position = 0; position < tree_->degree(v); position += GROUP)
      sizes.push_back(group_size(tree_->degree(v), position));
  constexpr std::size_t groups_per_task = 16;  // groups; most are small
  parallel_for((sizes.size() + groups_per_task - 1) / groups_per_task, n_threads, interrupt,
               [&](std::size_t chunk, std::size_t) {
                 const std::size_t end = std::min(sizes.size(), (chunk + 1) * groups_per_task);
                 with_weight_type(arrays_.weight_bytes, [&](auto value) {
                   for (std::size_t g = chunk * groups_per_task; g < end; ++g)
                     check_group<decltype(value)>(group(g, sizes[g]));
                 });
               });
}

NodeWeights SiblingWeights::of_children(int32_t node) const {
  const int32_t first = family(node).first, size = family(node).size;
  NodeWeights result;
  std::vector<int64_t> next(at(size) + 1, 0);
  const auto visit_kept = [&](auto each) {
    visit(node, [&](std::size_t v, int32_t feature, float weight) {
      if (weight != 0.0f) each(v - at(first), feature, weight);
    });
  };
  visit_kept([&](std::size_t child, int32_t, float) { ++next[child + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  result.indptr = next;
  result.features.resize(at(next.back()));
  result.values.resize(at(next.back()));
  visit_kept([&](std::size_t child, int32_t feature, float weight) {
    result.features[at(next[child])] = feature;
    result.values[at(next[child]++)] = weight;
  });
  for (int32_t v = first; v < first + size; ++v) result.nodes.push_back(v);
  result.bias.assign(arrays_.bias.begin() + first, arrays_.bias.begin() + first + size);
  return result;
}

std::vector<float> SiblingWeights::of_node(int32_t node, std::span<const int32_t> features) const {
  const int32_t parent = tree_->parent(node);
  const auto place = at(node - family(parent).first);
  const float one = 1.0f, scale = arrays_.scale.empty() ? 1.0f : arrays_.scale[at(node)];
  std::vector<float> weights;
  QuerySpace space;
  // The sums of a row with one feature of value 1 are the weights of that feature.
  for (const int32_t& feature : features)
    weights.push_back(sums(parent, {{&feature, 1}, {&one, 1}}, space)[place] * scale);
  return weights;
}

}  // namespace labeltree
