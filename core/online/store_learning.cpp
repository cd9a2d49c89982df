// How an OnlineStore scores and learns rows.
#include <algorithm>
#include <unordered_map>

#include "base/index.hpp"
#include "base/sigmoid.hpp"
#include "online/online_store.hpp"

namespace labeltree {
namespace {

// Rows that a feature remembers; in the next one it becomes dense.
constexpr std::size_t MAX_REMEMBERED = 2;

// Rows that wait for a twin take about as much room as the numbers they would make.
constexpr std::size_t MAX_WAITING = 64;

uint32_t bits_of(std::span<const int32_t> lanes, std::size_t block) {
  uint32_t bits = 0;
  for (const int32_t lane : lanes)
    if (at(lane) / BLOCK == block) bits |= 1u << (at(lane) % BLOCK);
  return bits;
}

}  // namespace

// How often a feature occurs in rows that are learned together, and where its numbers are meanwhile.
struct OnlineStore::Run {
  explicit Run(std::span<const QueryRow> given) : rows(given), is_one(given.size() == 1) {
    if (is_one) return;
    for (const QueryRow& row : rows)
      for (const int32_t feature : row.indices) ++counts[feature];
  }
  std::size_t count(int32_t feature) const { return is_one ? 1 : counts.at(feature); }

  std::span<const QueryRow> rows;
  bool is_one;
  std::unordered_map<int32_t, uint32_t> counts;
  std::unordered_map<int32_t, float*> scratch;
};

// Finds or adds the features of rows, and asks for what is known of them ahead of its use.
void OnlineStore::find_words(std::span<const QueryRow> rows, std::vector<float*>& words) {
  std::size_t n = 0;
  for (const QueryRow& row : rows) n += row.indices.size();
  table_.reserve(table_.size() + n);
  words.clear();
  for (const QueryRow& row : rows) {
    for (const int32_t feature : row.indices) table_.prefetch(feature);
    for (const int32_t feature : row.indices) {
      words.push_back(table_.find_or_put(feature));
      const Place place = place_of(words.back());
      if (place.form == Form::dense) __builtin_prefetch(dense(place.index));
      if (place.form == Form::once) __builtin_prefetch(gradients(place.index));
      if (place.form == Form::twice) __builtin_prefetch(&memories_[place.index]);
    }
  }
  for (const float* found : words)
    if (const Place place = place_of(found); place.form == Form::twice)
      for (const uint32_t example : memories_[place.index].examples) __builtin_prefetch(gradients(example));
}

// Makes features dense that will not be remembered, and returns how many of the others need numbers of their
// own while the rows are learned.
std::size_t OnlineStore::make_room(const Run& run, std::span<float* const> words) {
  std::size_t n_scratch = 0;
  auto found = words.begin();
  for (const QueryRow& row : run.rows)
    for (const int32_t feature : row.indices) {
      float* here = *found++;
      if (place_of(here).form == Form::loose) make_dense_unless_zero(here, feature);
      const Place place = place_of(here);
      if (place.form == Form::dense) continue;
      const std::size_t n_seen = n_remembered(place) + run.count(feature);
      if (n_seen > MAX_REMEMBERED)
        make_dense(here, feature);
      else
        n_scratch += n_seen > 1;
    }
  return n_scratch;
}

float* OnlineStore::meanwhile(const float* words, int32_t feature, Run& run, float*& next_scratch) {
  const Place place = place_of(words);
  const std::size_t n_here = run.count(feature);
  if (place.form == Form::loose && n_here == 1) return dense(0);
  if (n_here > 1)
    if (const auto known = run.scratch.find(feature); known != run.scratch.end()) return known->second;
  float* made = next_scratch;
  next_scratch += row_size();
  expand(place, feature, 0, n_blocks(), made);
  if (n_here > 1) run.scratch.emplace(feature, made);
  return made;
}

void OnlineStore::locate(std::span<const QueryRow> rows, OnlineSpace& space) {
  Run run(rows);
  find_words(rows, space.rows);
  const std::size_t n_scratch = make_room(run, space.rows);
  space.scratch.assign(n_scratch * row_size(), 0.0f);
  space.located.resize(std::max(space.located.size(), rows.size()));
  float* next_scratch = space.scratch.data();
  auto words = space.rows.begin();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    LocatedRow& located = space.located[r];
    located.example = -1;
    located.rows.assign(1, dense(1));
    for (std::size_t i = 0; i < rows[r].indices.size(); ++i, ++words) {
      if (const Place place = place_of(*words); place.form == Form::dense) {
        located.rows.push_back(dense(place.index));
        continue;
      }
      located.rows.push_back(meanwhile(*words, rows[r].indices[i], run, next_scratch));
      if (located.example < 0) located.example = add_example();
      remember(*words, static_cast<uint32_t>(located.example), rows[r].values[i]);
    }
  }
}

