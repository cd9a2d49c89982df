// The loop of XXH3 over inputs of more than 240 bytes, compiled once for each level of instructions.
//
// All of it has internal linkage, so that no level calls what was compiled for another.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace labeltree {

// Adds an input to the eight sums of XXH3.
using Xxh3Loop = void (*)(uint64_t* sums, const uint8_t* input, std::size_t n);

namespace {

constexpr uint64_t PRIME32_1 = 0x9E3779B1;
constexpr std::size_t SECRET_SIZE = 192;
constexpr std::size_t STRIPE = 64;
constexpr std::size_t N_STRIPES = 16;  // of a block: as often as the secret can be moved on by 8 bytes
constexpr std::size_t BLOCK_SIZE = N_STRIPES * STRIPE;
constexpr std::size_t AHEAD = 8192;  // bytes that are fetched ahead

alignas(64) constexpr uint8_t SECRET[SECRET_SIZE] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};

#if defined(__AVX2__)
typedef uint64_t Lanes __attribute__((vector_size(32)));
#else
typedef uint64_t Lanes __attribute__((vector_size(16)));
#endif
constexpr std::size_t N_LANES = sizeof(Lanes) / sizeof(uint64_t), N_PARTS = STRIPE / sizeof(Lanes);

// Products of the low halves of lanes; compilers make three multiplications of the plain form.
[[gnu::always_inline]] inline Lanes multiply_low(Lanes a, Lanes b) {
#if defined(__AVX2__)
  return reinterpret_cast<Lanes>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

[[gnu::always_inline]] inline Lanes swap_neighbors(Lanes a) {
#if defined(__AVX2__)
  return Lanes{a[1], a[0], a[3], a[2]};
#else
  return Lanes{a[1], a[0]};
#endif
}

// Words are little-endian on every machine.
[[gnu::always_inline]] inline Lanes load(const uint8_t* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  if constexpr (std::endian::native != std::endian::little)
    for (std::size_t i = 0; i < N_LANES; ++i) lanes[i] = __builtin_bswap64(lanes[i]);
  return lanes;
}

struct State {
  Lanes parts[N_PARTS];
};

[[gnu::always_inline]] inline void accumulate(State& state, const uint8_t* stripe, const uint8_t* secret) {
  for (std::size_t part = 0; part < N_PARTS; ++part) {
    const Lanes data = load(stripe + part * sizeof(Lanes)),
                keyed = data ^ load(secret + part * sizeof(Lanes));
    // Each word goes to its neighbor as it is, so that zeros of a product lose nothing.
    state.parts[part] += swap_neighbors(data) + multiply_low(keyed, keyed >> 32);
  }
}

[[gnu::always_inline]] inline void scramble(State& state) {
  const Lanes prime = Lanes{} + PRIME32_1;
  for (std::size_t part = 0; part < N_PARTS; ++part) {
    Lanes& lanes = state.parts[part];
    lanes ^= (lanes >> 47) ^ load(SECRET + SECRET_SIZE - STRIPE + part * sizeof(Lanes));
    lanes = multiply_low(lanes, prime) + (multiply_low(lanes >> 32, prime) << 32);
  }
}

void accumulate_stripes(uint64_t* sums, const uint8_t* input, std::size_t n) {
  const std::size_t n_blocks = (n - 1) / BLOCK_SIZE;
  State state;  // stays in registers
  __builtin_memcpy(&state, sums, sizeof state);
  for (std::size_t block = 0; block < n_blocks; ++block, input += BLOCK_SIZE) {
    for (std::size_t i = 0; i < N_STRIPES; ++i) {
      __builtin_prefetch(input + i * STRIPE + AHEAD);
      accumulate(state, input + i * STRIPE, SECRET + 8 * i);
    }
    scramble(state);
  }
  const std::size_t rest = n - n_blocks * BLOCK_SIZE;
  for (std::size_t i = 0; i < (rest - 1) / STRIPE; ++i) accumulate(state, input + i * STRIPE, SECRET + 8 * i);
  accumulate(state, input + rest - STRIPE, SECRET + SECRET_SIZE - STRIPE - 7);
  __builtin_memcpy(sums, &state, sizeof state);
}

}  // namespace
}  // namespace labeltree
