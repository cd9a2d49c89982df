// Random numbers that depend on what they are for and not on the thread that draws them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace labeltree {

// splitmix64; Steele, Lea & Flood 2014.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // 0 .. n - 1; the bias of n / 2^64 does not matter here.
  int32_t below(int32_t n) { return static_cast<int32_t>(next() % static_cast<uint64_t>(n)); }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[next() % i]);
  }

 private:
  uint64_t state_;
};

// The seed of the stream for part i of what the stream `seed` is for.
inline uint64_t stream(uint64_t seed, uint64_t i) {
  return Random(Random(seed).next() ^ i).next();
}

}  // namespace labeltree
