// Weights of a model file are refused, or no query leaves them and no probability leaves 0 .. 1.
#include <cstdlib>
#include <stdexcept>

#include "base/checksum.hpp"
#include "given.hpp"
#include "search/one_row.hpp"

namespace {

using namespace labeltree;

constexpr std::size_t N_FEATURES = 40;

// Some tree: each node hangs below one before it.
Tree make_tree(FuzzedDataProvider& given) {
  std::vector<int32_t> parent{-1}, label{-1};
  for (int32_t n = given.ConsumeIntegralInRange<int32_t>(2, 80), v = 1; v < n; ++v)
    parent.push_back(given.ConsumeIntegralInRange<int32_t>(0, v - 1)), label.push_back(0);
  for (const int32_t above : parent)
    if (above >= 0) label[static_cast<std::size_t>(above)] = -1;
  int32_t n_labels = 0;
  for (int32_t& own : label)
    if (own == 0) own = n_labels++;
  return {parent, label};
}

void query(const TreeModel& model, FuzzedDataProvider& given) {
  const std::vector<int32_t> indices{0, 3, 17, 39};
  const std::vector<float> values{0.5f, -1.0f, 2.0f, 1e30f};
  const TreeModel* const trees[] = {&model};
  const auto k = given.ConsumeIntegralInRange<int32_t>(1, 9);
  const Stages stages{trees, given.ConsumeBool() ? &model : nullptr, 4};
  const BestLabels best = best_labels(stages, {}, {indices, values}, k, 0, {false, 1.0f, {}}, {});
  for (const float p : best.probabilities)
    if (!(p >= 0.0f && p <= 1.0f)) std::abort();
  const int64_t indptr[] = {0, 2, 2, 4};
  Interrupt interrupt;
  const Query all{.k = 0,
                  .threshold = 0.1f,
                  .beam = 0,
                  .nodes_per_step = 4,
                  .scaling = {false, 1.0f, {}},
                  .curve = {},
                  .n_threads = 1};
  search(model, nullptr, nullptr, {indptr, indices, values}, all, interrupt);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  Interrupt interrupt;
  if (checksum({data, size}, 1, interrupt) != checksum({data, size}, 2, interrupt)) std::abort();
  FuzzedDataProvider given(data, size);
  const Tree tree = make_tree(given);
  const auto n_groups = static_cast<std::size_t>(first_groups(tree).back());
  const auto bias = fuzz::floats(given, tree.n_nodes());
  const auto scale = fuzz::floats(given, given.ConsumeBool() ? tree.n_nodes() : 0);
  std::vector<uint8_t> shift(n_groups);
  std::vector<int64_t> bucket_begin(n_groups), byte_begin(n_groups);
  for (std::size_t g = 0; g < n_groups; ++g) {
    shift[g] = given.ConsumeIntegralInRange<uint8_t>(0, MAX_SHIFT + 1);
    bucket_begin[g] = given.ConsumeIntegralInRange<int64_t>(-1, 100);
    byte_begin[g] = given.ConsumeIntegralInRange<int64_t>(-1, 100);
  }
  const auto buckets = fuzz::numbers<uint32_t>(given, 200, 0, 300);
  const auto bytes = given.ConsumeBytes<uint8_t>(300);
  const std::vector<float> slope(tree.n_nodes(), 1.0f), intercept(tree.n_nodes(), 0.0f);
  try {
    const SiblingWeights weights(tree, {bias, scale, shift, bucket_begin, byte_begin, buckets, bytes},
                                 N_FEATURES);
    query(TreeModel(weights, slope, intercept, given.ConsumeBool(),
                    static_cast<SiblingSums>(given.ConsumeIntegralInRange(0, 2))),
          given);
    weights.check_all(1, interrupt);
    weights.of_children(0);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
