// One bisection of a cluster by 2-means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "build/label_vectors.hpp"

namespace labeltree {

// Label vectors in the numbering of the cluster they are in. Clusters are ranges of `order` and share no
// label, so several threads may bisect several clusters at the same time.
struct ClusteredLabels {
  // All labels are one cluster.
  explicit ClusteredLabels(LabelVectors&& vectors);

  std::span<Entry> operator[](int32_t label) {
    return {entries.data() + begin[static_cast<std::size_t>(label)],
            static_cast<std::size_t>(length[static_cast<std::size_t>(label)])};
  }

  // Labels of a cluster lie scattered among the others, so the processor does not foresee which are next.
  void prefetch(int32_t label) const {
    const Entry* const first = entries.data() + begin[static_cast<std::size_t>(label)];
    for (int line = 0; line < 4; ++line) __builtin_prefetch(first + 8 * line);
  }

  std::vector<int32_t> order;  // all labels, those of a cluster side by side
  std::vector<int64_t> begin;
  std::vector<int32_t> length;
  std::vector<float> alone;  // [label] sum of squares of the features that no other label of its cluster has
  std::vector<float> total_dot;  // [label] product with the sum of its cluster
  std::vector<Entry> entries;
};

struct Cluster {
  int32_t first = 0, last = 0;  // range of `order`
  int32_t n_features = 0;       // of the numbering its labels are in
  uint64_t seed = 0;

  int32_t size() const { return last - first; }
};

class Bisector {
 public:
  Bisector(ClusteredLabels& labels, int n_threads, Interrupt& interrupt)
      : labels_(labels), n_threads_(n_threads), interrupt_(interrupt) {}

  // Reorders the labels of a cluster so that its first part is the left side, and returns both sides. The
  // left side has n_left labels, or as many as are nearer to its centroid if n_left is 0; neither is empty.
  // Within a side, labels keep their order.
  std::pair<Cluster, Cluster> split(Cluster cluster, int32_t n_left);

 private:
  void renumber(Cluster& cluster);
  std::size_t put_empty_last(const Cluster& cluster);
  void two_means(std::span<const int32_t> members, int32_t n_left, const Cluster& cluster);
  void choose_sides(int32_t n_left);
  void move_centroid(std::span<const int32_t> members, bool first_round);
  template <class Body>
  void for_all(std::span<const int32_t> members, Body body);
  void dot_left(std::span<const int32_t> members, std::vector<float>& dots);
  double compare(std::span<const int32_t> members);

  ClusteredLabels& labels_;
  int n_threads_;
  Interrupt& interrupt_;

  // [feature]
  std::vector<int32_t> number_;
  std::vector<float> left_;  // sum of the left side
  // [label of the cluster that has features]
  std::vector<float> left_dot_;
  std::vector<float> lean_;  // how much nearer the label is to the left centroid
  std::vector<char> is_left_, was_left_;
  std::vector<std::pair<float, int32_t>> ranked_;
};

}  // namespace labeltree
