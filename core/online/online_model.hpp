// Learning row by row: each row trains the nodes of Algorithm 1, and new labels find a place in the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"
#include "model/node_weights.hpp"
#include "model/siblings.hpp"
#include "online/online_store.hpp"
#include "online/online_tree.hpp"

namespace labeltree {

// All that an OnlineModel is, as flat arrays: nodes breadth first, the one above the root first. What is in
// `stores` lies one node after the other.
struct OnlineArrays {
  std::vector<int32_t> parent, label;
  std::vector<int64_t> n_rows;                                 // [node]
  std::vector<int64_t> row_begin, example_begin, loose_begin;  // [node + 1] into features, examples, loose
  StoreArrays stores;
};

struct OnlineView {
  std::span<const int32_t> parent, label;
  std::span<const int64_t> n_rows, row_begin, example_begin, loose_begin;
  StoreView stores;
};

struct OnlinePredictions {
  std::vector<int32_t> labels;       // [row * k]; -1 where there are fewer
  std::vector<float> probabilities;  // 0 there
};

struct OnlineCounts {
  int64_t n_rows = 0, n_unlabeled = 0;
  int64_t cost = 0;  // (row, node) pairs learned
};

struct OnlineSettings {
  OptimizerSettings learning;
  GrowthSettings growth;
};

class OnlineModel {
 public:
  OnlineModel(std::size_t n_features, const OnlineSettings& settings);
  OnlineModel(const Tree& tree, std::size_t n_features, const OnlineSettings& settings);
  // Throws std::invalid_argument where the arrays break a rule that keeps kernels within them.
  OnlineModel(const OnlineView& arrays, const OnlineCounts& counts, std::size_t n_features,
              const OnlineSettings& settings);

  const OnlineTree& tree() const { return tree_; }
  const OnlineCounts& counts() const { return counts_; }
  void set_counts(const OnlineCounts& counts) { counts_ = counts; }
  std::size_t n_features() const { return n_features_; }
  std::size_t n_weights() const;
  std::size_t n_bytes() const;

  // Learns rows in their order. Labels from n_labels() on are new: they come in the order of their first
  // rows, and a row's new labels are in ascending order. `weight` has one number per row or is empty. The
  // result is the same for every number of threads and for every way to cut rows into calls.
  // An interrupt is handled between rows: those before it are learned.
  void learn(const FeatureRows& rows, const LabelRows& labels, std::span<const float> weight, int n_threads,
             Interrupt& interrupt);
  // The same on one thread, and the k best labels of each row before it is learned.
  OnlinePredictions predict_then_fit(const FeatureRows& rows, const LabelRows& labels, int32_t k,
                                     SiblingSums siblings, Interrupt& interrupt);
  // The k best labels of a row.
  OnlinePredictions best(const QueryRow& row, int32_t k, SiblingSums siblings) const;

  void remove_labels(std::span<const uint8_t> keep) { tree_.remove_labels(keep); }
  // Drops the features with the smallest weights until at most max_weights are left.
  void prune(std::size_t max_weights);
  // The labels below `tree` as a new model: parents whose children have the same labels as here keep all that
  // was learned; other children start from the node with the same labels, if there is one. is_new gets a 1
  // for each parent, numbered as in `tree` plus one, that did not keep all.
  OnlineModel rebuilt(const Tree& tree, std::vector<uint8_t>& is_new) const;
  // Lets only these nodes learn: rows that have been learned already, for parents that are new.
  void replay(const FeatureRows& rows, const LabelRows& labels, std::span<const uint8_t> nodes, int n_threads,
              Interrupt& interrupt);

  // Labels that no row has had yet.
  void add_labels(std::size_t n);
  // The tree as Tree numbers it.
  NodeLists nodes() const;
  // Weights of nodes first .. last - 1 of tree().breadth_first(), without those of at most
  // `weight_threshold`.
  NodeWeights weights(std::size_t first, std::size_t last, float weight_threshold) const;
  // Starts the children of a node (breadth first; -1 for what is above the root) from given weights, as if
  // this sum of squared gradients had made them.
  void warm_start(int32_t node, const NodeWeights& children, float squared_gradients);
  OnlineArrays arrays() const;

 private:
  struct Pair {
    int32_t node;  // -1 once it has learned the row
    uint32_t row;
    uint32_t first, last;            // in lanes_
    uint32_t leaf_first, leaf_last;  // in leaf_lanes_
    SharedRow waiting;               // where there are leaves
  };

  void check(const FeatureRows& rows, const LabelRows& labels) const;
  void grow(std::size_t row, const FeatureRows& rows, std::span<const float> weight,
            std::span<const int32_t> labels);
  void mark(std::span<const int32_t> labels);
  void gather(std::size_t row, const FeatureRows& rows, std::span<const float> weight,
              std::span<const int32_t> labels);
  void settle(int32_t node, const FeatureRows& rows, std::span<const float> weight);
  void count(std::span<const int32_t> labels);
  void flush(const FeatureRows& rows, std::span<const float> weight, std::span<const uint8_t> nodes,
             int n_threads);
  void forget_notes();
  void learn_node(std::span<const Pair> pairs, const FeatureRows& rows, std::span<const float> weight,
                  std::span<const LocatedRow> located, std::size_t first, std::size_t last,
                  OnlineSpace& space);
  OnlinePredictions best(const QueryRow& row, int32_t k, SiblingSums siblings, OnlineSpace& space) const;
  LaneNumbers warm_start(float weight, float squared_gradients) const;

  OnlineSettings settings_;
  std::size_t n_features_;
  OnlineTree tree_;
  OnlineCounts counts_;

  // Room for learn().
  std::vector<Pair> pairs_;
  std::vector<uint32_t> n_noted_;  // [node] in pairs_
  std::vector<int32_t> lanes_, leaf_lanes_, marked_;
  std::vector<uint8_t> is_positive_;
  OnlineSpace space_;
};

}  // namespace labeltree
