// The forms of an OnlineStore, its lanes and its features.
#include "online/online_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/index.hpp"
#include "online/grow.hpp"

namespace labeltree {

OnlineStore::OnlineStore(const OptimizerSettings& settings)
    : settings_(settings), n_planes_(settings.n_planes()), loose_(1), loose_numbers_(n_planes_) {
  n_lanes_ = 1;
  dense_.resize(2 * row_size());
}

std::size_t OnlineStore::n_bytes() const {
  std::size_t n = table_.n_bytes() + (dense_.capacity() + gradients_.capacity()) * sizeof(float) +
                  memories_.capacity() * sizeof(Memories) + loose_.capacity() * sizeof(Loose) +
                  (loose_numbers_.capacity() + n_features_of_.capacity() + free_examples_.capacity() +
                   free_memories_.capacity() + free_loose_.capacity()) *
                      sizeof(float) +
                  twins_.capacity() * sizeof(Twin);
  for (const Twin& twin : twins_) {
    n += twin.table.n_bytes() + twin.waiting.capacity() * sizeof(SharedRow);
    for (const SharedRow& row : twin.waiting)
      n += (row->features.size() + row->values.size()) * sizeof(float) / at(row.use_count());
  }
  return n;
}

// Forms ----------------------------------------------------------------------------------------------------

uint32_t OnlineStore::add_dense() {
  const std::size_t index = n_dense();
  grow(dense_, dense_.size() + row_size());
  return static_cast<uint32_t>(index);
}

uint32_t OnlineStore::add_example() {
  const std::size_t stride = n_blocks() * BLOCK;
  if (!free_examples_.empty()) {
    const uint32_t index = free_examples_.back();
    free_examples_.pop_back();
    std::fill_n(gradients_.begin() + static_cast<std::ptrdiff_t>(index * stride), stride, 0.0f);
    return index;
  }
  grow(n_features_of_, n_features_of_.size() + 1);
  grow(gradients_, gradients_.size() + stride);
  return static_cast<uint32_t>(n_features_of_.size() - 1);
}

void OnlineStore::remember(float* words, uint32_t example, float value) {
  const Place place = place_of(words);
  ++n_features_of_[example];
  if (place.form == Form::loose) return put(words, {Form::once, example, value});
  uint32_t index = static_cast<uint32_t>(memories_.size());
  if (free_memories_.empty()) {
    grow(memories_, memories_.size() + 1);
  } else {
    index = free_memories_.back();
    free_memories_.pop_back();
  }
  memories_[index] = {{place.index, example}, {place.value, value}};
  put(words, {Form::twice, index, 0.0f});
}

void OnlineStore::forget(const Place& place) {
  const auto release = [&](uint32_t example) {
    if (--n_features_of_[example] == 0) free_examples_.push_back(example);
  };
  if (place.form == Form::once) release(place.index);
  if (place.form == Form::twice) {
    for (const uint32_t example : memories_[place.index].examples) release(example);
    free_memories_.push_back(place.index);
  }
  if (place.form == Form::loose)
    for (uint32_t e = place.index; e != 0; e = loose_[e].next) free_loose_.push_back(e);
}

void OnlineStore::add_loose(float* words, std::size_t lane, const float* numbers) {
  uint32_t index = static_cast<uint32_t>(loose_.size());
  if (free_loose_.empty()) {
    grow(loose_, loose_.size() + 1);
    grow(loose_numbers_, loose_numbers_.size() + n_planes_);
  } else {
    index = free_loose_.back();
    free_loose_.pop_back();
  }
  loose_[index] = {static_cast<uint32_t>(lane), place_of(words).index};
  std::copy_n(numbers, n_planes_, loose_numbers_.data() + index * n_planes_);
  put(words, {Form::loose, index, 0.0f});
}

bool OnlineStore::find_loose(const Place& place, std::size_t lane, float* numbers) const {
  for (uint32_t e = place.index; e != 0; e = loose_[e].next)
    if (loose_[e].lane == lane) {
      std::copy_n(loose_numbers_.data() + e * n_planes_, n_planes_, numbers);
      return true;
    }
  return false;
}

void OnlineStore::remove_loose(float* words, std::size_t lane) {
  uint32_t before = 0;
  for (uint32_t e = place_of(words).index; e != 0; before = e, e = loose_[e].next) {
    if (loose_[e].lane != lane) continue;
    if (before == 0)
      put(words, {Form::loose, loose_[e].next, 0.0f});
    else
      loose_[before].next = loose_[e].next;
    free_loose_.push_back(e);
    return;
  }
}

void OnlineStore::expand_loose(const Place& place, std::size_t first, std::size_t last, float* out) const {
  for (uint32_t e = place.index; e != 0; e = loose_[e].next) {
    const std::size_t block = loose_[e].lane / BLOCK;
    if (block < first || block >= last) continue;
    float* to = out + (block - first) * n_planes_ * BLOCK + loose_[e].lane % BLOCK;
    for (std::size_t p = 0; p < n_planes_; ++p) to[p * BLOCK] = loose_numbers_[e * n_planes_ + p];
  }
}

void OnlineStore::expand(const Place& place, int32_t feature, std::size_t first, std::size_t last,
                         float* out) const {
  if (place.form == Form::loose) {
    expand_loose(place, first, last, out);
    return expand_origins(feature, first, last, out);
  }
  const auto follow = [&](uint32_t example, float value) {
    step_feature(out, gradients(example) + first * BLOCK, value, last - first, settings_);
  };
  if (place.form == Form::once) follow(place.index, place.value);
  if (place.form == Form::twice)
    for (std::size_t i = 0; i < 2; ++i)
      follow(memories_[place.index].examples[i], memories_[place.index].values[i]);
}

void OnlineStore::make_dense(float* words, int32_t feature) {
  const Place place = place_of(words);
  const uint32_t index = add_dense();
  expand(place, feature, 0, n_blocks(), dense(index));
  forget(place);
  put(words, {Form::dense, index, 0.0f});
}

void OnlineStore::make_dense_unless_zero(float* words, int32_t feature) {
  if (place_of(words).index == 0 && origins_.empty()) return;
  make_dense(words, feature);
  const float* made = dense(place_of(words).index);
  if (std::any_of(made, made + row_size(), [](float number) { return number != 0.0f; })) return;
  dense_.resize(dense_.size() - row_size());
  put(words, {Form::loose, 0, 0.0f});
}

// Lanes ----------------------------------------------------------------------------------------------------

namespace {

// Rows of another length, which keep what fits.
void set_stride(Lines& rows, std::size_t before, std::size_t after) {
  const std::size_t n = rows.size() / before;
  Lines made(n * after);
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(rows.data() + i * before, std::min(before, after), made.data() + i * after);
  rows = std::move(made);
}

}  // namespace

void OnlineStore::resize(std::size_t n_lanes, bool has_twins) {
  for (std::size_t lane = n_lanes; lane < n_lanes_; ++lane) clear(lane, false);
  const std::size_t before = n_blocks(), row_before = row_size();
  n_lanes_ = n_lanes;
  twins_.resize(has_twins ? n_lanes : 0, Twin(n_planes_));
  if (!origins_.empty()) origins_.resize(n_lanes);
  if (n_blocks() == before) return;
  set_stride(dense_, row_before, row_size());
  set_stride(gradients_, before * BLOCK, n_blocks() * BLOCK);
}

void OnlineStore::set(int32_t feature, std::size_t lane, bool is_twin, const LaneNumbers& numbers) {
  if (is_twin) {
    float* to = feature < 0 ? twins_[lane].bias.data() : twins_[lane].table.find_or_add(feature);
    std::copy_n(numbers.data(), n_planes_, to);
    return;
  }
  std::size_t row = 1;
  if (feature >= 0) {
    float* words = table_.find_or_add(feature);
    if (place_of(words).form == Form::loose) return add_loose(words, lane, numbers.data());
    if (place_of(words).form != Form::dense) make_dense(words, feature);
    row = place_of(words).index;
  }
  for (std::size_t p = 0; p < n_planes_; ++p) number(row, lane)[p * BLOCK] = numbers[p];
}

void OnlineStore::weights(int32_t feature, std::size_t block, float* out) const {
  alignas(64) float numbers[3 * BLOCK] = {};
  const Place place = find_place(feature);
  const float* from = numbers;
  if (place.form == Form::dense)
    from = dense(place.index) + block * n_planes_ * BLOCK;
  else
    expand(place, feature, block, block + 1, numbers);
  std::copy_n(from, BLOCK, out);
}

void OnlineStore::copy(std::size_t from_lane, std::size_t lane) {
  for (std::size_t row = 1; row < n_dense(); ++row)
    for (std::size_t p = 0; p < n_planes_; ++p)
      number(row, lane)[p * BLOCK] = number(row, from_lane)[p * BLOCK];
  const std::size_t stride = n_blocks() * BLOCK;
  for (std::size_t i = 0; i < gradients_.size(); i += stride)
    gradients_[i + lane] = gradients_[i + from_lane];
  if (!origins_.empty()) origins_[lane] = origins_[from_lane];
  if (loose_.size() == 1 + free_loose_.size()) return;
  table_.each([&](int32_t, float* words) {
    LaneNumbers numbers{};
    if (place_of(words).form != Form::loose) return;
    remove_loose(words, lane);
    if (find_loose(place_of(words), from_lane, numbers.data())) add_loose(words, lane, numbers.data());
  });
}

void OnlineStore::copy_twin(const OnlineStore& from, std::size_t from_lane, std::size_t lane) {
  twins_[lane] = from.twins_[from_lane];
}

void OnlineStore::start_from_twin(const OnlineStore& from, std::size_t from_lane, OnlineSpace& space) {
  const Twin& twin = from.twins_[from_lane];
  const auto copy_one = [&](std::size_t row, const float* numbers) {
    for (std::size_t p = 0; p < n_planes_; ++p) {
      number(row, 0)[p * BLOCK] = numbers[p];
      number(row, 1)[p * BLOCK] = p == 1 ? numbers[p] : -numbers[p];
    }
  };
  copy_one(1, twin.bias.data());
  table_.reserve(twin.table.size());
  dense_.reserve((2 + twin.table.size()) * row_size());
  twin.table.each([&](int32_t feature, const float* numbers) {
    const uint32_t row = add_dense();
    put(table_.find_or_put(feature), {Form::dense, row, 0.0f});
    copy_one(row, numbers);
  });
  constexpr int32_t POSITIVE[] = {1};
  for (const SharedRow& row : twin.waiting) {
    const QueryRow features{row->features, std::span(row->values).subspan(1)};
    locate({&features, 1}, space);
    learn({space.located.front(), row->values, POSITIVE, {}, row->weight, row}, 0, n_blocks());
  }
}

void OnlineStore::clear(std::size_t lane, bool is_twin) {
  if (is_twin) {
    twins_[lane] = Twin(n_planes_);
    return;
  }
  for (std::size_t row = 1; row < n_dense(); ++row)
    for (std::size_t p = 0; p < n_planes_; ++p) number(row, lane)[p * BLOCK] = 0.0f;
  const std::size_t stride = n_blocks() * BLOCK;
  for (std::size_t i = 0; i < gradients_.size(); i += stride) gradients_[i + lane] = 0.0f;
  if (!origins_.empty()) origins_[lane] = {};
  table_.each([&](int32_t, float* words) {
    if (place_of(words).form == Form::loose) remove_loose(words, lane);
  });
}

// Features -------------------------------------------------------------------------------------------------

std::vector<std::pair<int32_t, float>> OnlineStore::largest() const {
  std::unordered_map<int32_t, float> most;
  for (const int32_t feature : features()) {
    float& here = most[feature];
    float eight[BLOCK];
    for (std::size_t block = 0; block < n_blocks(); ++block) {
      weights(feature, block, eight);
      for (const float weight : eight) here = std::max(here, std::abs(weight));
    }
  }
  for (const Twin& twin : twins_) {
    Twin whole = twin;
    catch_up(whole);
    whole.table.each([&](int32_t feature, const float* numbers) {
      float& here = most[feature];
      here = std::max(here, std::abs(numbers[0]));
    });
  }
  return {most.begin(), most.end()};
}

void OnlineStore::prune(float least) {
  std::unordered_map<int32_t, float> most;
  for (const auto& [feature, weight] : largest()) most.emplace(feature, weight);
  const auto is_kept = [&](int32_t feature) { return most[feature] > least; };
  Lines kept(dense_.begin(), dense_.begin() + static_cast<std::ptrdiff_t>(2 * row_size()));
  table_.each([&](int32_t feature, float* words) {
    const Place place = place_of(words);
    if (!is_kept(feature)) return forget(place);
    if (place.form != Form::dense) return;
    put(words, {Form::dense, static_cast<uint32_t>(kept.size() / row_size()), 0.0f});
    kept.insert(kept.end(), dense(place.index), dense(place.index) + row_size());
  });
  kept.shrink_to_fit();
  dense_ = std::move(kept);
  table_.filter(is_kept);
  for (Twin& twin : twins_) {
    catch_up(twin);
    twin.table.filter(is_kept);
  }
}

}  // namespace labeltree
