// Names of labels, which stay in the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "section_reader.hpp"

namespace labeltree::file {

class LabelNames {
 public:
  LabelNames() = default;
  // The names of a section; throws if a name could not be read later.
  LabelNames(SectionReader& section, std::size_t n_names);

  // The name of a label that there is, in UTF-8.
  std::string of(std::size_t label) const;

 private:
  void take_values(SectionReader& section, bool are_booleans, std::size_t n_names);
  void take_text(SectionReader& section, std::size_t n_names);

  std::string kind_, dtype_;
  std::span<const uint8_t> bytes_;  // the numbers, or the text of all names
  std::span<const int64_t> ends_;   // of text, one more than there are names
};

}  // namespace labeltree::file
