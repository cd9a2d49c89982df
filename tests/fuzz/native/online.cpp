// A damaged state of online learning is refused, or it learns, answers, shrinks and comes back as it was.
#include <stdexcept>

#include "given.hpp"
#include "online/online_model.hpp"

namespace {

using namespace labeltree;

constexpr std::size_t N_FEATURES = 40;
constexpr int32_t N_LABELS = 6;

struct Rows {
  std::vector<int64_t> indptr{0}, label_indptr{0};
  std::vector<int32_t> indices, labels;
  std::vector<float> values;
  int32_t n_labels = 0;
};

// New labels come in the order of their first rows, as the model demands.
Rows rows_of(FuzzedDataProvider& given) {
  Rows rows;
  const int n = given.ConsumeIntegralInRange(1, 12);
  for (int i = 0; i < n; ++i) {
    for (int32_t feature = given.ConsumeIntegralInRange<int32_t>(0, 9);
         feature < static_cast<int32_t>(N_FEATURES);
         feature += given.ConsumeIntegralInRange<int32_t>(1, 20)) {
      rows.indices.push_back(feature);
      rows.values.push_back(given.ConsumeFloatingPointInRange(-2.0f, 2.0f));
    }
    rows.indptr.push_back(static_cast<int64_t>(rows.indices.size()));
    const int32_t label = given.ConsumeIntegralInRange(0, std::min(rows.n_labels, N_LABELS - 1));
    rows.labels.push_back(label);
    rows.n_labels = std::max(rows.n_labels, label + 1);
    rows.label_indptr.push_back(static_cast<int64_t>(rows.labels.size()));
  }
  return rows;
}

template <class T>
void damage(FuzzedDataProvider& given, std::vector<T>& array) {
  switch (given.ConsumeIntegralInRange(0, 3)) {
    case 0:
      array.resize(given.ConsumeIntegralInRange<std::size_t>(0, array.size() + 3));
      break;
    default:
      if (array.empty()) break;
      T& number = array[given.ConsumeIntegralInRange<std::size_t>(0, array.size() - 1)];
      if constexpr (std::is_floating_point_v<T>)
        given.ConsumeData(&number, sizeof number);
      else
        number = given.ConsumeBool() ? static_cast<T>(number + given.ConsumeIntegralInRange(-2, 2))
                                     : given.ConsumeIntegral<T>();
  }
}

void damage(FuzzedDataProvider& given, OnlineArrays& state) {
  StoreArrays& stores = state.stores;
  switch (given.ConsumeIntegralInRange(0, 14)) {
    case 0:
      return damage(given, state.parent);
    case 1:
      return damage(given, state.label);
    case 2:
      return damage(given, state.n_rows);
    case 3:
      return damage(given, state.row_begin);
    case 4:
      return damage(given, state.example_begin);
    case 5:
      return damage(given, state.loose_begin);
    case 6:
      return damage(given, stores.features);
    case 7:
      return damage(given, stores.forms);
    case 8:
      return damage(given, stores.numbers);
    case 9:
      return damage(given, stores.examples);
    case 10:
      return damage(given, stores.values);
    case 11:
      return damage(given, stores.gradients);
    case 12:
      return damage(given, stores.loose_features);
    case 13:
      return damage(given, stores.loose_lanes);
    default:
      return damage(given, stores.loose_numbers);
  }
}

OnlineView view(const OnlineArrays& state) {
  const StoreArrays& stores = state.stores;
  return {state.parent,
          state.label,
          state.n_rows,
          state.row_begin,
          state.example_begin,
          state.loose_begin,
          {stores.features, stores.forms, stores.numbers, stores.examples, stores.values, stores.gradients,
           stores.loose_features, stores.loose_lanes, stores.loose_numbers}};
}

void use(OnlineModel model) {
  const std::vector<int64_t> indptr{0, 2, 4}, label_indptr{0, 1, 2};
  const std::vector<int32_t> indices{0, 3, 17, 39}, labels{0, static_cast<int32_t>(model.tree().n_labels())};
  const std::vector<float> values{0.5f, -1.0f, 2.0f, 1.0f};
  Interrupt interrupt;
  model.best({std::span(indices).first(2), std::span(values).first(2)}, 3, SiblingSums::one);
  model.weights(0, model.nodes().parent.size(), 0.0f);
  model.learn({indptr, indices, values}, {label_indptr, labels}, {}, 2, interrupt);
  model.prune(10);
  model.arrays();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  FuzzedDataProvider given(data, size);
  const OnlineSettings settings{
      {given.ConsumeBool() ? Optimizer::ftrl : Optimizer::adagrad, 0.5f, 1.0f, 1e-6f, 1e-6f, 1.0f, 0.0f},
      {Insert::cost_and_score, 3}};
  const Rows rows = rows_of(given);
  OnlineModel model(N_FEATURES, settings);
  Interrupt interrupt;
  model.learn({rows.indptr, rows.indices, rows.values}, {rows.label_indptr, rows.labels}, {}, 1, interrupt);
  OnlineArrays state = model.arrays();
  for (int n = given.ConsumeIntegralInRange(0, 4); n > 0; --n) damage(given, state);
  try {
    use(OnlineModel(view(state), model.counts(), N_FEATURES, settings));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
