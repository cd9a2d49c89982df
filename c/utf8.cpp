#include "utf8.hpp"

#include <algorithm>

namespace labeltree::file {
namespace {

// Bytes of the character that begins with this one, or 0 if none does.
std::size_t length_of(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// The second byte tells overlong forms, surrogates and numbers that are too large (Unicode, table 3-7).
bool is_second(uint8_t first, uint8_t second) {
  const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

}  // namespace

bool is_utf8(std::span<const uint8_t> text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_of(text[i]);
    if (length == 0 || length > text.size() - i) return false;
    const auto rest = text.subspan(i + 1, length - 1);
    if (!rest.empty() && (!is_second(text[i], rest[0]) || !std::ranges::all_of(rest, is_tail))) return false;
    i += length;
  }
  return true;
}

std::string whole_characters(std::string_view text, std::size_t max_bytes) {
  std::size_t end = std::min(text.size(), max_bytes);
  while (end > 0 && end < text.size() && is_tail(static_cast<uint8_t>(text[end]))) --end;
  return std::string(text.substr(0, end));
}

void append_utf8(std::string& text, uint32_t character) {
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto tail = [&](int shift) { put(0x80u | ((character >> shift) & 0x3Fu)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0u | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    put(0xE0u | character >> 12);
    tail(6);
    tail(0);
  } else {
    put(0xF0u | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace labeltree::file
