#include "base/xxh3.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/wide.hpp"

namespace labeltree {
namespace {

constexpr uint64_t PRIME32_1 = 0x9E3779B1, PRIME32_2 = 0x85EBCA77, PRIME32_3 = 0xC2B2AE3D;
constexpr uint64_t PRIME64_1 = 0x9E3779B185EBCA87, PRIME64_2 = 0xC2B2AE3D27D4EB4F,
                   PRIME64_3 = 0x165667B19E3779F9, PRIME64_4 = 0x85EBCA77C2B2AE63,
                   PRIME64_5 = 0x27D4EB2F165667C5;
constexpr uint64_t PRIME_MX1 = 0x165667919E3779F9, PRIME_MX2 = 0x9FB21C651E98DF25;

constexpr std::size_t SECRET_SIZE = 192;
constexpr std::size_t MIDDLE_SECRET_SIZE = 136;  // what inputs of 129 to 240 bytes use of it
constexpr std::size_t MIDDLE_SIZE = 240;
constexpr std::size_t STRIPE = 64;
constexpr std::size_t N_STRIPES = 16;  // of a block: as often as the secret can be moved on by 8 bytes
constexpr std::size_t BLOCK_SIZE = N_STRIPES * STRIPE;

alignas(64) constexpr std::array<uint8_t, SECRET_SIZE> SECRET = {
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

// Words are little-endian on every machine.
template <class Word>
Word read(const uint8_t* from) {
  Word word = 0;
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(&word, from, sizeof word);
  else
    for (std::size_t i = 0; i < sizeof word; ++i) word |= static_cast<Word>(Word{from[i]} << (8 * i));
  return word;
}

uint64_t read64(const uint8_t* from) {
  return read<uint64_t>(from);
}

uint64_t secret64(std::size_t offset) {
  return read64(SECRET.data() + offset);
}

// The halves of the 128-bit product, combined.
uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t xor_shifted(uint64_t h, int shift) {
  return h ^ (h >> shift);
}

uint64_t avalanche(uint64_t h) {
  return xor_shifted(xor_shifted(h, 37) * PRIME_MX1, 32);
}

// That of XXH64, which the shortest inputs use.
uint64_t old_avalanche(uint64_t h) {
  return xor_shifted(xor_shifted(xor_shifted(h, 33) * PRIME64_2, 29) * PRIME64_3, 32);
}

uint64_t hash_1_to_3(const uint8_t* input, std::size_t n) {
  const uint64_t combined = uint64_t{input[0]} << 16 | uint64_t{input[n >> 1]} << 24 |
                            uint64_t{input[n - 1]} | static_cast<uint64_t>(n) << 8;
  return old_avalanche(combined ^ (read<uint32_t>(SECRET.data()) ^ read<uint32_t>(SECRET.data() + 4)));
}

uint64_t hash_4_to_8(const uint8_t* input, std::size_t n) {
  const uint64_t first = read<uint32_t>(input), last = read<uint32_t>(input + n - 4);
  uint64_t h = (last + (first << 32)) ^ (secret64(8) ^ secret64(16));
  h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
  h *= PRIME_MX2;
  h ^= (h >> 35) + n;
  return xor_shifted(h * PRIME_MX2, 28);
}

uint64_t hash_9_to_16(const uint8_t* input, std::size_t n) {
  const uint64_t low = read64(input) ^ (secret64(24) ^ secret64(32));
  const uint64_t high = read64(input + n - 8) ^ (secret64(40) ^ secret64(48));
  return avalanche(n + __builtin_bswap64(low) + high + fold(low, high));
}

uint64_t hash_0_to_16(const uint8_t* input, std::size_t n) {
  if (n > 8) return hash_9_to_16(input, n);
  if (n >= 4) return hash_4_to_8(input, n);
  if (n > 0) return hash_1_to_3(input, n);
  return old_avalanche(secret64(56) ^ secret64(64));
}

uint64_t mix(const uint8_t* input, std::size_t secret) {
  return fold(read64(input) ^ secret64(secret), read64(input + 8) ^ secret64(secret + 8));
}

// Pairs of 16 bytes from both ends towards the middle, which they may share.
uint64_t hash_17_to_128(const uint8_t* input, std::size_t n) {
  uint64_t sum = n * PRIME64_1;
  for (std::size_t pair = 0; pair <= (n - 1) / 32; ++pair) {
    sum += mix(input + 16 * pair, 32 * pair);
    sum += mix(input + n - 16 * (pair + 1), 32 * pair + 16);
  }
  return avalanche(sum);
}

uint64_t hash_129_to_240(const uint8_t* input, std::size_t n) {
  uint64_t sum = n * PRIME64_1;
  for (std::size_t i = 0; i < 8; ++i) sum += mix(input + 16 * i, 16 * i);
  sum = avalanche(sum);
  for (std::size_t i = 8; i < n / 16; ++i) sum += mix(input + 16 * i, 16 * (i - 8) + 3);
  return avalanche(sum + mix(input + n - 16, MIDDLE_SECRET_SIZE - 17));
}

// Four of the eight lanes of a stripe.
typedef uint64_t Lanes __attribute__((vector_size(32)));

struct State {
  Lanes lanes[2];
};

[[gnu::always_inline]] inline Lanes load(const uint8_t* from) {
  if constexpr (std::endian::native != std::endian::little)
    return Lanes{read64(from), read64(from + 8), read64(from + 16), read64(from + 24)};
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

[[gnu::always_inline]] inline void accumulate(State& state, const uint8_t* stripe, const uint8_t* secret) {
  for (std::size_t half = 0; half < 2; ++half) {
    const Lanes data = load(stripe + 32 * half), keyed = data ^ load(secret + 32 * half);
    // Each word goes to its neighbor as it is, so that zeros of a product lose nothing.
    const Lanes neighbors{data[1], data[0], data[3], data[2]};
    state.lanes[half] += neighbors + (keyed & 0xFFFFFFFF) * (keyed >> 32);
  }
}

[[gnu::always_inline]] inline void scramble(State& state) {
  for (std::size_t half = 0; half < 2; ++half) {
    Lanes& lanes = state.lanes[half];
    lanes ^= lanes >> 47;
    lanes = (lanes ^ load(SECRET.data() + SECRET_SIZE - STRIPE + 32 * half)) * PRIME32_1;
  }
}

[[gnu::always_inline]] inline void accumulate_stripes(State& state, const uint8_t* input, std::size_t n) {
  const std::size_t n_blocks = (n - 1) / BLOCK_SIZE;
  State sums = state;  // stays in registers
  for (std::size_t block = 0; block < n_blocks; ++block, input += BLOCK_SIZE) {
    for (std::size_t i = 0; i < N_STRIPES; ++i) accumulate(sums, input + i * STRIPE, SECRET.data() + 8 * i);
    scramble(sums);
  }
  const std::size_t rest = n - n_blocks * BLOCK_SIZE;
  for (std::size_t i = 0; i < (rest - 1) / STRIPE; ++i)
    accumulate(sums, input + i * STRIPE, SECRET.data() + 8 * i);
  accumulate(sums, input + rest - STRIPE, SECRET.data() + SECRET_SIZE - STRIPE - 7);
  state = sums;
}
constexpr Wide<accumulate_stripes> accumulate_all;

uint64_t hash_long(const uint8_t* input, std::size_t n) {
  State state{{{PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3}, {PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1}}};
  accumulate_all(state, input, n);
  uint64_t sum = n * PRIME64_1;
  for (std::size_t i = 0; i < 4; ++i) {
    const Lanes& lanes = state.lanes[i / 2];
    const std::size_t lane = 2 * (i % 2);
    sum += fold(lanes[lane] ^ secret64(11 + 16 * i), lanes[lane + 1] ^ secret64(19 + 16 * i));
  }
  return avalanche(sum);
}

}  // namespace

uint64_t xxh3_64(std::span<const uint8_t> bytes) {
  const std::size_t n = bytes.size();
  if (n <= 16) return hash_0_to_16(bytes.data(), n);
  if (n <= 128) return hash_17_to_128(bytes.data(), n);
  if (n <= MIDDLE_SIZE) return hash_129_to_240(bytes.data(), n);
  return hash_long(bytes.data(), n);
}

}  // namespace labeltree
