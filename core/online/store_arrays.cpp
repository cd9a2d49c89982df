// An OnlineStore as arrays, and from arrays that may be hostile.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "base/index.hpp"
#include "online/online_store.hpp"

namespace labeltree {
namespace {

void check_square(std::size_t plane, float number) {
  if (plane == 1 && number < 0.0f)
    throw std::invalid_argument("sums of squared gradients must be at least 0");
}

}  // namespace

StoreSizes OnlineStore::sizes(std::span<const uint8_t> forms, std::size_t n_examples,
                              std::size_t n_loose) const {
  StoreSizes made{0, 0, n_examples * n_blocks() * BLOCK, n_loose * n_planes_};
  for (const uint8_t form : forms) {
    if (form > static_cast<uint8_t>(Form::dense))
      throw std::invalid_argument("forms must lie in 0..3, but one is " + std::to_string(form));
    if (form == static_cast<uint8_t>(Form::dense))
      made.numbers += row_size();
    else
      made.examples += form;
  }
  return made;
}

StoreArrays OnlineStore::arrays() const {
  if (!origins_.empty()) {
    OnlineStore whole = *this;
    whole.copy_origins();
    return whole.arrays();
  }
  StoreArrays made;
  std::unordered_map<uint32_t, int32_t> number;  // of examples, in the order of features
  const auto add_memory = [&](uint32_t example, float value) {
    const std::size_t stride = n_blocks() * BLOCK;
    const auto [found, is_new] = number.emplace(example, static_cast<int32_t>(number.size()));
    const float* from = gradients_.data() + example * stride;
    if (is_new) made.gradients.insert(made.gradients.end(), from, from + stride);
    made.examples.push_back(found->second);
    made.values.push_back(value);
  };
  const auto add_loose = [&](int32_t feature, int32_t lane, const float* numbers) {
    made.loose_features.push_back(feature);
    made.loose_lanes.push_back(lane);
    made.loose_numbers.insert(made.loose_numbers.end(), numbers, numbers + n_planes_);
  };
  made.features = features();
  made.features.insert(made.features.begin(), -1);
  for (const int32_t feature : made.features) {
    const Place place = feature < 0 ? Place{Form::dense, 1, 0.0f} : place_of(table_.find(feature));
    made.forms.push_back(static_cast<uint8_t>(place.form));
    if (place.form == Form::dense)
      made.numbers.insert(made.numbers.end(), dense(place.index), dense(place.index) + row_size());
    if (place.form == Form::once) add_memory(place.index, place.value);
    if (place.form == Form::twice)
      for (std::size_t i = 0; i < 2; ++i)
        add_memory(memories_[place.index].examples[i], memories_[place.index].values[i]);
    if (place.form != Form::loose) continue;
    std::vector<std::pair<int32_t, uint32_t>> entries;
    for (uint32_t e = place.index; e != 0; e = loose_[e].next)
      entries.emplace_back(static_cast<int32_t>(loose_[e].lane), e);
    std::ranges::sort(entries);
    for (const auto& [lane, e] : entries) add_loose(feature, lane, loose_numbers_.data() + e * n_planes_);
  }
  for (std::size_t lane = 0; lane < twins_.size(); ++lane) {
    const int32_t code = -1 - static_cast<int32_t>(lane);
    Twin twin = twins_[lane];
    catch_up(twin);
    if (twin.bias != LaneNumbers{}) add_loose(-1, code, twin.bias.data());
    for (const int32_t feature : twin.table.sorted_features())
      add_loose(feature, code, twin.table.find(feature));
  }
  return made;
}

// Sizes are those that sizes() gives.
void OnlineStore::restore(const StoreView& view) {
  const auto features = view.features;
  if (features.empty() || features[0] != -1 || view.forms[0] != static_cast<uint8_t>(Form::dense))
    throw std::invalid_argument("the first feature of a node must be its bias");
  if (std::ranges::adjacent_find(features, std::greater_equal{}) != features.end())
    throw std::invalid_argument("features of a node must ascend");
  for (std::size_t i = 0; i < view.numbers.size(); ++i) check_square(i / BLOCK % n_planes_, view.numbers[i]);
  for (std::size_t i = 0; i < view.loose_numbers.size(); ++i)
    check_square(i % n_planes_, view.loose_numbers[i]);
  table_ = FeatureTable(2);
  table_.reserve(features.size());
  const std::size_t n_examples = view.gradients.size() / (n_blocks() * BLOCK);
  gradients_.assign(view.gradients.begin(), view.gradients.end());
  n_features_of_.assign(n_examples, 0);
  dense_.assign(row_size(), 0.0f);
  dense_.insert(dense_.end(), view.numbers.begin(), view.numbers.end());
  std::size_t memory = 0;
  uint32_t row = 2;
  for (std::size_t i = 1; i < features.size(); ++i) {
    float* words = table_.find_or_add(features[i]);
    if (view.forms[i] == static_cast<uint8_t>(Form::dense)) {
      put(words, {Form::dense, row++, 0.0f});
      continue;
    }
    for (std::size_t n = view.forms[i]; n > 0; --n, ++memory) {
      if (view.examples[memory] < 0 || at(view.examples[memory]) >= n_examples)
        throw std::invalid_argument("example " + std::to_string(view.examples[memory]) + " is outside 0.." +
                                    std::to_string(static_cast<int64_t>(n_examples) - 1));
      remember(words, static_cast<uint32_t>(view.examples[memory]), view.values[memory]);
    }
  }
  if (std::ranges::find(n_features_of_, 0u) != n_features_of_.end())
    throw std::invalid_argument("every example must be remembered by a feature");
  restore_loose(view);
}

void OnlineStore::restore_loose(const StoreView& view) {
  for (std::size_t e = 0; e < view.loose_lanes.size(); ++e) {
    const int32_t code = view.loose_lanes[e], feature = view.loose_features[e];
    const bool is_twin = code < 0;
    const std::size_t lane = at(is_twin ? -1 - code : code);
    if (lane >= (is_twin ? twins_.size() : n_lanes_))
      throw std::invalid_argument("there is no lane " + std::to_string(code));
    const float* words = feature < 0 ? nullptr : table_.find(feature);
    if (!is_twin && (words == nullptr || place_of(words).form != Form::loose))
      throw std::invalid_argument("loose numbers must be of a loose feature, but " + std::to_string(feature) +
                                  " is none");
    LaneNumbers numbers{};
    std::copy_n(view.loose_numbers.data() + e * n_planes_, n_planes_, numbers.begin());
    set(feature, lane, is_twin, numbers);
  }
}

}  // namespace labeltree
