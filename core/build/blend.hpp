// φ merging that also counts the similarity of the labels' features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "build/label_vectors.hpp"
#include "build/price.hpp"
#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

struct BlendSettings {
  double similarity;  // 0: price only, 1: cosine of the clusters' vectors only
  uint64_t seed;
  int n_threads;         // the tree is the same for every number
  int64_t max_top_rows;  // of which clusters of several parts are joined; of more, every n-th is used
};

// Items that are joined with each other only, and all that is needed to join them, here or elsewhere. Items
// are labels at first, then clusters of them.
struct BlendPart {
  LabelVectors vectors;           // of the items, with features numbered within the part
  std::vector<int32_t> features;  // [feature of the part] its number among all
  std::vector<int64_t> indptr;    // items of each row that has some
  std::vector<int32_t> indices;
  int64_t min_weight;  // clusters of at least this many rows are not joined with each other
  uint64_t seed;
  int64_t step = 1;  // number of rows that each row stands for
};

// What has become of a part.
struct JoinedPart {
  std::vector<int32_t> parent;  // items first, children before their parents; -1 for clusters
  LabelVectors vectors;         // of the clusters in the order of their nodes, with features among all
};

// `n_rows` is the number of all rows.
JoinedPart join_part(const BlendPart& part, Price price, double n_rows, double similarity, int n_threads,
                     Interrupt& interrupt);

// Numbers the features of some items again, so that what is kept for each feature lies close together.
class Selector {
 public:
  explicit Selector(int32_t n_features) : local_(static_cast<std::size_t>(n_features), -1) {}

  // Sets the vectors and the features of a part.
  void select(const LabelVectors& vectors, std::span<const int32_t> items, BlendPart& part);

 private:
  std::vector<int32_t> local_, used_;  // [feature] or -1; features that are not -1
};

// The steps of a blend: as long as it is not done, split items into parts and join each of them.
class Blending {
 public:
  Blending(LabelVectors vectors, const LabelRows& rows, const BlendSettings& settings);

  bool is_done() const { return n_items() <= 1; }
  // Returns the number of parts.
  std::size_t split(Interrupt& interrupt);
  // The parts, the most expensive first.
  std::vector<int32_t> order() const;
  BlendPart part(std::size_t number, Selector& selector) const;
  // Clusters are the next items. There must be one joined part for each.
  void join(std::span<const JoinedPart> joined);
  NodeLists finish() { return std::move(tree_); }

  int32_t n_features() const { return vectors_.n_features; }

 private:
  struct Members {
    std::vector<int32_t> items;
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> indices;
  };

  int32_t n_items() const { return static_cast<int32_t>(node_.size()); }
  int32_t add_node(int32_t label);
  static void take_rows(const Members& members, BlendPart& part);
  std::vector<int32_t> part_of_items(Interrupt& interrupt) const;
  void graft(const Members& part, std::span<const int32_t> parents, std::vector<int32_t>& next,
             std::vector<int32_t>& cluster_of);
  void name_clusters(std::span<const int32_t> cluster_of);

  BlendSettings settings_;
  uint64_t level_ = 0;
  std::vector<int32_t> node_;    // [item] in the tree made so far
  LabelVectors vectors_;         // [item] sums of the labels' vectors
  std::vector<int64_t> indptr_;  // items of each row
  std::vector<int32_t> indices_;
  std::vector<Members> parts_;
  NodeLists tree_;
};

// Joins the smallest cluster with the best of: the cheapest clusters that share rows with it, clusters near
// it in a 2-means tree, and the next smallest. At most about 50 cosines per step, each linear in the entries
// of the other cluster's vector, of which a few thousand at most are kept.
//
// Where similarity counts for three quarters or more, more than 4096 labels are first split by 2-means into
// parts of similar labels, in which clusters grow until about an eighth as many are left as there were; then
// these clusters are split in the same way, until one part is left. Parts are merged in parallel. Where the
// price counts for more, labels that share rows must be free to join.
NodeLists blend(const FeatureRows& features, int32_t n_features, const LabelRows& rows, int32_t n_labels,
                Price price, const BlendSettings& settings, Interrupt& interrupt);

}  // namespace labeltree
