// Pages of files that are mapped into memory.
#pragma once

#include <cstdint>
#include <span>

namespace labeltree {

// Gives back the memory of the pages that lie wholly within bytes of a file that is mapped read-only: they
// come again from the file. Other memory would lose what it holds.
void release_pages(std::span<const uint8_t> mapped);

}  // namespace labeltree
