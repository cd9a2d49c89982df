// Walks over rows that are mapped from files, within a limit of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/index.hpp"
#include "base/pages.hpp"
#include "data/sparse.hpp"

namespace labeltree {

// Gives back the pages of rows once a walk has brought enough of them into memory. Pages that are read again
// come from the file, or from what the system keeps of it.
class WalkedPages {
 public:
  // Pages stay where max_bytes is 0; otherwise features and values must be mapped from files.
  WalkedPages(const FeatureRows& rows, std::size_t max_bytes) : rows_(rows), max_bytes_(max_bytes) {
    if (max_bytes > 0) before_ = mapped_bytes();
  }

  // The walk has read the entries begin .. end - 1.
  void visit(int64_t begin, int64_t end) {
    if (max_bytes_ == 0 || begin == end) return;
    const int64_t first = begin / BLOCK, last = (end - 1) / BLOCK;
    n_bytes_ += at(last - first + (first == block_ ? 0 : 1)) * BLOCK * (sizeof(int32_t) + sizeof(float));
    block_ = last;
    if (n_bytes_ < CHECKED_BYTES) return;
    n_bytes_ = 0;
    if (mapped_bytes() >= before_ + max_bytes_) release();
  }

  void release() {
    if (max_bytes_ == 0) return;
    release_pages(bytes(rows_.indices));
    release_pages(bytes(rows_.values));
    before_ = mapped_bytes();
    n_bytes_ = 0;
    block_ = -1;
  }

 private:
  // The system maps 64 KiB around what is read, and 2 MiB where the file lies in memory in such pieces. So it
  // is asked what is there.
  static constexpr int64_t BLOCK = 1 << 14;  // entries
  static constexpr std::size_t CHECKED_BYTES = 1 << 18;

  template <class T>
  static std::span<const uint8_t> bytes(std::span<const T> items) {
    return {reinterpret_cast<const uint8_t*>(items.data()), items.size_bytes()};
  }

  FeatureRows rows_;
  std::size_t max_bytes_, n_bytes_ = 0;
  std::size_t before_ = 0;  // in memory when pages were last given back
  int64_t block_ = -1;      // that was read last
};

// As check() of rows, one after the other.
inline void check(const FeatureRows& rows, std::size_t n_features, WalkedPages& pages) {
  check_pointers(rows.indptr, rows.indices.size());
  if (rows.values.size() != rows.indices.size())
    throw std::invalid_argument("every feature of a row has one value");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int64_t begin = rows.indptr[i], end = rows.indptr[i + 1];
    check_columns(rows.indices.subspan(at(begin), at(end - begin)), n_features, "feature");
    pages.visit(begin, end);
  }
  pages.release();
}

}  // namespace labeltree
