#include "model/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "base/order.hpp"

namespace labeltree {
namespace {

// Features of a bucket, about: fewer are found faster and take more room.
constexpr std::size_t PER_BUCKET = 3;
constexpr std::size_t DIRECT_SHARE = 8;   // of the weights, as room for finding features faster
constexpr std::size_t MAX_BYTES = 65535;  // of a bucket

template <class T>
void put(Grown<uint8_t>& bytes, T value) {
  std::memcpy(bytes.extend(sizeof(T)), &value, sizeof(T));
}

}  // namespace

LayoutBuilder::LayoutBuilder(const Tree& tree, std::size_t n_features, std::span<const uint8_t> is_trained,
                             float untrained, std::size_t weight_bytes)
    : tree_(tree),
      n_features_(n_features),
      first_group_(first_groups(tree)),
      is_awaited_(is_trained.begin(), is_trained.end()),
      next_(n_features, 0) {
  if (is_trained.size() != tree.n_nodes())
    throw std::invalid_argument("is_trained must have one number for each node");
  if (weight_bytes != 1 && weight_bytes != 2 && weight_bytes != 4)
    throw std::invalid_argument("weight_bytes must be 1, 2 or 4, but is " + std::to_string(weight_bytes));
  layout_.weight_bytes = weight_bytes;
  const auto n_groups = at(first_group_.back());
  n_awaited_.assign(n_groups, 0);
  pending_.resize(n_groups);
  layout_.bias.assign(tree.n_nodes(), untrained);
  if (!is_float()) layout_.scale.assign(tree.n_nodes(), 0.0f);
  layout_.shift.resize(n_groups);
  layout_.bucket_begin.resize(n_groups);
  layout_.byte_begin.resize(n_groups);
  for (int32_t v = 0; v < static_cast<int32_t>(tree.n_nodes()); ++v) {
    const int32_t parent = tree.parent(v);
    const int32_t position = v - (parent < 0 ? 0 : tree.first_child(parent));
    n_awaited_[at(first_group_[at(parent + 1)] + position / GROUP)] += is_trained[at(v)] ? 1 : 0;
  }
  for (std::size_t g = 0; g < n_groups; ++g)
    if (n_awaited_[g] == 0) lay_out(g, {0, 0}, {});
}

void LayoutBuilder::add(std::span<const int32_t> nodes, const FeatureRows& by_node,
                        std::span<const float> bias) {
  check(by_node, n_features_);
  if (by_node.size() != nodes.size() || bias.size() != nodes.size())
    throw std::invalid_argument("every node has weights and a bias");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int32_t node = nodes[i];
    if (node < 0 || at(node) >= tree_.n_nodes() || !is_awaited_[at(node)])
      throw std::invalid_argument("node " + std::to_string(node) + " is not awaited");
    is_awaited_[at(node)] = 0;
    layout_.bias[at(node)] = bias[i];
    const int32_t parent = tree_.parent(node);
    const int32_t first = parent < 0 ? 0 : tree_.first_child(parent);
    const int32_t size = parent < 0 ? 1 : tree_.degree(parent);
    const int32_t number = (node - first) / GROUP, position = (node - first) % GROUP;
    const auto group = at(first_group_[at(parent + 1)] + number);
    std::vector<Entry>& entries = pending_[group];
    for (int64_t e = by_node.indptr[i]; e < by_node.indptr[i + 1]; ++e)
      entries.push_back({by_node.indices[at(e)], static_cast<uint8_t>(position), by_node.values[at(e)]});
    if (--n_awaited_[group] > 0) continue;
    lay_out(group, {first + number * GROUP, group_size(size, number * GROUP)}, entries);
    entries = std::vector<Entry>();  // {} would keep its memory
  }
}

// By feature; those of features_[i] are begin_[i] .. begin_[i + 1] - 1.
void LayoutBuilder::sort(const std::vector<Entry>& entries) {
  features_.clear();
  for (const Entry& entry : entries)
    if (next_[at(entry.feature)]++ == 0) features_.push_back(entry.feature);
  sort_below(features_, n_features_);
  begin_.assign(1, 0);
  for (const int32_t feature : features_)
    begin_.push_back(begin_.back() +
                     at(std::exchange(next_[at(feature)], static_cast<int64_t>(begin_.back()))));
  sorted_.resize(entries.size());
  for (const Entry& entry : entries) sorted_[at(next_[at(entry.feature)]++)] = entry;
  for (const int32_t feature : features_) next_[at(feature)] = 0;
}

// A node without weights has a scale of 1, because known scores are divided by the scale.
void LayoutBuilder::set_scale(const Group& group) {
  float* scale = layout_.scale.data() + group.first;
  for (const Entry& entry : sorted_)
    scale[entry.sibling] = std::max(scale[entry.sibling], std::abs(entry.value));
  const auto max_step = static_cast<float>((1 << (8 * layout_.weight_bytes - 1)) - 1);
  for (std::size_t s = 0; s < group.size; ++s) scale[s] = scale[s] > 0.0f ? scale[s] / max_step : 1.0f;
}

