// A table from features to a few words each, with little more room than they need.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace labeltree {

// Open addressing. Words are floats, or the bits of other numbers; those of a new feature are 0.
class FeatureTable {
 public:
  explicit FeatureTable(std::size_t n_words) : width_(n_words + 1) {}

  std::size_t size() const { return size_; }
  std::size_t n_bytes() const { return words_.capacity() * sizeof(float); }

  // Room for n features: until there are more, what find_or_add gave stays where it is.
  void reserve(std::size_t n) {
    if (n * 3 > n_places_ * 2)
      rehash(std::max(n * 3 / 2 + 1, n_places_ * 4 / 3), [](int32_t) { return true; });
  }

  float* find(int32_t feature) {
    if (size_ == 0) return nullptr;
    float* entry = place(feature);
    return feature_of(entry) == feature ? entry + 1 : nullptr;
  }
  const float* find(int32_t feature) const { return const_cast<FeatureTable*>(this)->find(feature); }

  float* find_or_add(int32_t feature) {
    reserve(size_ + 1);
    return find_or_put(feature);
  }
  // Where there is room for it.
  float* find_or_put(int32_t feature) {
    float* entry = place(feature);
    if (feature_of(entry) != feature) {
      *entry = std::bit_cast<float>(feature);
      ++size_;
    }
    return entry + 1;
  }

  void prefetch(int32_t feature) const {
    if (size_ > 0) __builtin_prefetch(words_.data() + start(feature) * width_);
  }

  // Calls body(feature, words) for all features, in an order that depends on what was there before.
  template <class Body>
  void each(Body body) {
    for (std::size_t p = 0; p < n_places_; ++p)
      if (float* entry = words_.data() + p * width_; feature_of(entry) != FREE)
        body(feature_of(entry), entry + 1);
  }
  template <class Body>
  void each(Body body) const {
    const_cast<FeatureTable*>(this)->each([&](int32_t f, const float* words) { body(f, words); });
  }

  std::vector<int32_t> sorted_features() const {
    std::vector<int32_t> made;
    made.reserve(size_);
    each([&](int32_t feature, const float*) { made.push_back(feature); });
    std::ranges::sort(made);
    return made;
  }

  template <class Keep>
  void filter(Keep keep) {
    std::size_t n = 0;
    each([&](int32_t feature, const float*) { n += keep(feature); });
    if (n < size_) rehash(n * 3 / 2 + 1, keep);
  }

 private:
  static constexpr int32_t FREE = -1;
  static int32_t feature_of(const float* entry) { return std::bit_cast<int32_t>(*entry); }

  // Larger tables keep the order of places, so that growing reads and writes one place after the other.
  std::size_t start(int32_t feature) const {
    const uint64_t mixed = static_cast<uint32_t>(feature) * 0x9e3779b1u;
    return static_cast<std::size_t>(mixed * n_places_ >> 32);
  }
  float* place(int32_t feature) {
    float* entry = words_.data() + start(feature) * width_;
    const float* end = words_.data() + words_.size();
    while (feature_of(entry) != feature && feature_of(entry) != FREE)
      if ((entry += width_) == end) entry = words_.data();
    return entry;
  }

  template <class Keep>
  void rehash(std::size_t n_places, Keep keep) {
    const std::vector<float> before = std::move(words_);
    n_places_ = n_places;
    words_.assign(n_places * width_, 0.0f);
    for (std::size_t p = 0; p < n_places; ++p) words_[p * width_] = std::bit_cast<float>(FREE);
    size_ = 0;
    for (auto entry = before.begin(); entry != before.end(); entry += static_cast<std::ptrdiff_t>(width_)) {
      const int32_t feature = feature_of(&*entry);
      if (feature == FREE || !keep(feature)) continue;
      std::copy_n(entry, width_, place(feature));
      ++size_;
    }
  }

  std::size_t width_, n_places_ = 0, size_ = 0;
  std::vector<float> words_;  // [place][feature and words]
};

}  // namespace labeltree
