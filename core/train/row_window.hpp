// Copies of rows for the solver: all rows of a pack, or those that it visits next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "data/sparse.hpp"
#include "data/walked_pages.hpp"
#include "train/solver_pass.hpp"

namespace labeltree {

// What a thread may hold of rows that are mapped from files.
struct WindowLimits {
  std::size_t max_entries;  // 0 for all
  std::size_t page_bytes;   // of the files, beside the copies; 0 for all
};

// The solver visits rows from both ends of its order: a row that is of no use for now goes behind the active
// ones, and the last of these takes its place. So there are copies of the rows at both ends, as many of each
// as were visited there lately. All are copied in the order of the file, which is read from its beginning to
// its end each time.
class RowWindow {
 public:
  // Entries that a window must have for any rows of these features.
  static std::size_t min_entries(const FeatureRows& features);

  RowWindow(const FeatureRows& features, const WindowLimits& limits);

  // The rows of the next problem, and where to say at which entry the copy of each begins.
  void set_rows(std::span<const int32_t> rows, std::span<int64_t> begin);
  bool fits() const { return limits_.max_entries == 0 || n_entries_ <= limits_.max_entries; }
  // Calls number(feature) for every entry of all rows, and copies them with these features.
  template <class Number>
  void load_all(Number number);
  // Calls visit(feature) for every entry of all rows.
  template <class Visit>
  void visit_all(Visit visit);

  // Makes room for some of the rows, with features renumbered unless local_of is null.
  void begin_parts(const int32_t* local_of);
  // Nothing is loaded before a pass over this many rows.
  void restart(std::size_t n_active);
  // Loads what one call of the solver's loops may visit of order[at] .. order[n_active - 1].
  void prepare(const int32_t* order, std::size_t at, std::size_t n_active);
  // Loads some rows, WINDOW_VISITS at most, in place of others.
  void load(std::span<const int32_t> picked);

  const int32_t* index() const { return index_.data(); }
  const float* value() const { return value_.data(); }

 private:
  static constexpr std::size_t N_AHEAD = WINDOW_VISITS + 16;  // rows that one call may visit

  int64_t size(int32_t i) const { return X_.indptr[at(rows_[at(i)]) + 1] - X_.indptr[at(rows_[at(i)])]; }
  void make_room(std::size_t n_entries);
  void load_ends(const int32_t* order, std::size_t at, std::size_t n_active);
  std::size_t tail_room(std::size_t at, std::size_t n_active);
  void copy_picked();

  FeatureRows X_;
  WindowLimits limits_;
  WalkedPages pages_;
  std::size_t least_ = 0;          // entries of any N_AHEAD rows
  std::span<const int32_t> rows_;  // of the problem, as numbers of X
  std::span<int64_t> begin_;       // [row of the problem]
  std::size_t n_entries_ = 0;      // of all rows of the problem
  const int32_t* local_of_ = nullptr;
  std::size_t head_end_ = 0, tail_begin_ = 0;  // places before and from here on are loaded
  std::size_t at_ = 0, n_active_ = 0;          // when they were
  double tail_share_ = 0.5;                    // of visits
  std::vector<int32_t> index_, picked_;
  std::vector<float> value_;
};

template <class Number>
void RowWindow::load_all(Number number) {
  make_room(n_entries_);
  std::size_t place = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int64_t first = X_.indptr[at(rows_[i])], last = X_.indptr[at(rows_[i]) + 1];
    begin_[i] = static_cast<int64_t>(place);
    for (int64_t e = first; e < last; ++e, ++place) {
      index_[place] = number(X_.indices[at(e)]);
      value_[place] = X_.values[at(e)];
    }
    pages_.visit(first, last);
  }
}

template <class Visit>
void RowWindow::visit_all(Visit visit) {
  for (const int32_t row : rows_) {
    const int64_t first = X_.indptr[at(row)], last = X_.indptr[at(row) + 1];
    for (int64_t e = first; e < last; ++e) visit(X_.indices[at(e)]);
    pages_.visit(first, last);
  }
}

}  // namespace labeltree
