#include "json_text.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "utf8.hpp"

namespace labeltree::file {
namespace {

constexpr std::string_view ESCAPED = "\"\\/bfnrt", MEANT = "\"\\/\b\f\n\r\t";
constexpr std::size_t UNIT = 6;  // bytes of \u0000

// The number of an escape such as \u00e9 that the text begins with.
std::optional<uint32_t> unit_of(std::string_view text) {
  if (text.size() < UNIT || !text.starts_with("\\u")) return {};
  uint32_t unit = 0;
  const char* const end = text.data() + UNIT;
  if (std::from_chars(text.data() + 2, end, unit, 16).ptr != end) return {};
  return unit;
}

bool is_high(uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

std::size_t escape_length(std::string_view text) {
  if (text.size() >= 2 && ESCAPED.find(text[1]) != std::string_view::npos) return 2;
  const auto unit = unit_of(text);
  if (unit && !is_high(*unit) && !is_low(*unit)) return UNIT;
  const auto low = unit && is_high(*unit) ? unit_of(text.substr(UNIT)) : std::nullopt;
  if (low && is_low(*low)) return 2 * UNIT;
  throw std::invalid_argument("the header is not JSON: a text has the unknown escape " +
                              std::string(text.substr(0, UNIT)));
}

std::string decoded_text(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      decoded.push_back(text[i++]);
      continue;
    }
    const auto rest = text.substr(i);
    const std::size_t length = escape_length(rest);
    if (length == 2)
      decoded.push_back(MEANT[ESCAPED.find(rest[1])]);
    else if (length == UNIT)
      append_utf8(decoded, *unit_of(rest));
    else
      append_utf8(decoded,
                  0x10000 + ((*unit_of(rest) - 0xD800) << 10) + (*unit_of(rest.substr(UNIT)) - 0xDC00));
    i += length;
  }
  return decoded;
}

}  // namespace labeltree::file
