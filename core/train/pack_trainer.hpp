// Fits the classifiers of packs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "train/trainer.hpp"

namespace labeltree {

// A pack with at most this share of all rows gets its own copy of them, with features renumbered so that its
// weights lie close together. Larger packs use most features anyway, and a copy would be one of nearly all of
// X. Full rows need no copy: they lie side by side and use all features.
inline constexpr double MAX_COPIED = 0.25;

// Fits one pack after the other; there is one of them for each thread.
class PackTrainer {
 public:
  PackTrainer(const Trainer& trainer, const WindowLimits& limits);
  // The weights of the nodes of a pack, in any order of their features.
  NodeWeights train(const Pack& pack, Interrupt& interrupt);

 private:
  void set_targets(const Pack& pack, std::span<const int32_t> rows);
  void reach_by_candidates(std::span<const int32_t> rows);
  void reach_by_paths(const Pack& pack, std::span<const int32_t> rows);
  void set_features(std::span<const int32_t> rows);
  int32_t local_feature(int32_t feature);
  void add_warm_features(const Pack& pack);
  void copy_rows(std::span<const int32_t> rows);
  void multiply(const Pack& pack, Interrupt& interrupt);
  ProblemRows problem_rows();
  void set_warm_start(const Pack& pack, std::size_t n_features);
  Targets targets(const Pack& pack, std::span<const int32_t> rows);
  SolverSettings solver_settings(const ProblemRows& problem) const;
  void score_held(const Pack& pack, std::span<const int32_t> rows, const ProblemRows& problem);
  uint16_t lanes_with_positive() const;
  void set_limits(const Pack& pack, std::size_t n_features);
  NodeWeights collect(const Pack& pack, std::size_t n_features);
  int64_t n_far_pairs(const Pack& pack) const;
  uint16_t larger(std::size_t feature, const float* limits) const;
  float smallest_kept(std::size_t lane, std::size_t n_features);

  static constexpr auto NO_SLOT = static_cast<std::size_t>(-1);

  const Trainer& t_;
  SolverSpace space_;
  std::vector<int8_t> lane_of_;                // [node]
  std::vector<int32_t> local_of_, global_of_;  // [feature], [local feature]
  std::size_t slot_ = NO_SLOT;                 // whose rows are set
  bool is_windowed_;                           // whether rows must not be read in place
  RowWindow window_;
  bool is_copied_ = false;      // with features renumbered
  bool is_direct_ = true;       // whether rows are read in place
  bool is_loaded_ = false;      // whether all rows are in the window
  Trainer::Products products_;  // of rows with each other, where they are multiplied
  std::vector<int64_t> begin_;
  std::vector<int32_t> size_;
  std::vector<float> square_, row_weight_, sizes_;
  std::vector<uint16_t> reaches_, positive_;
  std::vector<uint16_t> kept_;       // [local feature] a bit for each lane
  float limits_[N_LANES] = {};       // larger weights are kept
  float pair_limits_[N_LANES] = {};  // the same of pairs of features
  std::vector<int32_t> held_;        // rows of the pack that are held back
  std::vector<int64_t> held_pairs_;
  std::vector<float> held_scores_;
  Block scored_;  // [row that is held back]
};

}  // namespace labeltree
