// All node classifiers of a tree.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"
#include "model/node_weights.hpp"
#include "train/pack.hpp"
#include "train/solver.hpp"
#include "tree/path_pairs.hpp"
#include "tree/tree.hpp"

namespace labeltree {

struct TrainSettings {
  SolverSettings solver;
  float weight_threshold;  // weights of at most this size are dropped
  float pair_threshold;    // the same of pairs of features
  int32_t n_pairs;         // features at the end that are pairs
  int32_t max_nonzeros;    // weights a node may keep, the largest; 0 for all
  uint64_t seed;
  // What a slice of the rows of a pack has at least: entries, rows for each feature, positive rows of a node.
  double slice_entries = 0.0;  // 0 for no slices
  double slice_rows = 0.0;
  int64_t slice_positive = 0;
};

// Factors of the loss: one for each node and class of rows, times one for each row.
struct LossWeights {
  std::span<const float> positive, negative;  // [node]
  std::span<const float> row;                 // [row], or empty where all weigh 1
};

// Weights that training starts from: those of node v are at indptr[v] .. indptr[v + 1] - 1. All empty for
// none.
struct WarmStart {
  std::span<const int64_t> indptr;
  std::span<const int32_t> features;
  std::span<const float> values, bias;
};

// Rows and what they are labeled with.
struct TrainingRows {
  LabelRows labels;
  FeatureRows features;
  std::size_t n_features;
  // Labels that each row is an example for, in addition to its own. No rows, where nodes are trained instead.
  LabelRows candidates;
  // Ascending rows that nodes are first fitted without. None, where rankers are trained.
  std::span<const int32_t> held;
  // [node] positive rows, as by node_weights(); empty to count them.
  std::span<const int64_t> n_positive = {};
  // Bytes that a walk over all features may leave in memory of the files they are mapped from; 0 for all.
  std::size_t page_bytes = 0;
  // Whether packs only have costs and are not trained.
  bool is_estimate = false;
};

// Fits packs of nodes over the rows that reach them: a row goes down the tree by its labels, and reaches the
// children of every node that it is positive for. Where there are candidates, it fits rankers instead, which
// are classifiers of the leaves alone: a row reaches the leaves of its labels and of its candidates. The
// weights of a pack depend on its rows, its nodes and the seed alone: they are the same for any number of
// threads and any order of packs.
class Trainer {
 public:
  // The arrays behind the views must outlive the trainer.
  Trainer(const Tree& tree, const TrainingRows& rows, const LossWeights& loss_weights,
          const WarmStart& warm_start, const TrainSettings& settings);

  // Work of each pack as rows times their features, the most expensive pack first.
  std::vector<double> costs() const;
  // Rows of each pack, in the same order.
  std::vector<int64_t> n_rows() const;
  // [node] its positive rows.
  std::vector<int64_t> n_positive() const { return weights_; }
  // [node] packs that train it: 0, 1, or the number of slices of its rows.
  std::vector<int32_t> n_slices() const;
  // [node] 1 where the node is in a pack.
  std::vector<uint8_t> is_trained() const;
  // (row, node) pairs of the rows that are held back, numbered as by PathPairs.
  std::size_t n_held_pairs() const { return held_pairs_.size(); }
  // Bytes that one thread needs at most, and bytes that all share. Unless 0, a window is the bytes of copies
  // of rows that a thread may hold: then it reads no row in place, and nothing else of X stays in memory.
  double thread_bytes(double window_bytes) const;
  double shared_bytes() const;
  double min_window_bytes() const;

  // Fits the packs first .. last - 1 in the order of costs(). The window does not change the weights.
  NodeWeights train(std::size_t first, std::size_t last, int n_threads, double window_bytes,
                    Interrupt& interrupt) const;

 private:
  friend class PackTrainer;

  bool is_warm() const { return !warm_start_.indptr.empty(); }
  bool has_candidates() const { return !candidates_.indptr.empty(); }
  std::span<const int32_t> rows_of(const Pack& pack) const;
  std::size_t slot_of(const Pack& pack) const;
  bool is_multiplied(const Pack& pack) const;
  bool is_copied(std::size_t n_rows) const;
  using Products = std::shared_ptr<const Block>;
  Products products_of(const Pack& pack, const std::function<void(Block&)>& multiply) const;
  void check_rows() const;
  void read_features(bool with_squares);
  void check_warm_start() const;
  void set_held(std::span<const int32_t> held, bool with_root);
  int32_t most_slices() const;
  std::size_t number_slots();
  void count_rows();
  void index_rows();
  template <class Visit>
  void visit_tops(Visit visit) const;
  void set_costs();

  const Tree& tree_;
  LabelRows labels_, candidates_;
  FeatureRows features_;
  std::size_t n_features_;
  std::size_t page_bytes_;
  bool is_full_ = true;       // whether every row has all features in their order
  bool is_ascending_ = true;  // whether the features of every row are
  LossWeights loss_weights_;
  WarmStart warm_start_;
  TrainSettings settings_;
  std::vector<int64_t> weights_;  // Hamming weight of each node
  std::vector<Pack> packs_;       // most expensive first
  std::vector<double> costs_;     // [pack]
  std::vector<int32_t> held_of_;  // [row] its number among those held back, or -1; empty without such
  PathPairs held_pairs_;
  std::vector<float> square_;  // [row] sum of the squares of its values
  // Rows of tops of packs: those of node v are rows_[begin_[slot_[v + 1]]] .., of -1 slot_[0]. Those of
  // slices of the root are at sliced_slot_[1] and behind it, of -1 sliced_slot_[0].
  std::vector<int32_t> slot_, rows_;
  int32_t n_slices_ = 1;
  int32_t sliced_slot_[2] = {-1, -1};
  std::vector<int64_t> begin_;
  std::vector<double> product_share_;  // [slot] time with products of its rows, of that without
  // Those of the last slot. Threads and calls of train() share them.
  mutable std::mutex products_mutex_;
  mutable Products products_;
  mutable std::size_t products_slot_ = static_cast<std::size_t>(-1);  // none
};

// What the nodes of a tree take to train, in the unit of Trainer::costs(): it follows from counts of rows,
// features and nodes alone.
double training_work(const Tree& tree, const LabelRows& labels, const FeatureRows& features,
                     std::size_t n_features);

}  // namespace labeltree
