// Which cluster a label is in, while clusters are joined.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "base/index.hpp"

namespace labeltree {

// A cluster is named by one of its labels; joining a to c leaves the name c.
class ClusterNames {
 public:
  explicit ClusterNames(int32_t n_labels) : towards_(at(n_labels)) {
    std::iota(towards_.begin(), towards_.end(), 0);
  }

  int32_t find(int32_t label) {
    while (towards_[at(label)] != label) label = towards_[at(label)] = towards_[at(towards_[at(label)])];
    return label;
  }
  void join(int32_t a, int32_t c) { towards_[at(a)] = c; }

 private:
  std::vector<int32_t> towards_;  // [label] the name, or a step nearer to it
};

}  // namespace labeltree
