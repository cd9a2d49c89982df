// What one parent has learned of its children: weights for each feature seen so far, one lane per child.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/weights.hpp"
#include "online/feature_table.hpp"
#include "online/optimizer.hpp"

namespace labeltree {

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

// Where the numbers of the features of one row are while the row is learned.
struct LocatedRow {
  std::vector<float*> rows;  // the bias first
  int64_t example;           // whose gradients features remember, or -1
};

// A row that twins have yet to learn; they share it.
struct WaitingRow {
  std::vector<int32_t> features;
  std::vector<float> values;  // the bias first
  float weight;
};
using SharedRow = std::shared_ptr<const WaitingRow>;

// Room to work in, used again by the next row.
struct OnlineSpace {
  std::vector<LocatedRow> located;
  Lines scratch;  // rows of numbers
  std::vector<float*> rows;
  std::vector<float> values, scores;
};

// One number per plane of the optimizer: weight, squared gradients and for FTRL z.
using LaneNumbers = std::array<float, 3>;

// A store as flat arrays; see docs/reference/model-file.md.
struct StoreArrays {
  std::vector<int32_t> features;                     // ascending, the bias (-1) first
  std::vector<uint8_t> forms;                        // of each feature
  std::vector<float> numbers;                        // [dense feature][block][plane][lane]
  std::vector<int32_t> examples;                     // that a feature remembers
  std::vector<float> values, gradients;              // of a feature in an example; [example][lane]
  std::vector<int32_t> loose_features, loose_lanes;  // -1 - lane for twins
  std::vector<float> loose_numbers;                  // [entry][plane]
};

struct StoreView {
  std::span<const int32_t> features;
  std::span<const uint8_t> forms;
  std::span<const float> numbers;
  std::span<const int32_t> examples;
  std::span<const float> values, gradients;
  std::span<const int32_t> loose_features, loose_lanes;
  std::span<const float> loose_numbers;
};

// How long the other arrays of a store are.
struct StoreSizes {
  std::size_t numbers, examples, gradients, loose_numbers;
};

// Lane 0 is the next child: every row that reaches the parent is negative for it, so that a copy of
// it is a new child that has been there all the time. Lanes 1, 2, .. are the children. The twin of child j is
// there where it is a leaf: every row of that leaf is negative for it, so that the leaf can become a parent.
//
// Most features are seen once or twice, so a feature has one of three forms:
// - It remembers the examples it was seen in, with its value in each. An example has the gradients of all
//   lanes, which all its features share, and the numbers follow from them.
// - It is dense, from the third row on: numbers for all lanes.
// - It is loose: numbers of some lanes, which were copied from elsewhere, until a row is learned. Other lanes
//   may go on from those of an older store: their numbers are there until then.
// Twins are apart: each has the features of the rows of its leaf. They are needed when their leaf becomes a
// parent, which few do, so the last rows wait until then.
//
// Everything is odd in the weights: a lane that is positive wherever another is negative has minus its
// weights to the last bit.
class OnlineStore {
 public:
  explicit OnlineStore(const OptimizerSettings& settings);

  std::size_t n_lanes() const { return n_lanes_; }
  std::size_t n_weights() const {
    return ((origins_.empty() ? table_.size() : features().size()) + 1) * n_lanes_;
  }
  bool has_twins() const { return !twins_.empty(); }
  std::size_t n_blocks() const { return (n_lanes_ + BLOCK - 1) / BLOCK; }
  std::size_t n_bytes() const;
  std::vector<int32_t> features() const;  // without the bias, ascending
  // Those that were seen here, and not only where lanes go on from.
  std::vector<int32_t> own_features() const { return table_.sorted_features(); }
  // The weights of eight lanes of a feature; -1 is the bias.
  void weights(int32_t feature, std::size_t block, float* out) const;
  // The weights of a lane for features that are not its own, ascending.
  std::vector<std::pair<int32_t, float>> older_weights(std::size_t lane) const;