std::span<const float> OnlineStore::scores(const QueryRow& row, OnlineSpace& space) const {
  for (const int32_t feature : row.indices) table_.prefetch(feature);
  std::vector<Place> places;
  places.reserve(row.indices.size());
  for (const int32_t feature : row.indices) {
    places.push_back(find_place(feature));
    prefetch(places.back(), 0);
  }
  space.values.assign(1, settings_.intercept_scaling);
  space.rows.assign(1, const_cast<float*>(dense(1)));
  const auto is_expanded = [&](const Place& place) {
    return place.form != Form::dense && (place.form != Form::loose || place.index != 0 || !origins_.empty());
  };
  space.scratch.assign(at(std::ranges::count_if(places, is_expanded)) * row_size(), 0.0f);
  float* next_scratch = space.scratch.data();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_dense = places[i].form == Form::dense;
    if (!is_dense && !is_expanded(places[i])) continue;
    space.values.push_back(row.values[i]);
    space.rows.push_back(is_dense ? const_cast<float*>(dense(places[i].index)) : next_scratch);
    if (is_dense) continue;
    expand(places[i], row.indices[i], 0, n_blocks(), next_scratch);
    next_scratch += row_size();
  }
  space.scores.resize(n_blocks() * BLOCK);
  for (std::size_t block = 0; block < n_blocks(); ++block) {
    alignas(32) float eight[BLOCK];
    score_block(eight, {space.rows, space.values.data(), block * n_planes_ * BLOCK});
    std::copy_n(eight, BLOCK, space.scores.data() + block * BLOCK);
  }
  return {space.scores.data(), n_lanes_};
}

void OnlineStore::learn(const Example& example, std::size_t first, std::size_t last) {
  for (std::size_t block = first; block < last; ++block)
    learn_block(example, block, bits_of(example.positive, block));
  for (const int32_t lane : example.leaves) {
    if (at(lane) / BLOCK < first || at(lane) / BLOCK >= last) continue;
    twins_[at(lane)].waiting.push_back(example.waiting);
    if (twins_[at(lane)].waiting.size() == MAX_WAITING) catch_up(twins_[at(lane)]);
  }
}

void OnlineStore::learn_block(const Example& example, std::size_t block, uint32_t positive) {
  const BlockRows rows{example.located.rows, example.values.data(), block * n_planes_ * BLOCK};
  alignas(32) float score[BLOCK];
  score_block(score, rows);
  Step step;
  bool any = settings_.l2 > 0.0f || settings_.l1 > 0.0f;
  const std::size_t n_here = std::min(BLOCK, n_lanes_ - block * BLOCK);
  for (std::size_t l = 0; l < n_here; ++l) {
    const bool is_positive = (positive >> l & 1) != 0;
    const float error = sigmoid(is_positive ? -score[l] : score[l]);
    step.active[l] = 1.0f;
    if (error < settings_.min_gradient) continue;
    any |= error > 0.0f;
    step.gradient[l] = (is_positive ? -error : error) * example.weight;
  }
  if (!any) return;
  if (example.located.example >= 0)
    *reinterpret_cast<Eight*>(gradients(at(example.located.example)) + block * BLOCK) = step.gradient;
  step_block(rows, dense(0), step, settings_);
}

void OnlineStore::catch_up(Twin& twin) const {
  std::vector<float*> room;
  for (const SharedRow& row : twin.waiting) learn_twin(twin, *row, room);
  twin.waiting = {};
}

void OnlineStore::learn_twin(Twin& twin, const WaitingRow& row, std::vector<float*>& room) const {
  twin.table.reserve(twin.table.size() + row.features.size());
  for (const int32_t feature : row.features) twin.table.prefetch(feature);
  room.assign(1, twin.bias.data());
  for (const int32_t feature : row.features) room.push_back(twin.table.find_or_put(feature));
  const float error = sigmoid(score_lane(room, row.values.data()));
  const float gradient = error < settings_.min_gradient ? 0.0f : error * row.weight;
  if (gradient == 0.0f && settings_.l1 == 0.0f && settings_.l2 == 0.0f) return;
  step_lane(room, row.values.data(), gradient, settings_);
}

}  // namespace labeltree
