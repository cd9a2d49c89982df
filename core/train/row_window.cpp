#include "train/row_window.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace labeltree {
namespace {

// Entries of the longest n rows.
std::size_t longest_rows(const FeatureRows& features, std::size_t n) {
  std::vector<int32_t> sizes(features.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = static_cast<int32_t>(features.indptr[i + 1] - features.indptr[i]);
  n = std::min(n, sizes.size());
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(n);
  std::ranges::nth_element(sizes, end, std::greater<>());
  return at(std::accumulate(sizes.begin(), end, int64_t{0}));
}

}  // namespace

std::size_t RowWindow::min_entries(const FeatureRows& features) {
  return 2 * longest_rows(features, N_AHEAD);
}

RowWindow::RowWindow(const FeatureRows& features, const WindowLimits& limits)
    : X_(features), limits_(limits), pages_(features, limits.page_bytes) {
  if (limits.max_entries > 0) least_ = longest_rows(features, N_AHEAD);
}

void RowWindow::set_rows(std::span<const int32_t> rows, std::span<int64_t> begin) {
  rows_ = rows;
  begin_ = begin;
  n_entries_ = 0;
  for (const int32_t row : rows) n_entries_ += at(X_.indptr[at(row) + 1] - X_.indptr[at(row)]);
}

// What was there is gone, so that there are never two copies.
void RowWindow::make_room(std::size_t n_entries) {
  if (index_.size() >= n_entries) return;
  index_ = std::vector<int32_t>();
  value_ = std::vector<float>();
  index_.resize(n_entries);
  value_.resize(n_entries);
}

void RowWindow::begin_parts(const int32_t* local_of) {
  local_of_ = local_of;
  make_room(limits_.max_entries);
}

void RowWindow::restart(std::size_t n_active) {
  head_end_ = 0;
  tail_begin_ = n_active;
  at_ = 0;
  n_active_ = n_active;
}

void RowWindow::prepare(const int32_t* order, std::size_t at, std::size_t n_active) {
  const bool is_short = head_end_ < at + N_AHEAD || n_active < tail_begin_ + N_AHEAD;
  if (head_end_ < tail_begin_ && is_short) load_ends(order, at, n_active);
}

void RowWindow::load(std::span<const int32_t> picked) {
  picked_.assign(picked.begin(), picked.end());
  copy_picked();
}

void RowWindow::load_ends(const int32_t* order, std::size_t at, std::size_t n_active) {
  const std::size_t of_tail = tail_room(at, n_active), of_head = limits_.max_entries - of_tail;
  const auto size_at = [&](std::size_t place) { return labeltree::at(size(order[place])); };
  head_end_ = at;
  for (std::size_t used = 0; head_end_ < n_active; ++head_end_)
    if (used += size_at(head_end_); used > of_head) break;
  tail_begin_ = n_active;
  for (std::size_t used = 0; tail_begin_ > head_end_; --tail_begin_)
    if (used += size_at(tail_begin_ - 1); used > of_tail) break;
  at_ = at;
  n_active_ = n_active;
  picked_.assign(order + at, order + head_end_);
  picked_.insert(picked_.end(), order + tail_begin_, order + n_active);
  copy_picked();
}

// Entries for the end of the order, by where rows were visited since they were loaded.
std::size_t RowWindow::tail_room(std::size_t at, std::size_t n_active) {
  const auto n_head = static_cast<double>(at - at_), n_tail = static_cast<double>(n_active_ - n_active);
  if (n_head + n_tail > 0.0) tail_share_ = n_tail / (n_head + n_tail);
  const auto wished = static_cast<std::size_t>(tail_share_ * static_cast<double>(limits_.max_entries));
  return std::clamp(wished, least_, limits_.max_entries - least_);
}

void RowWindow::copy_picked() {
  std::ranges::sort(picked_);
  std::size_t place = 0;
  for (const int32_t i : picked_) {
    const int64_t first = X_.indptr[at(rows_[at(i)])], last = first + size(i);
    begin_[at(i)] = static_cast<int64_t>(place);
    for (int64_t e = first; e < last; ++e, ++place) {
      const int32_t feature = X_.indices[at(e)];
      index_[place] = local_of_ == nullptr ? feature : local_of_[feature];
      value_[place] = X_.values[at(e)];
    }
    pages_.visit(first, last);
  }
}

}  // namespace labeltree
