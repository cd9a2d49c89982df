// Vectors of millions of bytes, in large pages where the system has them: new memory comes in fewer steps.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "base/pages.hpp"

namespace labeltree {

// An allocator that leaves numbers as they are where std::allocator would write zeros.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t n) {
    if (n * sizeof(T) < LARGE_PAGE) return static_cast<T*>(::operator new(n * sizeof(T)));
    void* const memory = ::operator new(n * sizeof(T), std::align_val_t{LARGE_PAGE});
    prefer_large_pages({static_cast<uint8_t*>(memory), n * sizeof(T)});
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    if (n * sizeof(T) < LARGE_PAGE) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t{LARGE_PAGE});
  }

  void construct(T* place) { ::new (static_cast<void*>(place)) T; }
  template <class... Args>
  void construct(T* place, Args&&... args) {
    ::new (static_cast<void*>(place)) T(std::forward<Args>(args)...);
  }

  bool operator==(const LargePages&) const = default;
};

// resize() leaves new numbers without a value.
template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace labeltree
