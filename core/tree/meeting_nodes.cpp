#include "tree/meeting_nodes.hpp"

#include <limits>

namespace labeltree {

MeetingNodes::MeetingNodes(const Tree& tree)
    : place_(tree.n_labels()),
      leaf_(tree.n_labels()),
      meeting_(tree.n_labels(), std::numeric_limits<int32_t>::max()) {
  const auto n_nodes = static_cast<int32_t>(tree.n_nodes());
  std::vector<int32_t> n_leaves(at(n_nodes), 0), begin(at(n_nodes), 0);
  for (int32_t v = n_nodes - 1; v >= 0; --v) {
    if (tree.degree(v) == 0) n_leaves[at(v)] = 1;
    if (v > 0) n_leaves[at(tree.parent(v))] += n_leaves[at(v)];
  }
  for (int32_t v = 0; v < n_nodes; ++v) {
    if (tree.degree(v) == 0) {
      place_[at(tree.label(v))] = begin[at(v)];
      leaf_[at(begin[at(v)])] = v;
    }
    int32_t next = begin[at(v)];
    for (int32_t c = tree.first_child(v); c < tree.first_child(v + 1); ++c) {
      begin[at(c)] = next;
      next += n_leaves[at(c)];
      if (c + 1 < tree.first_child(v + 1)) meeting_[at(next - 1)] = v;
    }
  }
  for (std::size_t b = 0; b < meeting_.size(); b += BLOCK) {
    if (b == 0) blocks_.emplace_back();
    const auto end = std::min(b + BLOCK, meeting_.size());
    blocks_[0].push_back(*std::min_element(meeting_.data() + b, meeting_.data() + end));
  }
  for (std::size_t half = 1; 2 * half <= blocks_.front().size(); half *= 2) {
    const std::vector<int32_t>& shorter = blocks_.back();
    std::vector<int32_t> longer(shorter.size() - half);
    for (std::size_t b = 0; b < longer.size(); ++b) longer[b] = std::min(shorter[b], shorter[b + half]);
    blocks_.push_back(std::move(longer));
  }
}

}  // namespace labeltree
