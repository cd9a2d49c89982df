// UTF-8 of any origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace labeltree::file {

// Whether all bytes are whole characters: no overlong forms, surrogates or numbers beyond Unicode.
bool is_utf8(std::span<const uint8_t> text);

// Whether a byte is one within a character.
inline bool is_tail(uint8_t byte) {
  return (byte & 0xC0) == 0x80;
}

// The first characters of UTF-8, at most so many bytes.
std::string whole_characters(std::string_view text, std::size_t max_bytes);

void append_utf8(std::string& text, uint32_t character);

}  // namespace labeltree::file
