#include "base/pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
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

void prefer_large_pages(std::span<uint8_t> memory) {
  // The rest behind the last whole large page stays in small ones.
  madvise(memory.data(), memory.size() / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
}

std::size_t mapped_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long size = 0, resident = 0, shared = 0;  // pages
  const int n_read = std::fscanf(file, "%lu %lu %lu", &size, &resident, &shared);
  std::fclose(file);
  return n_read == 3 ? shared * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}
#else
void release_pages(std::span<const uint8_t>) {}
void prefer_large_pages(std::span<uint8_t>) {}
std::size_t mapped_bytes() {
  return 0;
}
#endif

}  // namespace labeltree
