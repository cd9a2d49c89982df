// What one pass of the solver over its rows reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace labeltree {

inline constexpr int N_LANES = 16;
inline constexpr int MAX_VISITS = 4096;    // between two looks for an interrupt
inline constexpr int WINDOW_VISITS = 512;  // between two looks for rows that must be loaded; divides it

enum class Loss : uint8_t { squared_hinge, logistic };

// Plain memory, because its loops are compiled for several levels of instructions: the linker keeps one copy
// of a template of the standard library, and some processor lacks what it was compiled for. See solver.hpp
// for what is not described here.
struct SolverPass {
  Loss loss;
  float intercept_scaling;

  const int32_t* index;  // null where rows are full
  const float* value;
  const int64_t* begin;
  const int32_t* size;
  const float* square;
  std::size_t n_features;

  const uint16_t *reaches, *positive;
  const float* row_weight;               // null for none
  const float *c_positive, *c_negative;  // [lane]

  const float* products;  // [row][n_products] of rows with each other; null where rows are multiplied
  std::size_t n_products;
  float* scores;  // [row][lane], kept instead of weights where there are products

  float* weights;  // [feature][lane], aligned to a cache line
  float* alpha;    // [row][lane], aligned to a cache line
  int32_t* order;  // rows: the active ones, those that are near their optimum, those that are right

  std::size_t at, n_active;  // the next row in the order, and where the active ones end
  std::size_t n_near;        // rows behind the active ones that are near their optimum
  int max_visits;            // of one call
  uint16_t open;             // bits of the classifiers that are not done
  float near;                // a row is near its optimum if no classifier is further from it
  float slack[N_LANES];      // right by more than any row was wrong in the last pass, or than matters
  float worst[N_LANES];      // largest violation in this pass
};

// Visits the next active rows, max_visits and a few at most. A row that no classifier gains from, or gains
// little from, goes behind the active ones.
using VisitRows = void(SolverPass& pass);

// Entries begin[i] .. end[i] - 1 of rows, whose features are at least `first`.
struct RowParts {
  const int32_t* index;
  const float* value;
  const int64_t *begin, *end;  // [row]
  std::size_t n_rows;
  int32_t first;
};

// scores[i * stride] += weights of the features of row i, numbered from the first, times its values. All have
// a number for each lane and are aligned to a cache line. Unless null, limits drop weights that are no
// larger.
using ScoreParts = void(const RowParts& rows, const float* weights, const float* limits, float* scores,
                        std::size_t stride);
// weights += changes[i] times the values of row i.
using AddParts = void(const RowParts& rows, const float* changes, float* weights);

// The loops of one level of instructions.
struct SolverLoops {
  VisitRows* visit;
  ScoreParts* score;
  AddParts* add;
};

}  // namespace labeltree
