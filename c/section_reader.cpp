#include "section_reader.hpp"

#include "utf8.hpp"

namespace labeltree::file {

SectionReader::SectionReader(const Section& section) : section_(&section) {
  for (const auto& [key, value] : section.content.members()) content_.emplace(key, value);
  for (const StoredArray& array : section.arrays) arrays_.emplace(array.name, &array);
}

const StoredArray& SectionReader::array(const std::string& array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) refuse("array " + array + " is missing");
  asked_arrays_.insert(array);
  return *found->second;
}

const StoredArray& SectionReader::one_axis(const std::string& name, const char* dtype,
                                           std::optional<std::size_t> n) {
  const StoredArray& found = array(name);
  if (found.shape.size() != 1) refuse("array " + name + " must have one dimension");
  if (found.dtype != dtype) refuse("array " + name + " must be of " + dtype + ", but is of " + found.dtype);
  if (n && found.shape[0] != *n)
    refuse("array " + name + " must have " + std::to_string(*n) + " entries, but has " +
           std::to_string(found.shape[0]));
  return found;
}

const JsonValue& SectionReader::value(const std::string& key) {
  const auto found = content_.find(key);
  if (found == content_.end()) refuse("section '" + name() + "': '" + key + "' is missing");
  asked_values_.insert(key);
  return found->second;
}

void SectionReader::refuse_value(const std::string& key, const std::string& rule) {
  refuse("section '" + name() + "': " + key + " must be " + rule + ", but is " + value(key).shown());
}

std::string SectionReader::text(const std::string& key) {
  const auto found = value(key).text();
  if (!found) refuse_value(key, "text");
  return *found;
}

bool SectionReader::boolean(const std::string& key) {
  const auto found = value(key).boolean();
  if (!found) refuse_value(key, "true or false");
  return *found;
}

double SectionReader::number(const std::string& key, double least, double most) {
  const auto found = value(key).number();
  if (!found || *found < least || *found > most)
    refuse_value(key, "a number in " + std::to_string(least) + ".." + std::to_string(most));
  return *found;
}

int32_t SectionReader::integer(const std::string& key, int64_t most) {
  const auto found = value(key).integer();
  if (!found || *found < 1 || *found > most) refuse_value(key, "an integer in 1.." + std::to_string(most));
  return static_cast<int32_t>(*found);
}

void SectionReader::finish() const {
  const auto refuse_unknown = [&](const char* kind, const std::string& what) {
    refuse("section '" + name() + "': " + kind + whole_characters(what, 100) +
           " is unknown to this release. Upgrade labeltree");
  };
  for (const auto& [key, value] : content_)
    if (!asked_values_.contains(key)) refuse_unknown("key ", key);
  for (const auto& [array, stored] : arrays_)
    if (!asked_arrays_.contains(array)) refuse_unknown("array ", array);
}

}  // namespace labeltree::file
