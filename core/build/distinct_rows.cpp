#include "build/distinct_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/index.hpp"

namespace labeltree {
namespace {

using Row = std::span<const int32_t>;

uint64_t hash(Row row) {
  uint64_t mixed = row.size();
  for (const int32_t label : row) {
    mixed = (mixed ^ static_cast<uint64_t>(label)) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 32;
  }
  return mixed;
}

class Counter {
 public:
  void add(Row row) {
    if (2 * found_.count.size() >= slots_.size()) grow();
    int64_t& slot = slots_[slot_of(row)];
    if (slot == EMPTY) {
      slot = static_cast<int64_t>(found_.count.size());
      found_.indices.insert(found_.indices.end(), row.begin(), row.end());
      found_.indptr.push_back(static_cast<int64_t>(found_.indices.size()));
      found_.count.push_back(0);
    }
    ++found_.count[at(slot)];
  }

  DistinctRows take() { return std::move(found_); }

 private:
  static constexpr int64_t EMPTY = -1;

  // That of an equal row, or the empty one where this row belongs.
  std::size_t slot_of(Row row) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(row) & mask;
    while (slots_[slot] != EMPTY && !std::ranges::equal(found_.view()[at(slots_[slot])], row))
      slot = (slot + 1) & mask;
    return slot;
  }

  // As large as the distinct rows need, so that it stays in the caches if these are few.
  void grow() {
    slots_.assign(2 * slots_.size(), EMPTY);
    for (std::size_t i = 0; i < found_.count.size(); ++i)
      slots_[slot_of(found_.view()[i])] = static_cast<int64_t>(i);
  }

  DistinctRows found_{{0}, {}, {}};
  std::vector<int64_t> slots_ = std::vector<int64_t>(1024, EMPTY);  // by the hash of a row: its number
};

}  // namespace

DistinctRows distinct_rows(const LabelRows& rows) {
  Counter counter;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].empty()) counter.add(rows[i]);
  return counter.take();
}

}  // namespace labeltree
