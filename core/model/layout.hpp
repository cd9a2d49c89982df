// From trained weights to the arrays that queries read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/grown.hpp"
#include "data/sparse.hpp"
#include "model/weights.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// The arrays of WeightArrays, with their memory.
struct Layout {
  std::vector<float> bias, scale;
  std::vector<uint8_t> shift;
  std::vector<int64_t> bucket_begin, byte_begin;
  Grown<uint32_t> buckets;
  Grown<uint8_t> bytes;
  std::size_t weight_bytes = sizeof(float);
};

// Takes the weights of nodes as they are trained, in any order. A group is laid out as soon as its last
// trained node has come, so that weights are held once. The arrays depend on the order in which nodes come.
class LayoutBuilder {
 public:
  // is_trained has a 1 for each node that will come; the others get the bias `untrained`. Weights of 1 or
  // 2 bytes are rounded to 255 or 65,535 steps for each node, the largest of them exact.
  LayoutBuilder(const Tree& tree, std::size_t n_features, std::span<const uint8_t> is_trained,
                float untrained, std::size_t weight_bytes);

  // Weights of nodes[i] are row i of by_node, features ascending. Throws for nodes that are not awaited.
  void add(std::span<const int32_t> nodes, const FeatureRows& by_node, std::span<const float> bias);

  // Throws unless all trained nodes have come.
  Layout finish();

 private:
  struct Entry {
    int32_t feature;
    uint8_t sibling;
    float value;
  };

  struct Group {
    int32_t first;  // node
    std::size_t size;
  };

  bool is_float() const { return layout_.weight_bytes == sizeof(float); }
  void sort(const std::vector<Entry>& entries);
  void set_scale(const Group& group);
  void lay_out(std::size_t number, const Group& group, const std::vector<Entry>& entries);
  std::size_t n_bytes(std::size_t place, const Group& group) const;
  bool fits(int shift, const Group& group) const;
  // Whether a group is that of the root or of its children.
  bool at_root(std::size_t number) const { return number < static_cast<std::size_t>(first_group_[2]); }
  int choose_shift(const Group& group, bool is_on_every_path) const;
  void put_bucket(std::size_t first, std::size_t last, int shift, const Group& group);
  template <class Value>
  void put_feature(std::span<const Entry> entries, const Group& group);

  const Tree& tree_;
  std::size_t n_features_;
  LargeVector<int32_t> first_group_;         // [node + 2]
  std::vector<int32_t> n_awaited_;           // [group]
  std::vector<uint8_t> is_awaited_;          // [node]
  std::vector<std::vector<Entry>> pending_;  // [group]
  std::vector<int64_t> next_;                // [feature] how many, then where the next one goes
  std::vector<int32_t> features_;            // of the group, ascending
  std::vector<std::size_t> begin_;           // [place in features_ + 1]
  std::vector<Entry> sorted_;                // by feature
  Layout layout_;
};

// The same weights with this many bytes for each.
Layout with_weight_bytes(const SiblingWeights& weights, std::size_t weight_bytes);

}  // namespace labeltree
