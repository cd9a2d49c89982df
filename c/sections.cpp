#include "sections.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/checksum.hpp"
#include "refusal.hpp"

namespace labeltree::file {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

constexpr std::string_view MAGIC = "\x89LTM\r\n\x1a\n";
constexpr std::size_t START = 32, ALIGNMENT = 64, MAX_HEADER = std::size_t{1} << 26;
constexpr uint64_t VERSION = 1;
constexpr int64_t MAX_LENGTH = int64_t{1} << 40;  // of an axis

std::size_t aligned(std::size_t offset) {
  return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t checksum_of(std::span<const uint8_t> bytes) {
  Interrupt none;
  return checksum(bytes, 1, none);
}

// The first bytes ------------------------------------------------------------------------------------------

uint64_t number_at(std::span<const uint8_t> file, std::size_t place) {
  uint64_t number = 0;
  std::memcpy(&number, file.data() + place, sizeof number);
  return number;
}

void check_version(uint64_t version) {
  if (version > VERSION)
    refuse("it has format " + std::to_string(version) + "; this release reads format 1. Upgrade labeltree");
  if (version < VERSION) refuse("formats count from 1, but this is 0; get the file again");
}

// The header of a file, with its padding.
std::span<const uint8_t> header_of(std::span<const uint8_t> file) {
  const std::size_t n_magic = std::min(MAGIC.size(), file.size());
  if (std::memcmp(file.data(), MAGIC.data(), n_magic) != 0) refuse("it is not a labeltree model file");
  if (file.size() < START)
    refuse("the file is cut off after " + std::to_string(file.size()) + " bytes; get it again");
  check_version(number_at(file, 8));
  const uint64_t length = number_at(file, 16);
  if (length > MAX_HEADER)
    refuse("a header has at most " + std::to_string(MAX_HEADER) + " bytes, but this one " +
           std::to_string(length));
  const std::size_t end = START + length;
  if (end > file.size())
    refuse("the header ends at byte " + std::to_string(end) + ", but the file has " +
           std::to_string(file.size()) + "; it is cut off or damaged, get it again");
  if (end % ALIGNMENT != 0) refuse("arrays begin at a multiple of 64, but here at " + std::to_string(end));
  const auto header = file.subspan(START, length);
  if (checksum_of(header) != number_at(file, 24))
    refuse("the header is damaged: its checksum is wrong. Get the file again");
  return header;
}

// Objects of the header ------------------------------------------------------------------------------------

using Fields = std::map<std::string, JsonValue>;

// The members of an object with just these keys.
Fields fields_of(const std::string& what, const JsonValue& value, std::initializer_list<const char*> keys) {
  Fields fields;
  for (const auto& [key, member] : value.members()) fields.emplace(key, member);
  bool is_complete = fields.size() == keys.size();
  std::string listed;
  for (const char* key : keys) {
    is_complete &= fields.contains(key);
    listed += (listed.empty() ? "" : ", ") + std::string(key);
  }
  if (!is_complete) refuse(what + " must be an object with " + listed);
  return fields;
}

template <class Value>
Value taken(const std::string& what, const Fields& fields, const char* key, const char* kind,
            std::optional<Value> (JsonValue::*as)() const) {
  const JsonValue& value = fields.at(key);
  const auto found = (value.*as)();
  if (!found) refuse(std::string(key) + " of " + what + " must be " + kind + ", but is " + value.shown());
  return *found;
}

std::vector<JsonValue> list_of(const std::string& what, const Fields& fields, const char* key) {
  const JsonValue& value = fields.at(key);
  if (value.kind() != JsonKind::list)
    refuse(std::string(key) + " of " + what + " must be a list, but is " + value.shown());
  return value.values();
}

std::string name_of(const std::string& what, const Fields& fields) {
  const auto name = taken(what, fields, "name", "text", &JsonValue::text);
  const auto is_known = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (name.empty() || name.size() > 100 || !std::ranges::all_of(name, is_known))
    refuse("names have 1 to 100 of a-z, 0-9, _ and ., but that of " + what + " is " +
           fields.at("name").shown());
  return name;
}

// Arrays ---------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 11> DTYPES = {"u1", "i1", "u2", "i2", "u4", "i4",
                                                     "u8", "i8", "f2", "f4", "f8"};

uint64_t read_checksum(const std::string& name, const std::string& digits) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  uint64_t number = 0;
  if (digits.size() != 16 || !std::ranges::all_of(digits, is_digit))
    refuse("the checksum of " + name + " must be 16 hexadecimal digits");
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

std::vector<std::size_t> read_shape(const std::string& name, const JsonValue& value) {
  std::vector<std::size_t> shape;
  bool is_shape = value.kind() == JsonKind::list;
  for (const JsonValue& length : value.values()) {
    const auto number = length.integer();
    is_shape &= number && *number >= 0 && *number <= MAX_LENGTH && shape.size() < 2;
    if (!is_shape) break;
    shape.push_back(static_cast<std::size_t>(*number));
  }
  if (!is_shape || shape.empty())
    refuse("the shape of " + name + " must be 1 or 2 numbers in 0..2^40, but is " + value.shown());
  return shape;
}

[[noreturn]] void refuse_end(const std::string& name) {
  refuse("array " + name + " ends beyond the file; it is cut off or damaged, get it again");
}

// Bytes of an array, which are no more than there are: lengths of up to 2^40 must not overflow.
std::size_t n_bytes_of(const StoredArray& array, std::size_t available) {
  if (std::ranges::find(array.shape, 0) != array.shape.end()) return 0;
  std::size_t n_bytes = static_cast<std::size_t>(array.dtype[1] - '0');
  for (const std::size_t length : array.shape) {
    if (n_bytes > available / length) refuse_end(array.name);
    n_bytes *= length;
  }
  return n_bytes;
}

void place(StoredArray& array, int64_t offset, std::size_t end, std::span<const uint8_t> data) {
  if (offset < 0 || static_cast<std::size_t>(offset) != aligned(end))
    refuse("array " + array.name + " must begin at " + std::to_string(aligned(end)) + ", but begins at " +
           std::to_string(offset));
  array.offset = static_cast<std::size_t>(offset);
  const std::size_t n_bytes = n_bytes_of(array, data.size());
  if (array.offset > data.size() || n_bytes > data.size() - array.offset) refuse_end(array.name);
  array.bytes = data.subspan(array.offset, n_bytes);
}

StoredArray read_array(const std::string& what, const JsonValue& value, std::size_t end,
                       std::span<const uint8_t> data) {
  const Fields fields = fields_of(what, value, {"name", "dtype", "shape", "offset", "checksum"});
  StoredArray array{name_of(what, fields), {}, {}, {}, 0, 0};
  array.dtype = taken(what, fields, "dtype", "text", &JsonValue::text);
  if (std::ranges::find(DTYPES, array.dtype) == DTYPES.end())
    refuse("array " + array.name + " has the unknown dtype " + fields.at("dtype").shown());
  array.shape = read_shape(array.name, fields.at("shape"));
  array.checksum = read_checksum(array.name, taken(what, fields, "checksum", "text", &JsonValue::text));
  place(array, taken(what, fields, "offset", "an integer", &JsonValue::integer), end, data);
  return array;
}

// Sections -------------------------------------------------------------------------------------------------

class TableReader {
 public:
  explicit TableReader(std::span<const uint8_t> data) : data_(data) {}

