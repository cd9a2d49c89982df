// The bytes of a bucket taken apart (weights.hpp says how they lie).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace labeltree {

// Arrays within bytes begin anywhere.
template <class T>
T load(const uint8_t* from, std::size_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

// A bucket taken apart; without features where its bytes do not fit into those of its group.
struct Bucket {
  const uint8_t* bytes = nullptr;
  std::size_t n = 0, size = 0;  // features, bytes
  bool is_direct;               // of one feature, so that nothing but its weights is here

  Bucket(std::span<const uint8_t> group, std::size_t begin, std::size_t end, int shift)
      : is_direct(shift == 0) {
    if (begin >= end || end > group.size() || (!is_direct && begin + 4 > end)) return;
    bytes = group.data() + begin;
    size = end - begin;
    n = is_direct ? 1 : load<uint16_t>(bytes, 0) / 4u;
    if (!is_direct && 4 * n > size) n = 0;
  }

  const uint8_t* lows() const { return bytes + 2 * n; }
  uint16_t low(std::size_t place) const { return is_direct ? uint16_t{0} : load<uint16_t>(lows(), place); }
  // Where the weights of a feature are; empty where they do not fit.
  std::span<const uint8_t> weights(std::size_t place) const {
    if (is_direct) return {bytes, size};
    const std::size_t begin = load<uint16_t>(bytes, place);
    const std::size_t end = place + 1 < n ? load<uint16_t>(bytes, place + 1) : size;
    if (begin > end || end > size) return {};
    return {bytes + begin, end - begin};
  }
};

// The number of weights that n_bytes hold.
template <class Value>
std::size_t n_weights(std::size_t n_bytes, std::size_t group_size) {
  return n_bytes == group_size * sizeof(Value) ? group_size : n_bytes / (sizeof(Value) + 1);
}
// Whether these are as many as the group has siblings, or more, without a division.
template <class Value>
bool has_all_weights(std::size_t n_bytes, std::size_t group_size) {
  return (n_bytes == group_size * sizeof(Value)) | (n_bytes >= group_size * (sizeof(Value) + 1));
}

}  // namespace labeltree
