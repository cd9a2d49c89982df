#include "base/cpu.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace labeltree {
namespace {

// By the names of their features: compilers do not agree on names of levels.
CpuLevel highest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool is_v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool is_v4 = is_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl");
  if (is_v4) return CpuLevel::v4;
  if (is_v3) return CpuLevel::v3;
#endif
  return CpuLevel::v2;
}

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
