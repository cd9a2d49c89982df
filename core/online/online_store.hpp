// What one parent has learned of its children: weights for each feature seen so far, one lane per child.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "model/weights.hpp"

namespace labeltree {

enum class Optimizer : uint8_t { adagrad, ftrl };

struct OptimizerSettings {
  Optimizer optimizer;
  float learning_rate;
  float smoothing;  // added to the sum of squared gradients (AdaGrad) or its root (FTRL)
  float l1, l2;
  float intercept_scaling;  // value of a constant feature
  float min_gradient;       // a lane whose probability is wrong by less learns nothing from the row

  std::size_t n_planes() const { return optimizer == Optimizer::ftrl ? 3 : 2; }
};

// Lanes are handled in blocks: a block of AdaGrad is one line of the cache.
constexpr std::size_t BLOCK = 8;

template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  bool operator==(const LineAllocator&) const { return true; }
};
using Lines = std::vector<float, LineAllocator<float>>;

// Room to work in, used again by the next row.
struct OnlineSpace {
  std::vector<uint32_t> slots;
  std::vector<float> values, scores;
};

// Lane 0 is the next child: every row that reaches the parent is negative for it, so that a copy of
// it is a new child that has been there all the time. Lanes 1, 2, .. are the children. Lane j of the second
// half, the twin of child j, is there where some child is a leaf: every row of that leaf is negative for it,
// so that the leaf can become a parent. Each row of the table belongs to a feature; row 0 is the bias.
//
// Everything is odd in the weights: a lane that is positive wherever another is negative has minus its
// weights to the last bit.
class OnlineStore {
 public:
  explicit OnlineStore(std::size_t n_planes) : n_planes_(n_planes) { resize(1, false); }

  std::size_t n_lanes() const { return n_lanes_; }
  std::size_t n_rows() const { return features_.size(); }
  bool has_twins() const { return has_twins_; }
  std::size_t n_blocks() const { return (n_lanes_ + BLOCK - 1) / BLOCK; }  // of the first half
  std::size_t n_bytes() const;
  std::span<const int32_t> features() const { return features_; }  // [row]; -1 for the bias
  std::span<const float> data() const { return data_; }
  std::size_t row_size() const { return n_blocks() * (has_twins_ ? 2 : 1) * n_planes_ * BLOCK; }

  // One number of the optimizer: plane 0 holds weights.
  float& number(std::size_t row, std::size_t plane, std::size_t lane, bool is_twin);
  float number(std::size_t row, std::size_t plane, std::size_t lane, bool is_twin) const {
    return const_cast<OnlineStore*>(this)->number(row, plane, lane, is_twin);
  }

  // More or fewer lanes; new ones are 0.
  void resize(std::size_t n_lanes, bool has_twins);
  // Copies all planes of a lane of `from`, times `sign` where signs matter, feature by feature.
  void copy(const OnlineStore& from, std::size_t from_lane, bool from_twin, std::size_t lane, bool is_twin,
            float sign);
  void clear(std::size_t lane, bool is_twin);
  // All of it from a file; throws unless the sizes fit.
  void restore(std::span<const int32_t> features, std::span<const float> data);
  // Drops features whose weights are all at most `least` in size.
  void prune(float least);
  float largest(std::size_t row) const;  // of the weights of a row of the table

  std::size_t find_or_add(int32_t feature);
  // Rows of the table for the features of a row, the bias first; unknown ones are added.
  void locate(const QueryRow& row, std::vector<uint32_t>& slots);
  // Scores of all lanes of the first half. The result is valid until `space` changes.
  std::span<const float> scores(const QueryRow& row, float intercept_scaling, OnlineSpace& space) const;

  // One row of the training data. `positive` are the positive lanes, ascending; `leaves` those of them
  // whose twins are negative. slots is what locate() gave, values are the features with the bias first. Only
  // blocks first .. last - 1 of each half are touched.
  struct Example {
    std::span<const uint32_t> slots;
    std::span<const float> values;
    std::span<const int32_t> positive, leaves;
    float weight;
  };
  void learn(const Example& example, std::size_t first, std::size_t last, const OptimizerSettings& settings);

 private:
  struct Entry {
    int32_t feature;
    uint32_t row;
  };

  std::size_t place(int32_t feature) const;
  void index();
  void learn_block(const Example& example, std::size_t block, uint32_t active, uint32_t positive,
                   const OptimizerSettings& settings);

  std::size_t n_planes_, n_lanes_ = 0;
  bool has_twins_ = false;
  std::vector<Entry> table_;       // open addressing; feature -1 for a free place
  std::vector<int32_t> features_;  // [row]
  Lines data_;                     // [row][half][block][plane][lane]
};

}  // namespace labeltree
