// The sections of a model file and where their arrays are, as docs/reference/model-file.md describes them.
// Nothing is trusted before it is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "json.hpp"

namespace labeltree::file {

struct StoredArray {
  std::string name, dtype;
  std::vector<std::size_t> shape;
  std::span<const uint8_t> bytes;
  std::size_t offset;  // from the end of the header
  uint64_t checksum;
};

struct Section {
  std::string name;
  bool required;
  JsonValue content;
  std::vector<StoredArray> arrays;
};

// Sections of the bytes of a file, which must outlive this.
struct Sections {
  std::unique_ptr<Json> header;
  std::span<const uint8_t> data;  // behind the header
  std::vector<Section> list;
};

// Throws std::invalid_argument with the rule that a file breaks. Arrays are within the file, in order,
// without gaps or overlaps.
Sections read_sections(std::span<const uint8_t> file);

// Compares the checksums of all arrays of a file that is mapped, whose pages are released.
void verify_arrays(const Sections& sections);

}  // namespace labeltree::file
