// An array that grows at its end without ever being there twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace labeltree {

// Large blocks are moved by the system's page tables where realloc can do so; a vector would copy them, and
// hold both copies meanwhile.
template <class T>
class Grown {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  using Owner = std::unique_ptr<T[], Free>;

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  std::span<const T> view() const { return {data_.get(), size_}; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(std::max<std::size_t>(1024, capacity_ + capacity_ / 2));
    data_[size_++] = value;
  }

  // Room for n more at the end, for the caller to fill.
  T* extend(std::size_t n) {
    if (size_ + n > capacity_) reserve(std::max(size_ + n, capacity_ + capacity_ / 2));
    size_ += n;
    return data_.get() + (size_ - n);
  }

  // Gives the memory away, cut to its size.
  Owner release() {
    if (size_ > 0) reserve(size_);
    size_ = capacity_ = 0;
    return std::move(data_);
  }

 private:
  void reserve(std::size_t capacity) {
    T* moved = static_cast<T*>(std::realloc(data_.get(), capacity * sizeof(T)));
    if (moved == nullptr) throw std::bad_alloc();
    (void)data_.release();  // realloc has freed it
    data_.reset(moved);
    capacity_ = capacity;
  }

  Owner data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace labeltree
