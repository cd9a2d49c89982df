// Lanes of an OnlineStore that go on from those of an older one.
#include <algorithm>

#include "online/online_store.hpp"

namespace labeltree {
namespace {

// A store that others go on from keeps what they do not need any more: after a few, copies are smaller.
constexpr std::size_t MAX_DEPTH = 3;

// Weights stay 0 until there was a gradient.
bool is_zero(const LaneNumbers& numbers) {
  return numbers[0] == 0.0f && numbers[1] == 0.0f;
}

}  // namespace

LaneNumbers OnlineStore::lane_numbers(const Place& place, int32_t feature, std::size_t lane) const {
  LaneNumbers made{};
  if (place.form == Form::loose) {
    if (find_loose(place, lane, made.data()) || origins_.empty() || origins_[lane].store == nullptr)
      return made;
    return origins_[lane].store->lane_numbers(feature, origins_[lane].lane);
  }
  alignas(64) float block[3 * BLOCK] = {};
  const float* from = block;
  if (place.form == Form::dense)
    from = dense(place.index) + lane / BLOCK * n_planes_ * BLOCK;
  else
    expand(place, feature, lane / BLOCK, lane / BLOCK + 1, block);
  for (std::size_t p = 0; p < n_planes_; ++p) made[p] = from[p * BLOCK + lane % BLOCK];
  return made;
}

// In three rounds, so that the lanes do not wait for each other.
void OnlineStore::expand_origins(int32_t feature, std::size_t first, std::size_t last, float* out) const {
  const std::size_t end = std::min(last * BLOCK, origins_.size());
  const auto each = [&](std::size_t begin, auto body) {
    for (std::size_t lane = begin; lane < std::min(begin + BLOCK, end); ++lane)
      if (origins_[lane].store != nullptr) body(*origins_[lane].store, origins_[lane].lane, lane - begin);
  };
  for (std::size_t begin = first * BLOCK; begin < end; begin += BLOCK, out += n_planes_ * BLOCK) {
    Place places[BLOCK];
    each(begin, [&](const OnlineStore& store, std::size_t, std::size_t) { store.table_.prefetch(feature); });
    each(begin, [&](const OnlineStore& store, std::size_t lane, std::size_t l) {
      places[l] = store.find_place(feature);
      store.prefetch(places[l], lane);
    });
    each(begin, [&](const OnlineStore& store, std::size_t lane, std::size_t l) {
      const LaneNumbers numbers = store.lane_numbers(places[l], feature, lane);
      for (std::size_t p = 0; p < n_planes_; ++p) out[p * BLOCK + l] = numbers[p];
    });
  }
}

void OnlineStore::each_of_lane(std::size_t lane, const LaneBody& body) const {
  constexpr std::size_t AHEAD = 16;
  std::pair<int32_t, Place> found[AHEAD];
  std::size_t n = 0;
  const auto hand_over = [&] {
    for (std::size_t i = 0; i < n; ++i)
      if (const LaneNumbers numbers = lane_numbers(found[i].second, found[i].first, lane); !is_zero(numbers))
        body(found[i].first, numbers);
    n = 0;
  };
  table_.each([&](int32_t feature, const float* words) {
    found[n++] = {feature, place_of(words)};
    prefetch(place_of(words), lane);
    if (n == AHEAD) hand_over();
  });
  hand_over();
  if (origins_.empty() || origins_[lane].store == nullptr) return;
  origins_[lane].store->each_of_lane(origins_[lane].lane, [&](int32_t feature, const LaneNumbers& numbers) {
    if (table_.find(feature) == nullptr) body(feature, numbers);
  });
}

std::vector<int32_t> OnlineStore::features() const {
  std::vector<int32_t> made = table_.sorted_features();
  std::unordered_set<const OnlineStore*> stores;
  for (const Origin& origin : origins_)
    if (origin.store != nullptr) stores.insert(origin.store.get());
  for (const OnlineStore* store : stores) {
    std::vector<int32_t> both;
    std::ranges::set_union(made, store->features(), std::back_inserter(both));
    made = std::move(both);
  }
  return made;
}

std::vector<std::pair<int32_t, float>> OnlineStore::older_weights(std::size_t lane) const {
  std::vector<std::pair<int32_t, float>> made;
  if (origins_.empty() || origins_[lane].store == nullptr) return made;
  origins_[lane].store->each_of_lane(origins_[lane].lane, [&](int32_t feature, const LaneNumbers& numbers) {
    if (table_.find(feature) == nullptr) made.emplace_back(feature, numbers[0]);
  });
  std::ranges::sort(made);
  return made;
}

void OnlineStore::go_on(const std::shared_ptr<const OnlineStore>& from, std::size_t from_lane,
                        std::size_t lane) {
  const LaneNumbers bias = from->lane_numbers(-1, from_lane);
  set(-1, lane, false, bias);
  origins_.resize(n_lanes_);
  origins_[lane] = {from, from_lane};
  if (from->depth_ == MAX_DEPTH)
    copy_origin(lane);
  else
    depth_ = std::max(depth_, from->depth_ + 1);
}

void OnlineStore::copy_origin(std::size_t lane) {
  const Origin origin = std::move(origins_[lane]);
  origins_[lane] = {};
  if (origin.store == nullptr) return;
  origin.store->each_of_lane(origin.lane, [&](int32_t feature, const LaneNumbers& numbers) {
    if (find_place(feature).form == Form::loose) set(feature, lane, false, numbers);
  });
}

void OnlineStore::copy_origins() {
  for (std::size_t lane = 0; lane < origins_.size(); ++lane) copy_origin(lane);
  origins_.clear();
  depth_ = 0;
}

void OnlineStore::collect(std::unordered_set<const OnlineStore*>& stores) const {
  if (!stores.insert(this).second) return;
  for (const Origin& origin : origins_)
    if (origin.store != nullptr) origin.store->collect(stores);
}

}  // namespace labeltree
