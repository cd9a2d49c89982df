// Node classifiers laid out for queries: the weights of sibling nodes together, by feature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "base/large_vector.hpp"
#include "model/node_weights.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Siblings are evaluated together, and a row has few features: one look at each feature of the row gives the
// scores of them all. A group is up to GROUP siblings side by side, so that a byte names one of them; group 0
// is the root alone. The features of a group are cut into buckets of 2^shift numbers, each with a few
// features that have weights. All that a look needs lies in the bytes of one bucket:
//   uint16 offset[n], where the weights of each feature begin, counted from here, so that offset[0] is 4 n;
//   uint16 low[n], the features less the number of their bucket; then for each feature of the bucket
//   uint8 sibling[count]; weight[count], float32, int16 or int8, or, where that is not longer,
//   weight[siblings of the group] without sibling[].
// Where shift is 0 a bucket has at most one feature, and its bytes are the weights alone.
constexpr int32_t GROUP = 256;
constexpr int MAX_SHIFT = 16;  // low has this many bits

// Flat arrays, so that they can be parts of a file. They own nothing.
struct WeightArrays {
  std::span<const float> bias;            // [node]
  std::span<const float> scale;           // [node] what integer weights are multiples of; empty for float32
  std::span<const uint8_t> shift;         // [group]
  std::span<const int64_t> bucket_begin;  // [group] where its buckets begin in `buckets`
  std::span<const int64_t> byte_begin;    // [group] where its bytes begin in `bytes`
  std::span<const uint32_t> buckets;      // where the bytes of a bucket begin, counted from the group's, and
                                          // where those of the last one end
  std::span<const uint8_t> bytes;
  std::size_t weight_bytes;  // of each weight: 4 for float32, 2 for int16, 1 for int8
};

// Calls `use` with a value of the type of weights that have this many bytes.
template <class Use>
auto with_weight_type(std::size_t weight_bytes, Use use) {
  if (weight_bytes == sizeof(float)) return use(float{});
  if (weight_bytes == sizeof(int16_t)) return use(int16_t{});
  return use(int8_t{});
}

// Groups of the children of each node: those of v are first[v + 1] .. first[v + 2] - 1, that of the root
// itself is 0.
LargeVector<int32_t> first_groups(const Tree& tree);
// Siblings in a group that begins `position` siblings after the first of `size`.
inline std::size_t group_size(int32_t size, int32_t position) {
  return static_cast<std::size_t>(size - position < GROUP ? size - position : GROUP);
}
// Whether the weights of a feature are kept for all siblings of its group, zeros among them.
inline bool is_filled(std::size_t n_weights, std::size_t n_siblings, std::size_t weight_bytes) {
  // One sweep over all is faster than finding each: in wide groups, a quarter of them is enough.
  return n_siblings * weight_bytes <= n_weights * (weight_bytes + 1) ||
         (n_siblings >= 32 && n_weights * 4 >= n_siblings);
}
// Buckets of a group of that shift.
inline std::size_t n_buckets(std::size_t n_features, int shift) {
  return ((n_features == 0 ? 0 : n_features - 1) >> shift) + 1;
}

struct QueryRow {
  std::span<const int32_t> indices;
  std::span<const float> values;
};

// Room that a query works in, used again by the next one.
struct QuerySpace {
  struct Match {
    const uint8_t* bytes;  // of a feature that the row and the siblings share
    float value;           // in the row
    uint32_t n_bytes;
  };
  struct Matches {
    std::span<const Match> filled, sparse;  // with a weight for each sibling; for some
  };
  std::vector<float> sums;
  std::vector<Match> filled, sparse;
};

class SiblingWeights {
 public:
  // Looks at each array's size and at what is stored for nodes and groups: whatever the rest holds, no query
  // leaves the arrays. Throws std::invalid_argument naming array and rule.
  SiblingWeights(const Tree& tree, const WeightArrays& arrays, std::size_t n_features);

  const Tree& tree() const { return *tree_; }
  const WeightArrays& arrays() const { return arrays_; }
  std::size_t n_features() const { return n_features_; }
  // Weights kept, by walking over all of them. Throws std::invalid_argument where buckets do not fit their
  // bytes, or a weight is not finite.
  std::size_t count() const;
  // Walks over all weights and throws what count() would, on several threads.
  void check_all(int n_threads, Interrupt& interrupt) const;

  // Sums of weights times values for all children of a node, or for the root itself where node is -1: without
  // bias, and in units of scale where weights are integers. The sums are valid until `space` changes.
  std::span<float> sums(int32_t node, const QueryRow& row, QuerySpace& space) const;
  // Fetch what sums() will need into the cache: first the one, a little later the other.
  void fetch_buckets(int32_t node, const QueryRow& row) const;
  void fetch_bytes(int32_t node, const QueryRow& row) const;
  // The sums with bias and in full: what the solver called the score.
  void score(int32_t node, std::span<const int32_t> indices, std::span<const float> values,
             std::vector<float>& scores) const;

  // The weights of each child of a node, or of the root itself where node is -1, features ascending.
  NodeWeights of_children(int32_t node) const;
  // The weights of one node for these features, 0 where it has none.
  std::vector<float> of_node(int32_t node, std::span<const int32_t> features) const;

 private:
  struct Group {
    const uint32_t* buckets;
    std::span<const uint8_t> bytes;
    int shift;
    std::size_t size;  // siblings
  };
  struct Family {
    int32_t first, size;  // the siblings are nodes first .. first + size - 1
  };

  Family family(int32_t node) const {
    if (node < 0) return {0, 1};
    return {tree_->first_child(node), tree_->degree(node)};
  }
  Group group(std::size_t g, std::size_t size) const;
  template <class Value>
  struct Matcher;
  template <class Value>
  static QuerySpace::Matches match(const Group& group, const QueryRow& row, QuerySpace& space);
  template <class Value>
  static void add(const Group& group, const QueryRow& row, QuerySpace& space, std::size_t position);
  template <class Value>
  void check_group(const Group& group) const;
  // Calls each(node, feature, weight) for all weights of a node's children, features ascending in each group.
  template <class Each>
  void visit(int32_t node, Each each) const;
  template <class Value, class Each>
  void visit_as(int32_t node, Each each) const;

  const Tree* tree_;
  WeightArrays arrays_;
  std::size_t n_features_;
  LargeVector<int32_t> first_group_;  // [node + 2]
};

}  // namespace labeltree
