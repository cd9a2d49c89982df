// Pages of files that are mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace labeltree {

// Gives back the memory of the pages that lie wholly within bytes of a file that is mapped read-only: they
// come again from the file. Other memory would lose what it holds.
void release_pages(std::span<const uint8_t> mapped);

// Bytes of files that this process has in its memory; 0 where the system does not tell.
std::size_t mapped_bytes();

}  // namespace labeltree
