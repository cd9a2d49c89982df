// XXH3, 64 bits: Collet's hash as published (xxHash specification 0.2.0), with seed 0 and the default secret.
#pragma once

#include <cstdint>
#include <span>

namespace labeltree {

// The same on every machine, and the same as XXH3_64bits of the reference implementation.
uint64_t xxh3_64(std::span<const uint8_t> bytes);

}  // namespace labeltree
