#include "label_names.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/index.hpp"
#include "utf8.hpp"

namespace labeltree::file {
namespace {

template <class T>
T number_at(std::span<const uint8_t> bytes, std::size_t place) {
  T number;
  std::memcpy(&number, bytes.data() + place * sizeof(T), sizeof(T));
  return number;
}

// A number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
double half(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  double size = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 0x1F) size = fraction == 0 ? HUGE_VAL : NAN;
  return bits >> 15 ? -size : size;
}

double real_at(const std::string& dtype, std::span<const uint8_t> bytes, std::size_t place) {
  if (dtype == "f2") return half(number_at<uint16_t>(bytes, place));
  if (dtype == "f4") return static_cast<double>(number_at<float>(bytes, place));
  return number_at<double>(bytes, place);
}

template <class T>
std::string decimal(T number) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

std::string integer_at(const std::string& dtype, std::span<const uint8_t> bytes, std::size_t place) {
  const bool is_signed = dtype[0] == 'i';
  switch (dtype[1]) {
    case '1':
      return is_signed ? decimal(int{number_at<int8_t>(bytes, place)})
                       : decimal(int{number_at<uint8_t>(bytes, place)});
    case '2':
      return is_signed ? decimal(number_at<int16_t>(bytes, place))
                       : decimal(number_at<uint16_t>(bytes, place));
    case '4':
      return is_signed ? decimal(number_at<int32_t>(bytes, place))
                       : decimal(number_at<uint32_t>(bytes, place));
    default:
      return is_signed ? decimal(number_at<int64_t>(bytes, place))
                       : decimal(number_at<uint64_t>(bytes, place));
  }
}

void check_ends(std::span<const int64_t> ends, std::span<const uint8_t> text) {
  if (ends.front() != 0 || ends.back() != static_cast<int64_t>(text.size()))
    refuse("labels.ends must begin with 0 and end with " + std::to_string(text.size()));
  if (!std::ranges::is_sorted(ends)) refuse("labels.ends must not decrease, but does");
  for (const int64_t end : ends)
    if (at(end) < text.size() && is_tail(text[at(end)]))
      refuse("labels.ends must not lie within a character");
}

}  // namespace

LabelNames::LabelNames(SectionReader& section, std::size_t n_names) : kind_(section.text("names")) {
  if (kind_ == "numbers" || kind_ == "booleans")
    take_values(section, kind_ == "booleans", n_names);
  else if (kind_ == "text" || kind_ == "fixed_text")
    take_text(section, n_names);
  else if (kind_ != "positions")
    refuse("names of labels are of the unknown kind " + section.value("names").shown());
}

void LabelNames::take_values(SectionReader& section, bool are_booleans, std::size_t n_names) {
  const StoredArray& values = section.array("labels.values");
  dtype_ = values.dtype;
  bytes_ = values.bytes;
  if (values.shape.size() != 1 || values.shape[0] != n_names)
    refuse("labels.values must have one entry for each of " + std::to_string(n_names) + " labels");
  if (are_booleans && (dtype_ != "u1" || std::ranges::any_of(bytes_, [](uint8_t b) { return b > 1; })))
    refuse("labels.values must be 0 or 1, of u1");
  for (std::size_t j = 0; dtype_[0] == 'f' && j < n_names; ++j)
    if (!std::isfinite(real_at(dtype_, bytes_, j))) refuse("labels.values must be finite");
}

void LabelNames::take_text(SectionReader& section, std::size_t n_names) {
  bytes_ = section.numbers<uint8_t>("labels.text");
  ends_ = section.numbers<int64_t>("labels.ends", n_names + 1);
  if (!is_utf8(bytes_)) refuse("labels.text must be UTF-8, but is not");
  check_ends(ends_, bytes_);
}

std::string LabelNames::of(std::size_t label) const {
  if (kind_ == "positions") return decimal(label);
  if (kind_ == "booleans") return bytes_[label] ? "True" : "False";
  if (kind_ == "numbers")
    return dtype_[0] == 'f' ? decimal(real_at(dtype_, bytes_, label)) : integer_at(dtype_, bytes_, label);
  const auto first = at(ends_[label]), last = at(ends_[label + 1]);
  return {reinterpret_cast<const char*>(bytes_.data()) + first, last - first};
}

}  // namespace labeltree::file
