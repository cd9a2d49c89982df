// How a file is refused.
#pragma once

#include <stdexcept>
#include <string>

namespace labeltree::file {

// Throws the rule that a file breaks; who opened it adds its name.
[[noreturn]] inline void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

}  // namespace labeltree::file
