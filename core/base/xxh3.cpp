#include "base/xxh3.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include "base/cpu.hpp"
#include "base/xxh3_stripes.hpp"

namespace labeltree {

#if defined(__x86_64__)
extern const Xxh3Loop xxh3_loop_v3;
#endif

namespace {

constexpr uint64_t PRIME32_2 = 0x85EBCA77, PRIME32_3 = 0xC2B2AE3D;
constexpr uint64_t PRIME64_1 = 0x9E3779B185EBCA87, PRIME64_2 = 0xC2B2AE3D27D4EB4F,
                   PRIME64_3 = 0x165667B19E3779F9, PRIME64_4 = 0x85EBCA77C2B2AE63,
                   PRIME64_5 = 0x27D4EB2F165667C5;
constexpr uint64_t PRIME_MX1 = 0x165667919E3779F9, PRIME_MX2 = 0x9FB21C651E98DF25;

constexpr std::size_t MIDDLE_SECRET_SIZE = 136;  // what inputs of 129 to 240 bytes use of it
constexpr std::size_t MIDDLE_SIZE = 240;

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
  return read64(SECRET + offset);
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
  return old_avalanche(combined ^ (read<uint32_t>(SECRET) ^ read<uint32_t>(SECRET + 4)));
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

Xxh3Loop chosen_loop() {
#if defined(__x86_64__)
  if (cpu_level() >= CpuLevel::v3) return xxh3_loop_v3;
#endif
  return accumulate_stripes;
}

uint64_t hash_long(const uint8_t* input, std::size_t n) {
  static const Xxh3Loop loop = chosen_loop();
  uint64_t sums[] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
  loop(sums, input, n);
  uint64_t sum = n * PRIME64_1;
  for (std::size_t i = 0; i < 4; ++i)
    sum += fold(sums[2 * i] ^ secret64(11 + 16 * i), sums[2 * i + 1] ^ secret64(19 + 16 * i));
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
