// The hot part of every query: weights times values for all siblings at once.
#include <algorithm>
#include <bit>

#include "base/index.hpp"
#include "base/wide.hpp"
#include "model/bucket.hpp"
#include "model/weights.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace labeltree {
namespace {

constexpr std::size_t CACHE_LINE = 64;
constexpr std::size_t COMPARED = 16;  // features of a bucket that are looked at together

using Match = QuerySpace::Match;

// The address is a number, because it may lie outside the array: nothing is read there.
inline void prefetch(const uint8_t* array, std::size_t offset) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(array) + offset;
  __builtin_prefetch(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr)
}

// Where a feature is among those of a bucket; n or more where it is not.
inline std::size_t find(const Bucket& bucket, uint16_t low, const uint8_t* end) {
  const uint8_t* from = bucket.lows();
  std::size_t place = 0;
#ifdef __SSE2__
  // What lies behind the last one is some other part of the bytes. Most buckets need one look, and no branch.
  const __m128i wanted = _mm_set1_epi16(static_cast<int16_t>(low));
  const auto same = [&](std::size_t at) {
    return _mm_cmpeq_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)), wanted);
  };
  for (; at(end - from) >= 2 * COMPARED; place += COMPARED, from += 2 * COMPARED) {
    const __m128i found = _mm_packs_epi16(same(0), same(16));
    const auto bits = static_cast<uint32_t>(_mm_movemask_epi8(found));
    const auto first = place + static_cast<std::size_t>(std::countr_zero(bits | 1u << COMPARED));
    if (bucket.n <= place + COMPARED || bits != 0) return first;
  }
#endif
  while (place < bucket.n && load<uint16_t>(bucket.lows(), place) != low) ++place;
  return place;
}

[[gnu::always_inline]] inline Eight eight(const uint8_t* from, float /*kind*/) {
  Eight values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
template <class Integer>
[[gnu::always_inline]] inline Eight eight(const uint8_t* from, Integer /*kind*/) {
  Integer v[8];
  std::memcpy(v, from, sizeof v);
  // Compilers make one instruction of this list, but several of __builtin_convertvector.
  const EightInts integers = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
  return __builtin_convertvector(integers, Eight);
}

// The sums of N times eight siblings from `first` on stay in registers while all matches are added.
template <std::size_t N, class Value>
[[gnu::always_inline]] inline void sum_tile(float* out, std::span<const Match> matches, std::size_t first) {
  Eight sums[N] = {};
  for (const Match& match : matches) {
    const uint8_t* weights = match.bytes + first * sizeof(Value);
    for (std::size_t i = 0; i < N; ++i)
      sums[i] += match.value * eight(weights + i * 8 * sizeof(Value), Value{});
  }
  std::memcpy(out + first, sums, sizeof sums);
}

// The same for fewer than eight.
template <std::size_t N, class Value>
[[gnu::always_inline]] inline void sum_few(float* out, std::span<const Match> matches, std::size_t first) {
  float sums[N] = {};
  for (const Match& match : matches)
    for (std::size_t i = 0; i < N; ++i)
      sums[i] += match.value * static_cast<float>(load<Value>(match.bytes, first + i));
  std::memcpy(out + first, sums, sizeof sums);
}

template <class Value>
[[gnu::always_inline]] inline void sum_tiles(float* out, std::span<const Match> matches, std::size_t n) {
  std::size_t first = 0;
  for (; first + 64 <= n; first += 64) sum_tile<8, Value>(out, matches, first);
  for (; first + 16 <= n; first += 16) sum_tile<2, Value>(out, matches, first);
  for (; first + 8 <= n; first += 8) sum_tile<1, Value>(out, matches, first);
  if (n - first >= 4) sum_few<4, Value>(out, matches, first), first += 4;
  if (n - first >= 2) sum_few<2, Value>(out, matches, first), first += 2;
  if (n > first) sum_few<1, Value>(out, matches, first);
}

template <class Value>
constexpr Wide<sum_tiles<Value>> sum_filled;

}  // namespace

// Whether a feature is there, and whether its weights are filled, is chance, so nothing here is a branch that
// depends on it.
template <class Value>
struct SiblingWeights::Matcher {
  std::size_t group_size;
  Match *filled, *sparse;  // where the next one goes

  void put(bool is_found, std::span<const uint8_t> bytes, float value) {
    const bool is_filled = has_all_weights<Value>(bytes.size(), group_size);
    __builtin_prefetch(bytes.data());
    prefetch(bytes.data(), CACHE_LINE);
    filled->bytes = sparse->bytes = bytes.data();
    filled->value = sparse->value = value;
    filled->n_bytes = sparse->n_bytes = static_cast<uint32_t>(bytes.size());
    filled += is_found & is_filled;
    sparse += is_found & !is_filled;
  }