  Section read_section(const JsonValue& value) {
    const std::string what = "section " + std::to_string(section_names_.size());
    const Fields fields = fields_of(what, value, {"name", "required", "content", "arrays"});
    const bool required = taken(what, fields, "required", "true or false", &JsonValue::boolean);
    if (fields.at("content").kind() != JsonKind::object)
      refuse("content of " + what + " must be an object, but is " + fields.at("content").shown());
    Section section{name_of(what, fields), required, fields.at("content"), {}};
    if (!section_names_.insert(section.name).second) refuse("two sections have the name " + section.name);
    for (const JsonValue& entry : list_of(what, fields, "arrays")) add_array(section, entry);
    return section;
  }

  // Where the bytes of the arrays end.
  std::size_t end() const { return end_; }

 private:
  void add_array(Section& section, const JsonValue& entry) {
    const std::string what = "array " + std::to_string(section.arrays.size()) + " of section " + section.name;
    const StoredArray& array = section.arrays.emplace_back(read_array(what, entry, end_, data_));
    if (!names_.insert(array.name).second) refuse("two arrays have the name " + array.name);
    end_ = array.offset + array.bytes.size();
  }

  std::span<const uint8_t> data_;
  std::set<std::string> section_names_, names_;
  std::size_t end_ = 0;
};

}  // namespace

Sections read_sections(std::span<const uint8_t> file) {
  const auto header = header_of(file);
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  Sections sections{std::make_unique<Json>(text), file.subspan(START + header.size()), {}};
  const Fields root = fields_of("the header", sections.header->root(), {"sections"});
  TableReader reader(sections.data);
  for (const JsonValue& value : list_of("the header", root, "sections"))
    sections.list.push_back(reader.read_section(value));
  if (reader.end() != sections.data.size())
    refuse("the arrays end " + std::to_string(sections.data.size() - reader.end()) +
           " bytes before the file; something was added to it");
  return sections;
}

void verify_arrays(const Sections& sections) {
  std::size_t end = 0;
  Interrupt none;
  for (const Section& section : sections.list)
    for (const StoredArray& array : section.arrays) {
      const auto gap = sections.data.subspan(end, array.offset - end);
      if (std::ranges::any_of(gap, [](uint8_t byte) { return byte != 0; }))
        refuse("the bytes before array " + array.name + " must be 0; get the file again");
      if (checksum_of_map(array.bytes, 1, none) != array.checksum)
        refuse("array " + array.name + " is damaged: its checksum is wrong. Get the file again");
      end = array.offset + array.bytes.size();
    }
}

}  // namespace labeltree::file
