// The instructions of the processor, by which loops that are compiled more than once are chosen.
#pragma once

#include <cstdint>

namespace labeltree {

// v2 is what the rest is compiled for, and all that processors other than x86-64 have. v3 adds avx2, bmi and
// bmi2, v4 adds avx512 f, bw, cd, dq and vl. A result is the same to the last bit at every level.
enum class CpuLevel : uint8_t { v2, v3, v4 };

// The level in use: the highest of this processor, or what the environment variable LABELTREE_CPU names. It
// is read once. Throws std::invalid_argument where it names no level, or one that the processor lacks.
CpuLevel cpu_level();

const char* name(CpuLevel level);

}  // namespace labeltree
