// Pages of memory, and of files that are mapped into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace labeltree {

// Gives back the memory of the pages that lie wholly within bytes of a file that is mapped read-only: they
// come again from the file. Other memory would lose what it holds.
void release_pages(std::span<const uint8_t> mapped);

// Bytes of a large page; where pages are of another size, advice about large ones has no effect.
inline constexpr std::size_t LARGE_PAGE = std::size_t{1} << 21;
// Advises the system to take large pages for memory that begins at a multiple of LARGE_PAGE.
void prefer_large_pages(std::span<uint8_t> memory);

// Bytes of files that this process has in its memory; 0 where the system does not tell.
std::size_t mapped_bytes();

}  // namespace labeltree