  // More or fewer lanes; new ones are 0.
  void resize(std::size_t n_lanes, bool has_twins);
  // The numbers of one lane that has none for the feature yet.
  void set(int32_t feature, std::size_t lane, bool is_twin, const LaneNumbers& numbers);
  // Copies a lane within the store.
  void copy(std::size_t from_lane, std::size_t lane);
  // An empty lane goes on from the lane of another store, which does not change any more.
  void go_on(const std::shared_ptr<const OnlineStore>& from, std::size_t from_lane, std::size_t lane);
  // Copies what lanes go on from.
  void copy_origins();
  // Adds this store and those that its lanes go on from.
  void collect(std::unordered_set<const OnlineStore*>& stores) const;
  // Copies a twin, of this or another store.
  void copy_twin(const OnlineStore& from, std::size_t from_lane, std::size_t lane);
  // Lanes 0 and 1 of an empty store from a leaf's twin in another: all rows were negative for 0, and positive
  // for 1.
  void start_from_twin(const OnlineStore& from, std::size_t from_lane, OnlineSpace& space);
  void clear(std::size_t lane, bool is_twin);

  StoreArrays arrays() const;
  StoreSizes sizes(std::span<const uint8_t> forms, std::size_t n_examples, std::size_t n_loose) const;
  // All of it from a file; throws unless everything lies within the arrays.
  void restore(const StoreView& view);
  // The largest weight of each feature; no lane goes on from another store.
  std::vector<std::pair<int32_t, float>> largest() const;
  // Drops features whose weights are all at most `least` in size; no lane goes on from another store.
  void prune(float least);

  // Finds the numbers of the features of rows that are learned next, in this order, and notes what features
  // remember. Valid until the next call.
  void locate(std::span<const QueryRow> rows, OnlineSpace& space);
  // Scores of all lanes. The result is valid until `space` changes.
  std::span<const float> scores(const QueryRow& row, OnlineSpace& space) const;

  // One row of the training data. `positive` are the positive lanes, ascending; `leaves` those of them
  // whose twins are negative. values are the features with the bias first. Only blocks first .. last - 1 and
  // their twins are touched.
  struct Example {
    const LocatedRow& located;
    std::span<const float> values;
    std::span<const int32_t> positive, leaves;
    float weight;
    const SharedRow& waiting;  // the same row, where there are leaves
  };
  void learn(const Example& example, std::size_t first, std::size_t last);

 private:
  enum class Form : uint32_t { loose, once, twice, dense };
  // Two words of the table: where the numbers of a feature are.
  struct Place {
    Form form;
    uint32_t index;  // of an example, two memories, a dense row, or the first loose entry (0 for none)
    float value;     // in the example
  };
  struct Memories {
    std::array<uint32_t, 2> examples;
    std::array<float, 2> values;
  };
  struct Loose {
    uint32_t lane, next;  // 0 for none
  };
  struct Origin {
    std::shared_ptr<const OnlineStore> store;  // none for lanes that started here
    std::size_t lane;
  };
  struct Twin {
    explicit Twin(std::size_t n_planes) : table(n_planes) {}
    LaneNumbers bias{};
    FeatureTable table;
    std::vector<SharedRow> waiting;  // after those that bias and table are made of
  };

