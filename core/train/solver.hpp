// Up to sixteen linear classifiers over the same rows, fitted in one pass by dual coordinate descent.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "train/row_window.hpp"
#include "train/solver_pass.hpp"

namespace labeltree {

struct SolverSettings {
  Loss loss;
  float intercept_scaling;  // value of the constant feature; 0 for none
  float tol;                // a classifier is done when no row is further from its optimum
  int max_iter;             // passes over the rows
  int mean_iter;            // weights that have not converged become their mean over the last passes
  int joint_iter;           // the last of them, with rows that were held back before; 0 to leave those out
  float near = -1.0f;  // rows no further from their optimum are not visited in every pass; below 0 for none
};

// Numbers as [item][lane]. Aligned to a cache line, so that an item is one line.
class Block {
 public:
  float* reset(std::size_t n_items);  // all zero
  float* operator[](std::size_t item) { return data_ + item * N_LANES; }
  const float* operator[](std::size_t item) const { return data_ + item * N_LANES; }

 private:
  std::vector<float> memory_;
  float* data_ = nullptr;
};

// Row i has the features index[begin[i]] .. index[begin[i] + size[i] - 1].
struct ProblemRows {
  const int32_t* index;  // null where rows are full: each has all features in their order
  const float* value;
  std::span<const int64_t> begin;
  std::span<const int32_t> size;
  std::span<const float> square;  // sum of the squares of its values
  std::size_t n_features;
  const Block* products = nullptr;  // as by multiply_rows(), or null
  RowWindow* window = nullptr;      // loads rows before they are visited; null where all are loaded
};

// Bit l of reaches[i] says that row i belongs to classifier l, bit l of positive[i] that it is a positive row
// of it.
struct Targets {
  std::span<const uint16_t> reaches, positive;
  std::span<const float> row_weight;  // [row], or empty
  std::span<const int32_t> held;      // rows that are held back, ascending
  float c_positive[N_LANES], c_negative[N_LANES];
};

// Kept between problems, so that its memory is.
struct SolverSpace {
  bool is_warm = false;  // start from the weights that are here
  Block weights;         // [feature], the constant feature last: the result
  Block alpha;           // [row]
  Block scores;          // [row], where there are products
  Block sum;             // [feature] of weights, over several moments
  std::vector<int32_t> order;
  int n_passes = 0;               // over the rows of the last problem
  float violation[N_LANES] = {};  // largest in the last pass; 0 where a classifier was done before it. The
                                  // less of it with and without rows that were held back
};

// The loops for the instructions of this processor.
const SolverLoops& solver_loops();

// Leaves the weights in the space. Returns how many rows were visited, counting passes. Rows that are held
// back join after a fit without them: `before_held` sees its weights in the space.
int64_t solve(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings, uint64_t seed,
              Interrupt& interrupt, SolverSpace& space, const std::function<void()>& before_held = {});

}  // namespace labeltree
