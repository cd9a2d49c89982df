// Text of JSON, between its quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace labeltree::file {

// Bytes of the escape that the text begins with, both halves of a pair of surrogates included. Throws
// std::invalid_argument if it is none.
std::size_t escape_length(std::string_view text);

// The text without escapes, all of which `escape_length` has seen.
std::string decoded_text(std::string_view text);

}  // namespace labeltree::file
