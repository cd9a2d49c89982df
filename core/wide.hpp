// Loops that are compiled for wider vectors too.
#pragma once

// The machine's own vectors are chosen when the program is loaded. Nothing is fused, so that results are the
// same to the last bit whatever the choice.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define LABELTREE_WIDE __attribute__((target_clones("default", "avx2")))
#else
#define LABELTREE_WIDE
#endif
