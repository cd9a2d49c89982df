// Loops that are compiled for wider vectors too.
#pragma once

#include <cstdint>

namespace labeltree {

// Eight numbers at a time; the compiler makes of them what the machine has.
typedef float Eight __attribute__((vector_size(32)));
typedef int32_t EightInts __attribute__((vector_size(32)));
typedef int16_t EightShorts __attribute__((vector_size(16)));
typedef int8_t EightBytes __attribute__((vector_size(8)));
typedef int32_t FourInts __attribute__((vector_size(16)));

}  // namespace labeltree

// The machine's own vectors are chosen when the program is loaded. Nothing is fused, so that results are the
// same to the last bit whatever the choice.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define LABELTREE_WIDE __attribute__((target_clones("default", "avx2")))
#else
#define LABELTREE_WIDE
#endif
