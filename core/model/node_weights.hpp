// The weights of some nodes as training makes them.
#pragma once

#include <cstdint>
#include <vector>

namespace labeltree {

// Sparse weights of some nodes: those of nodes[i] are at indptr[i] .. indptr[i + 1] - 1, features ascending.
struct NodeWeights {
  std::vector<int32_t> nodes;
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> features;
  std::vector<float> values;
  std::vector<float> bias;  // [i] what the constant feature adds
  // Scores of rows that were held back, from a fit without them, and the numbers of their (row, node) pairs.
  std::vector<int64_t> held_pairs;
  std::vector<float> held_scores;
  int64_t n_visits = 0;     // rows visited, counting passes
  int n_passes = 0;         // over the rows of any of the nodes, at most
  int64_t n_far_pairs = 0;  // (row, node) pairs of nodes that end far from their optimum
};

}  // namespace labeltree