  void look(const Group& group, const QueryRow& row) {
    const uint32_t mask = (1u << group.shift) - 1;
    const uint8_t* const end = group.bytes.data() + group.bytes.size();
    for (std::size_t k = 0; k < row.indices.size(); ++k) {
      const auto feature = static_cast<uint32_t>(row.indices[k]);
      const uint32_t* begin = group.buckets + (feature >> group.shift);
      const Bucket bucket(group.bytes, begin[0], begin[1], MAX_SHIFT);
      if (bucket.n == 0) continue;
      const std::size_t place = find(bucket, static_cast<uint16_t>(feature & mask), end);
      put(place < bucket.n, bucket.weights(place < bucket.n ? place : 0), row.values[k]);
    }
  }

  void look_directly(const Group& group, const QueryRow& row) {
    const auto n_bytes = group.bytes.size();
    for (std::size_t k = 0; k < row.indices.size(); ++k) {
      const uint32_t* at = group.buckets + row.indices[k];
      const std::size_t begin = at[0], end = at[1];
      const bool is_found = (begin < end) & (end <= n_bytes);
      put(is_found, {group.bytes.data() + (is_found ? begin : 0), is_found ? end - begin : 0}, row.values[k]);
    }
  }
};

// Finds all features before it reads the first weight, so that weights come from memory side by side.
template <class Value>
QuerySpace::Matches SiblingWeights::match(const Group& group, const QueryRow& row, QuerySpace& space) {
  const std::size_t room = row.indices.size() + 1;
  if (space.filled.size() < room) space.filled.resize(room), space.sparse.resize(room);
  Matcher<Value> found{group.size, space.filled.data(), space.sparse.data()};
  if (group.shift == 0)
    found.look_directly(group, row);
  else
    found.look(group, row);
  return {{space.filled.data(), found.filled}, {space.sparse.data(), found.sparse}};
}

template <class Value>
void SiblingWeights::add(const Group& group, const QueryRow& row, QuerySpace& space, std::size_t position) {
  float* out = space.sums.data() + position;
  const auto [filled, sparse] = match<Value>(group, row, space);
  sum_filled<Value>(out, filled, group.size);
  for (const Match& found : sparse) {
    const std::size_t n = n_weights<Value>(found.n_bytes, group.size);
    const uint8_t* const sibling = found.bytes;
    const uint8_t* const weight = found.bytes + n;
    const float value = found.value;
    for (std::size_t e = 0; e < n; ++e) out[sibling[e]] += value * static_cast<float>(load<Value>(weight, e));
  }
}

std::span<float> SiblingWeights::sums(int32_t node, const QueryRow& row, QuerySpace& space) const {
  const int32_t size = family(node).size;
  const int32_t first = first_group_[at(node + 1)], last = first_group_[at(node + 2)];
  // A byte may name any of GROUP siblings, so there must be room for all of them.
  const std::size_t room = at(last - first) * GROUP;
  if (space.sums.size() < room) space.sums.resize(room);
  with_weight_type(arrays_.weight_bytes, [&](auto value) {
    for (int32_t g = first; g < last; ++g) {
      const int32_t position = (g - first) * GROUP;
      add<decltype(value)>(group(at(g), group_size(size, position)), row, space, at(position));
    }
  });
  return {space.sums.data(), at(size)};
}

void SiblingWeights::fetch_buckets(int32_t node, const QueryRow& row) const {
  const auto g = at(first_group_[at(node + 1)]);
  const uint32_t* buckets = arrays_.buckets.data() + arrays_.bucket_begin[g];
  const int shift = arrays_.shift[g];
  for (const int32_t feature : row.indices) __builtin_prefetch(buckets + (feature >> shift));
}

void SiblingWeights::fetch_bytes(int32_t node, const QueryRow& row) const {
  const auto g = at(first_group_[at(node + 1)]);
  const uint32_t* buckets = arrays_.buckets.data() + arrays_.bucket_begin[g];
  const int shift = arrays_.shift[g];
  for (const int32_t feature : row.indices) {
    const std::size_t bucket = at(arrays_.byte_begin[g]) + buckets[feature >> shift];
    prefetch(arrays_.bytes.data(), bucket);
    prefetch(arrays_.bytes.data(), bucket + CACHE_LINE / 2);
  }
}

}  // namespace labeltree
