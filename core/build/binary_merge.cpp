#include "build/binary_merge.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <stdexcept>
#include <utility>

namespace labeltree {
namespace {

// Clusters of labels, numbered like the nodes of the tree that they become.
class Clusters {
 public:
  Clusters(const LabelRows& rows, std::size_t n_labels) : parent_(n_labels, -1), rows_of_(n_labels) {
    clusters_of_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      clusters_of_[i].assign(rows[i].begin(), rows[i].end());
      for (const int32_t j : rows[i])
        rows_of_[static_cast<std::size_t>(j)].push_back(static_cast<int64_t>(i));
    }
  }

  std::size_t size() const { return parent_.size(); }
  bool is_root(std::size_t cluster) const { return parent_[cluster] < 0; }
  int64_t weight(std::size_t cluster) const { return static_cast<int64_t>(rows_of_[cluster].size()); }
  std::vector<int32_t> take_parents() && { return std::move(parent_); }

  std::size_t merge(std::size_t a, std::size_t b) {
    const auto node = static_cast<int32_t>(size());
    std::vector<int64_t> both;
    std::ranges::set_union(rows_of_[a], rows_of_[b], std::back_inserter(both));
    for (const int64_t row : both) {
      auto& clusters = clusters_of_[static_cast<std::size_t>(row)];
      std::erase_if(clusters, [a, b](int32_t c) {
        return static_cast<std::size_t>(c) == a || static_cast<std::size_t>(c) == b;
      });
      clusters.push_back(node);
    }
    rows_of_[a] = rows_of_[b] = std::vector<int64_t>();  // {} would keep their memory
    rows_of_.push_back(std::move(both));
    parent_[a] = parent_[b] = node;
    parent_.push_back(-1);
    return static_cast<std::size_t>(node);
  }

  // How many rows each cluster shares with this one.
  std::vector<int64_t> matches(std::size_t cluster) const {
    std::vector<int64_t> shared(size(), 0);
    for (const int64_t row : rows_of_[cluster])
      for (const int32_t c : clusters_of_[static_cast<std::size_t>(row)])
        ++shared[static_cast<std::size_t>(c)];
    return shared;
  }

 private:
  std::vector<int32_t> parent_;
  std::vector<std::vector<int64_t>> rows_of_;
  std::vector<std::vector<int32_t>> clusters_of_;  // clusters of each row
};

void merge_smallest_inputs(Clusters& clusters) {
  using Entry = std::pair<int64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::size_t c = 0; c < clusters.size(); ++c) lightest.emplace(clusters.weight(c), c);
  const auto pop = [&] {
    const std::size_t c = lightest.top().second;
    lightest.pop();
    return c;
  };
  while (lightest.size() > 1) {
    const std::size_t a = pop(), b = pop();
    const std::size_t merged = clusters.merge(a, b);
    lightest.emplace(clusters.weight(merged), merged);
  }
}

// Each cluster knows its best partner. A merge spoils that of the clusters whose partner is gone, and offers
// the new cluster to all.
class PairChoice {
 public:
  PairChoice(Clusters& clusters, Choice choice)
      : clusters_(clusters), choice_(choice), best_(clusters.size()) {
    for (std::size_t c = 0; c < clusters.size(); ++c) find_partner(c, clusters.matches(c));
  }

  void run(std::size_t n_merges) {
    for (std::size_t i = 0; i < n_merges; ++i) {
      const std::size_t a = best_root(), b = best_[a].second;
      const std::size_t merged = clusters_.merge(a, b);
      best_.emplace_back();
      const std::vector<int64_t> shared = clusters_.matches(merged);
      find_partner(merged, shared);
      for (std::size_t c = 0; c < merged; ++c) {
        if (!clusters_.is_root(c)) continue;
        // The best of all others is beaten only by the new one, or is gone.
        const Partner offer{key(c, merged, shared[c]), merged};
        if (offer < best_[c])
          best_[c] = offer;
        else if (best_[c].second == a || best_[c].second == b)
          find_partner(c, clusters_.matches(c));
      }
    }
  }

 private:
  using Key = std::pair<int64_t, int64_t>;  // smaller is better
  using Partner = std::pair<Key, std::size_t>;

  Key key(std::size_t a, std::size_t b, int64_t shared) const {
    const int64_t output = clusters_.weight(a) + clusters_.weight(b) - shared;
    return choice_ == Choice::smallest_output ? Key{output, -shared} : Key{-shared, output};
  }

  void find_partner(std::size_t cluster, const std::vector<int64_t>& shared) {
    Partner best{{INT64_MAX, INT64_MAX}, cluster};
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      if (c != cluster && clusters_.is_root(c)) best = std::min(best, {key(cluster, c, shared[c]), c});
    best_[cluster] = best;
  }

  std::size_t best_root() const {
    std::size_t best = best_.size();
    for (std::size_t c = 0; c < best_.size(); ++c)
      if (clusters_.is_root(c) && (best == best_.size() || best_[c] < best_[best])) best = c;
    return best;
  }

  Clusters& clusters_;
  Choice choice_;
  std::vector<Partner> best_;  // of each cluster
};

}  // namespace

std::vector<int32_t> binary_merge(const LabelRows& rows, std::size_t n_labels, Choice choice) {
  if (n_labels == 0) throw std::invalid_argument("a tree needs at least one label");
  check(rows, n_labels);
  Clusters clusters(rows, n_labels);
  if (choice == Choice::smallest_input)
    merge_smallest_inputs(clusters);
  else
    PairChoice(clusters, choice).run(n_labels - 1);
  return std::move(clusters).take_parents();
}

}  // namespace labeltree
