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
  return 2 * longest_rows(features, N_AHEAD) + longest_rows(features, N_FRONT);
}

RowWindow::RowWindow(const FeatureRows& features, const WindowLimits& limits)
    : X_(features), limits_(limits), pages_(features, limits.page_bytes) {
  if (limits.max_entries > 0) n_front_ = longest_rows(features, N_FRONT);
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
}

void RowWindow::prepare(const int32_t* order, std::size_t at, std::size_t n_active) {
  if (head_end_ < tail_begin_ && head_end_ < at + N_AHEAD) load_head(order, at);
  if (head_end_ < tail_begin_ && n_active < tail_begin_ + N_AHEAD) load_tail(order, at, n_active);
}

void RowWindow::load(std::span<const int32_t> picked) {
  copy_to(n_front_, picked);
}

void RowWindow::load_head(const int32_t* order, std::size_t at) {
  const std::size_t room = (limits_.max_entries - n_front_) / 2;
  head_end_ = at;
  for (std::size_t used = 0; head_end_ < tail_begin_; ++head_end_) {
    used += labeltree::at(size(order[head_end_]));
    if (used > room) break;
  }
  copy_to(n_front_, {order + at, order + head_end_});
}

void RowWindow::load_tail(const int32_t* order, std::size_t at, std::size_t n_active) {
  const std::size_t room = (limits_.max_entries - n_front_) / 2;
  tail_begin_ = n_active;
  for (std::size_t used = 0; tail_begin_ > head_end_; --tail_begin_) {
    used += labeltree::at(size(order[tail_begin_ - 1]));
    if (used > room) break;
  }
  copy_to(n_front_ + room, {order + tail_begin_, order + n_active});
  // The next rows may have come from the end, whose copies are gone.
  copy_to(0, {order + at, order + std::min(at + N_FRONT, head_end_)});
}

void RowWindow::copy_to(std::size_t place, std::span<const int32_t> picked) {
  picked_.assign(picked.begin(), picked.end());
  std::ranges::sort(picked_);
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
