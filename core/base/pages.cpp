#include "base/pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace labeltree {

#ifdef __linux__
void release_pages(std::span<const uint8_t> mapped) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + mapped.size()) / page * page;
  // Advice: where the system does not take it, pages stay.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);  // NOLINT
}
#else
void release_pages(std::span<const uint8_t>) {}
#endif

}  // namespace labeltree
