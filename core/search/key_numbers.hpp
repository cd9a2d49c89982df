// Numbers for a few keys out of many, in the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace labeltree {

// Open addressing. A place of the table counts only if its entry points back to it, so that clear() need not
// touch the table.
class KeyNumbers {
 public:
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }

  // -1 for a key that has none.
  int32_t find(int32_t key) const {
    for (uint32_t place = first_place(key);; place = (place + 1) & mask()) {
      if (!is_taken(place)) return -1;
      if (entries_[table_[place]].key == key) return static_cast<int32_t>(table_[place]);
    }
  }

  // The number of a key that has none yet.
  int32_t add(int32_t key) {
    if ((entries_.size() + 1) * 2 > table_.size()) grow();
    entries_.push_back({key, 0});
    put(entries_.size() - 1);
    return static_cast<int32_t>(entries_.size() - 1);
  }

 private:
  struct Entry {
    int32_t key;
    uint32_t place;
  };

  uint32_t mask() const { return static_cast<uint32_t>(table_.size() - 1); }
  uint32_t first_place(int32_t key) const { return (static_cast<uint32_t>(key) * 2654435769u) >> shift_; }
  bool is_taken(uint32_t place) const {
    return table_[place] < entries_.size() && entries_[table_[place]].place == place;
  }

  void put(std::size_t number) {
    uint32_t place = first_place(entries_[number].key);
    while (table_[place] < number && entries_[table_[place]].place == place) place = (place + 1) & mask();
    entries_[number].place = place;
    table_[place] = static_cast<uint32_t>(number);
  }

  void grow() {
    --shift_;
    table_.assign(table_.size() * 2, 0);
    for (std::size_t number = 0; number < entries_.size(); ++number) put(number);
  }

  int shift_ = 26;  // 32 less the bits of a place
  std::vector<uint32_t> table_ = std::vector<uint32_t>(64);
  std::vector<Entry> entries_;
};

}  // namespace labeltree
