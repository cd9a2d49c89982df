#include "train/pack.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace labeltree {
namespace {

class Packer {
 public:
  Packer(const Tree& tree, std::span<const int64_t> weights, std::size_t max_nodes)
      : tree_(tree), weights_(weights), max_nodes_(max_nodes) {}

  std::vector<Pack> run(bool with_root) {
    if (with_root && weight(0) > 0)
      pack_under(-1, {0});
    else if (weight(0) > 0)
      tops_.push_back(0);
    for (std::size_t t = 0; t < tops_.size(); ++t) pack_under(tops_[t], children_of(tops_[t]));
    return std::move(packs_);
  }

 private:
  int64_t weight(int32_t v) const { return weights_[static_cast<std::size_t>(v)]; }

  std::vector<int32_t> children_of(int32_t v) const {
    std::vector<int32_t> children;
    for (int32_t c = tree_.first_child(v); c < tree_.first_child(v + 1); ++c)
      if (weight(c) > 0) children.push_back(c);
    return children;
  }

  void pack_under(int32_t top, const std::vector<int32_t>& children) {
    std::size_t next = 0;
    while (next < children.size()) {
      Pack pack{.top = top, .nodes = {}};
      std::priority_queue<std::pair<int64_t, int32_t>> open;  // inner nodes, heaviest and then first on top
      const auto take = [&](int32_t v) {
        pack.nodes.push_back(v);
        if (tree_.degree(v) > 0) open.push({weight(v), -v});
      };
      while (next < children.size() && pack.nodes.size() < max_nodes_) take(children[next++]);
      while (!open.empty()) {
        const int32_t v = -open.top().second;
        open.pop();
        const auto below = children_of(v);
        if (pack.nodes.size() + below.size() > max_nodes_)
          tops_.push_back(v);
        else
          for (const int32_t c : below) take(c);
      }
      packs_.push_back(std::move(pack));
    }
  }

  const Tree& tree_;
  std::span<const int64_t> weights_;
  std::size_t max_nodes_;
  std::vector<Pack> packs_;
  std::vector<int32_t> tops_;
};

}  // namespace

std::vector<Pack> make_packs(const Tree& tree, std::span<const int64_t> weights, bool with_root,
                             std::size_t max_nodes) {
  return Packer(tree, weights, max_nodes).run(with_root);
}

std::vector<Pack> sliced(std::vector<Pack> packs, std::span<const int64_t> weights, int32_t n_slices,
                         int64_t min_positive) {
  std::vector<Pack> found;
  for (Pack& pack : packs) {
    const auto has_enough = [&](int32_t v) {
      return weights[static_cast<std::size_t>(v)] >= n_slices * min_positive;
    };
    if (pack.top > 0 || !std::ranges::all_of(pack.nodes, has_enough))
      found.push_back(std::move(pack));
    else
      for (int32_t slice = 0; slice < n_slices; ++slice)
        found.push_back({pack.top, pack.nodes, slice, n_slices});
  }
  return found;
}

std::vector<Pack> make_leaf_packs(const Tree& tree, std::span<const int64_t> weights, std::size_t max_nodes) {
  std::vector<Pack> packs;
  std::vector<int32_t> open{0};  // depth first, the next on top
  while (!open.empty()) {
    const int32_t v = open.back();
    open.pop_back();
    if (weights[static_cast<std::size_t>(v)] == 0) continue;
    for (int32_t c = tree.first_child(v + 1) - 1; c >= tree.first_child(v); --c) open.push_back(c);
    if (tree.degree(v) > 0) continue;
    if (packs.empty() || packs.back().nodes.size() == max_nodes) packs.push_back({.top = v, .nodes = {}});
    packs.back().nodes.push_back(v);
  }
  return packs;
}

}  // namespace labeltree