std::size_t LayoutBuilder::n_bytes(std::size_t place, const Group& group) const {
  const std::size_t n = begin_[place + 1] - begin_[place];
  const std::size_t weight = layout_.weight_bytes;
  return is_filled(n, group.size, weight) ? group.size * weight : n * (weight + 1);
}

bool LayoutBuilder::fits(int shift, const Group& group) const {
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < features_.size(); ++p) {
    if (p > 0 && features_[p] >> shift != features_[p - 1] >> shift) bytes = 0;
    bytes += 4 + n_bytes(p, group);
    if (bytes > MAX_BYTES) return false;
  }
  return true;
}

// A bucket for each feature where that costs little room, or no more than the weights where every row looks;
// else as many as make PER_BUCKET features each, or more where one would have too many bytes.
int LayoutBuilder::choose_shift(const Group& group, bool is_on_every_path) const {
  std::size_t weights = 0;
  for (std::size_t p = 0; p < features_.size(); ++p) weights += n_bytes(p, group);
  const std::size_t direct = 4 * n_features_, shared = 4 * features_.size() * (PER_BUCKET + 1) / PER_BUCKET;
  if (direct <= shared + weights / (is_on_every_path ? 1 : DIRECT_SHARE)) return 0;
  int shift = 1;
  while (shift < MAX_SHIFT && n_buckets(n_features_, shift) * PER_BUCKET > features_.size()) ++shift;
  while (!fits(shift, group)) --shift;  // a feature alone has at most 4 + 4 GROUP bytes
  return shift;
}

void LayoutBuilder::lay_out(std::size_t number, const Group& group, const std::vector<Entry>& entries) {
  sort(entries);
  if (!is_float()) set_scale(group);
  const int shift = choose_shift(group, at_root(number));
  layout_.shift[number] = static_cast<uint8_t>(shift);
  layout_.bucket_begin[number] = static_cast<int64_t>(layout_.buckets.size());
  layout_.byte_begin[number] = static_cast<int64_t>(layout_.bytes.size());
  const auto end_bucket = [&] {
    const std::size_t end = layout_.bytes.size() - at(layout_.byte_begin[number]);
    if (end > std::numeric_limits<uint32_t>::max())
      throw std::invalid_argument("siblings have more than 4 GB of weights; raise weight_threshold");
    layout_.buckets.push_back(static_cast<uint32_t>(end));
  };
  std::size_t place = 0;
  end_bucket();
  for (std::size_t b = 0; b < n_buckets(n_features_, shift); ++b) {
    const std::size_t first = place;
    while (place < features_.size() && at(features_[place]) >> shift == b) ++place;
    put_bucket(first, place, shift, group);
    end_bucket();
  }
}

void LayoutBuilder::put_bucket(std::size_t first, std::size_t last, int shift, const Group& group) {
  std::size_t offset = 4 * (last - first);
  for (std::size_t p = first; p < last && shift > 0; ++p) {
    put(layout_.bytes, static_cast<uint16_t>(offset));
    offset += n_bytes(p, group);
  }
  for (std::size_t p = first; p < last && shift > 0; ++p)
    put(layout_.bytes, static_cast<uint16_t>(features_[p] & ((1 << shift) - 1)));
  for (std::size_t p = first; p < last; ++p) {
    const auto entries = std::span<const Entry>(sorted_).subspan(begin_[p], begin_[p + 1] - begin_[p]);
    with_weight_type(layout_.weight_bytes, [&](auto value) { put_feature<decltype(value)>(entries, group); });
  }
}

template <class Value>
void LayoutBuilder::put_feature(std::span<const Entry> entries, const Group& group) {
  const auto stored = [&](const Entry& entry) {
    if constexpr (std::is_same_v<Value, float>) return entry.value;
    const float scale = layout_.scale[at(group.first) + entry.sibling];
    return static_cast<Value>(scale > 0.0f ? std::lrint(entry.value / scale) : 0);
  };
  if (is_filled(entries.size(), group.size, sizeof(Value))) {
    std::array<Value, GROUP> all{};
    for (const Entry& entry : entries) all[entry.sibling] = stored(entry);
    std::memcpy(layout_.bytes.extend(group.size * sizeof(Value)), all.data(), group.size * sizeof(Value));
    return;
  }
  for (const Entry& entry : entries) put(layout_.bytes, entry.sibling);
  for (const Entry& entry : entries) put(layout_.bytes, stored(entry));
}

Layout LayoutBuilder::finish() {
  if (std::ranges::any_of(n_awaited_, [](int32_t n) { return n > 0; }))
    throw std::invalid_argument("some nodes have no weights yet");
  return std::move(layout_);
}

Layout with_weight_bytes(const SiblingWeights& weights, std::size_t weight_bytes) {
  const Tree& tree = weights.tree();
  const std::vector<uint8_t> all(tree.n_nodes(), 1);
  LayoutBuilder builder(tree, weights.n_features(), all, 0.0f, weight_bytes);
  for (int32_t v = -1; v < static_cast<int32_t>(tree.n_nodes()); ++v) {
    const NodeWeights children = weights.of_children(v);
    builder.add(children.nodes, {children.indptr, children.features, children.values}, children.bias);
  }
  return builder.finish();
}

}  // namespace labeltree
