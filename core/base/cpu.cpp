#include "base/cpu.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace labeltree {
namespace {

#if defined(__x86_64__)
// Bits of leaf 7 of cpuid, and of the register that says which vectors the operating system saves. Asked
// directly, because what `__builtin_cpu_supports` reads is missing in some runtimes of clang.
constexpr unsigned bmi = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8;
constexpr unsigned avx512f = 1u << 16, avx512dq = 1u << 17, avx512cd = 1u << 28, avx512bw = 1u << 30,
                   avx512vl = 1u << 31;
constexpr unsigned v3_bits = bmi | avx2 | bmi2;
constexpr unsigned v4_bits = v3_bits | avx512f | avx512dq | avx512cd | avx512bw | avx512vl;
constexpr unsigned saves_ymm = 0x6, saves_zmm = 0xe6, has_xgetbv = 1u << 27;

unsigned saved_vectors() {
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

CpuLevel highest() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & has_xgetbv)) return CpuLevel::v2;
  const unsigned saved = saved_vectors();
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return CpuLevel::v2;
  if ((b & v4_bits) == v4_bits && (saved & saves_zmm) == saves_zmm) return CpuLevel::v4;
  if ((b & v3_bits) == v3_bits && (saved & saves_ymm) == saves_ymm) return CpuLevel::v3;
  return CpuLevel::v2;
}
#else
CpuLevel highest() {
  return CpuLevel::v2;
}
#endif

CpuLevel chosen() {
  const char* const variable = std::getenv("LABELTREE_CPU");
  const std::string wanted = variable == nullptr ? "" : variable;
  if (wanted.empty()) return highest();
  for (const CpuLevel level : {CpuLevel::v2, CpuLevel::v3, CpuLevel::v4}) {
    if (wanted != name(level)) continue;
    if (level <= highest()) return level;
    throw std::invalid_argument(std::string("LABELTREE_CPU must be at most ") + name(highest()) +
                                " on this processor, but is " + wanted);
  }
  throw std::invalid_argument("LABELTREE_CPU must be v2, v3 or v4, but is " + wanted);
}

}  // namespace

const char* name(CpuLevel level) {
  return level == CpuLevel::v4 ? "v4" : level == CpuLevel::v3 ? "v3" : "v2";
}

CpuLevel cpu_level() {
  static const CpuLevel level = chosen();
  return level;
}

}  // namespace labeltree
