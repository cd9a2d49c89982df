// The state of online learning is refused, or it learns, answers, shrinks and comes back as it was.
#include <cstdlib>
#include <stdexcept>

#include "given.hpp"
#include "online/online_model.hpp"

namespace {

using namespace labeltree;

constexpr std::size_t N_FEATURES = 40;

void use(OnlineModel model) {
  const std::vector<int64_t> indptr{0, 2, 4}, label_indptr{0, 1, 2};
  const std::vector<int32_t> indices{0, 3, 17, 39}, labels{0, static_cast<int32_t>(model.tree().n_labels())};
  const std::vector<float> values{0.5f, -1.0f, 2.0f, 1.0f};
  Interrupt interrupt;
  model.best({std::span(indices).first(2), std::span(values).first(2)}, 3);
  model.weights(0, model.nodes().parent.size(), 0.0f);
  model.learn({indptr, indices, values}, {label_indptr, labels}, {}, 2, interrupt);
  model.prune(10);
  model.arrays();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  FuzzedDataProvider given(data, size);
  const auto n = given.ConsumeIntegralInRange<std::size_t>(0, 12);
  std::vector<int32_t> parent(n), label(n);
  std::vector<int64_t> n_rows(n), row_begin(n + 1);
  for (std::size_t v = 0; v < n; ++v) {
    parent[v] = given.ConsumeIntegralInRange<int32_t>(-2, 12);
    label[v] = given.ConsumeIntegralInRange<int32_t>(-2, 8);
    n_rows[v] = given.ConsumeIntegralInRange<int64_t>(-1, 8);
    row_begin[v + 1] = given.ConsumeBool() ? static_cast<int64_t>(v) + 1 : given.ConsumeIntegral<int64_t>();
  }
  const auto features = fuzz::numbers<int32_t>(given, 30, -2, 41);
  const auto numbers = fuzz::floats(given, given.ConsumeIntegralInRange<std::size_t>(0, 60) * BLOCK);
  const OnlineSettings settings{
      {given.ConsumeBool() ? Optimizer::ftrl : Optimizer::adagrad, 0.5f, 1.0f, 1e-6f, 1e-6f, 1.0f, 0.0f},
      {Insert::cost_and_score, 3}};
  try {
    use(OnlineModel({parent, label, n_rows, row_begin, features, numbers}, {}, N_FEATURES, settings));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