  static constexpr uint32_t INDEX_BITS = 30;
  static Place place_of(const float* words) {
    const auto bits = std::bit_cast<uint32_t>(words[0]);
    return {static_cast<Form>(bits >> INDEX_BITS), bits & ((1u << INDEX_BITS) - 1), words[1]};
  }
  static void put(float* words, const Place& place) {
    words[0] = std::bit_cast<float>(static_cast<uint32_t>(place.form) << INDEX_BITS | place.index);
    words[1] = place.value;
  }
  static std::size_t n_remembered(const Place& place) {
    return place.form == Form::once ? 1 : place.form == Form::twice ? 2 : 0;
  }
  std::size_t row_size() const { return n_blocks() * n_planes_ * BLOCK; }
  float* dense(std::size_t index) { return dense_.data() + index * row_size(); }
  const float* dense(std::size_t index) const { return dense_.data() + index * row_size(); }
  float* number(std::size_t dense_row, std::size_t lane) {
    return dense(dense_row) + lane / BLOCK * n_planes_ * BLOCK + lane % BLOCK;
  }
  float* gradients(std::size_t example) { return gradients_.data() + example * n_blocks() * BLOCK; }
  const float* gradients(std::size_t example) const {
    return gradients_.data() + example * n_blocks() * BLOCK;
  }
  std::size_t n_dense() const { return dense_.size() / row_size(); }
  uint32_t add_dense();
  uint32_t add_example();
  void remember(float* words, uint32_t example, float value);
  void forget(const Place& place);
  void add_loose(float* words, std::size_t lane, const float* numbers);
  void remove_loose(float* words, std::size_t lane);
  bool find_loose(const Place& place, std::size_t lane, float* numbers) const;
  // All numbers of blocks first .. last - 1 of a feature that is not dense; `out` is 0.
  void expand(const Place& place, int32_t feature, std::size_t first, std::size_t last, float* out) const;
  void expand_loose(const Place& place, std::size_t first, std::size_t last, float* out) const;
  void expand_origins(int32_t feature, std::size_t first, std::size_t last, float* out) const;
  void make_dense(float* words, int32_t feature);
  void make_dense_unless_zero(float* words, int32_t feature);
  // A feature that is not in the table is loose.
  Place find_place(int32_t feature) const {
    if (feature < 0) return {Form::dense, 1, 0.0f};
    const float* words = table_.find(feature);
    return words == nullptr ? Place{Form::loose, 0, 0.0f} : place_of(words);
  }
  LaneNumbers lane_numbers(const Place& place, int32_t feature, std::size_t lane) const;
  LaneNumbers lane_numbers(int32_t feature, std::size_t lane) const {
    return lane_numbers(find_place(feature), feature, lane);
  }
  // Calls body(feature, numbers) for the features of a lane that are not 0, without the bias.
  using LaneBody = std::function<void(int32_t, const LaneNumbers&)>;
  void each_of_lane(std::size_t lane, const LaneBody& body) const;
  // Asks for the numbers of a lane ahead of their use.
  void prefetch(const Place& place, std::size_t lane) const {
    if (place.form == Form::dense) __builtin_prefetch(dense(place.index) + lane / BLOCK * n_planes_ * BLOCK);
    if (place.form == Form::once) __builtin_prefetch(gradients(place.index) + lane);
  }
  void copy_origin(std::size_t lane);  // so that the lane does not need it
  struct Run;
  void find_words(std::span<const QueryRow> rows, std::vector<float*>& words);
  std::size_t make_room(const Run& run, std::span<float* const> words);
  // Numbers of a feature that is not dense, while rows are learned.
  float* meanwhile(const float* words, int32_t feature, Run& run, float*& next_scratch);
  void restore_loose(const StoreView& view);
  void learn_block(const Example& example, std::size_t block, uint32_t positive);
  void catch_up(Twin& twin) const;  // learns waiting rows
  void learn_twin(Twin& twin, const WaitingRow& row, std::vector<float*>& room) const;

  OptimizerSettings settings_;
  std::size_t n_planes_, n_lanes_ = 0;
  FeatureTable table_{2};
  Lines dense_;                          // [row][block][plane][lane]; row 0 is all 0, row 1 is the bias
  Lines gradients_;                      // [example][lane]
  std::vector<uint32_t> n_features_of_;  // [example]: that remember it
  std::vector<Memories> memories_;
  std::vector<Loose> loose_;          // entry 0 is none
  std::vector<float> loose_numbers_;  // [entry][plane]
  std::vector<uint32_t> free_examples_, free_memories_, free_loose_;
  std::vector<Twin> twins_;      // [lane], where some child is a leaf
  std::vector<Origin> origins_;  // [lane], where some lane has one
  std::size_t depth_ = 0;        // of origins: 1 where they have none themselves
};

}  // namespace labeltree
