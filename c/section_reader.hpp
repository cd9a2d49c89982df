// One section of a model file, of which everything must be known.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>

#include "json.hpp"
#include "refusal.hpp"
#include "sections.hpp"

namespace labeltree::file {

// Gives out values and arrays by name, and refuses those that nobody asked for.
class SectionReader {
 public:
  explicit SectionReader(const Section& section);

  const std::string& name() const { return section_->name; }
  std::size_t n_arrays() const { return arrays_.size(); }

  bool has_array(const std::string& array) const { return arrays_.contains(array); }
  bool has_value(const std::string& key) const { return content_.contains(key); }

  // Throws if there is none.
  const StoredArray& array(const std::string& array);
  const JsonValue& value(const std::string& key);
  // The same as what they must be. `n` is the number of entries, if it is known.
  template <class T>
  std::span<const T> numbers(const std::string& array, std::optional<std::size_t> n = {});
  std::string text(const std::string& key);
  bool boolean(const std::string& key);
  double number(const std::string& key, double least, double most);
  int32_t integer(const std::string& key, int64_t most);  // from 1

  // Throws for a value or an array that was not asked for: a later release may mean something by it.
  void finish() const;

 private:
  [[noreturn]] void refuse_value(const std::string& key, const std::string& rule);
  const StoredArray& one_axis(const std::string& array, const char* dtype, std::optional<std::size_t> n);

  const Section* section_;
  std::map<std::string, JsonValue> content_;
  std::map<std::string, const StoredArray*> arrays_;
  std::set<std::string> asked_values_, asked_arrays_;
};

template <class T>
constexpr const char* dtype_of() {
  if (std::is_same_v<T, float>) return "f4";
  if (std::is_same_v<T, double>) return "f8";
  if (std::is_same_v<T, int32_t>) return "i4";
  if (std::is_same_v<T, int64_t>) return "i8";
  if (std::is_same_v<T, uint32_t>) return "u4";
  static_assert(
      std::disjunction_v<std::is_same<T, float>, std::is_same<T, double>, std::is_same<T, int32_t>,
                         std::is_same<T, int64_t>, std::is_same<T, uint32_t>, std::is_same<T, uint8_t>>);
  return "u1";
}

// Arrays begin at multiples of 64 of a map, so that they can be read as they are.
template <class T>
std::span<const T> SectionReader::numbers(const std::string& array, std::optional<std::size_t> n) {
  const auto bytes = one_axis(array, dtype_of<T>(), n).bytes;
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace labeltree::file
