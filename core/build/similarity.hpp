// Similarity of the features of clusters of labels, while clusters are joined.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "build/cluster_names.hpp"
#include "build/label_vectors.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// The vector of a cluster is the sum of its labels' vectors, of which only the heaviest entries are kept.
class Similarity {
 public:
  // `groups` is a tree in which similar labels are near each other. `share` is how much similarity counts: at
  // 0 only the price does, at 1 only the cosine.
  Similarity(const LabelVectors& vectors, const Tree& groups, double share, std::size_t max_entries);

  // Prepares cosine() for a; appends some clusters of the smallest groups around a, not always all of
  // them, and perhaps a itself.
  void look_from(int32_t a, ClusterNames& names, std::vector<int32_t>& near);
  double cosine(int32_t c) const;
  void join(int32_t a, int32_t c);
  std::vector<Entry> take(int32_t cluster) { return std::move(vectors_[at(cluster)]); }

  // What merging minimizes. Both factors are without a unit, so no scale has to be chosen: halving
  // the price counts as much as halving the distance when share is 1/2.
  double blend(double price, double cosine) const {
    return (1.0 - share_) * std::log(price) + share_ * std::log(1.0 - cosine + MIN_DISTANCE);
  }

 private:
  static constexpr double MIN_DISTANCE = 0.01;  // that of labels with equal features, which rounding blurs

  const std::vector<int32_t>& clusters_of(int32_t group, ClusterNames& names);
  void scatter(int32_t a);

  double share_;
  std::size_t max_entries_;
  const Tree& groups_;
  std::vector<std::vector<int32_t>> clusters_;  // [group] clusters in it, perhaps under a former name
  std::vector<int32_t> home_;                   // [cluster] the smallest group that holds others too
  std::vector<int64_t> last_walk_;              // [cluster]
  int64_t walk_ = 0;
  std::vector<std::vector<Entry>> vectors_;  // [cluster]
  std::vector<double> squares_;              // [cluster] of the length
  std::vector<float> from_;                  // [feature] of the cluster we look from
  int32_t looking_from_ = -1;
};

}  // namespace labeltree
