#include "data/words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/index.hpp"
#include "base/xxh3.hpp"

namespace labeltree {
namespace {

uint32_t murmur3(std::span<const uint8_t> bytes) {
  constexpr uint32_t c1 = 0xCC9E2D51u, c2 = 0x1B873593u;
  uint32_t hash = 0;
  const std::size_t n_blocks = bytes.size() / 4;
  for (std::size_t i = 0; i < n_blocks; ++i) {
    uint32_t k = 0;
    for (std::size_t b = 0; b < 4; ++b) k |= uint32_t{bytes[4 * i + b]} << (8 * b);
    hash ^= std::rotl(k * c1, 15) * c2;
    hash = std::rotl(hash, 13) * 5 + 0xE6546B64u;
  }
  uint32_t tail = 0;
  for (std::size_t b = 4 * n_blocks; b < bytes.size(); ++b)
    tail |= uint32_t{bytes[b]} << (8 * (b - 4 * n_blocks));
  if (bytes.size() % 4 != 0) hash ^= std::rotl(tail * c1, 15) * c2;
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

// Columns of the n-grams of one text. Tokens lie one after the other with one byte between, so that an n-gram
// is the bytes from its first token to its last once that byte is a blank.
class NGrams {
 public:
  NGrams(const Vocabulary* vocabulary, const WordWeights& weights)
      : vocabulary_(vocabulary), weights_(weights) {}

  // `text` has TOKEN_END after each token.
  std::span<const int32_t> columns(std::span<const uint8_t> text) {
    blanks_.assign(text.begin(), text.end());
    begins_.assign(1, 0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == TOKEN_END) {
        blanks_[i] = ' ';
        begins_.push_back(i + 1);
      }
    found_.clear();
    const std::size_t n_tokens = begins_.size() - 1;
    for (auto n = at(weights_.min_n); n <= std::min(at(weights_.max_n), n_tokens); ++n)
      for (std::size_t first = 0; first + n <= n_tokens; ++first)
        add(std::span(blanks_).subspan(begins_[first], begins_[first + n] - 1 - begins_[first]));
    std::ranges::sort(found_);
    return found_;
  }

 private:
  void add(std::span<const uint8_t> word) {
    const auto n_columns = static_cast<int32_t>(weights_.idf.size());
    const int64_t column = vocabulary_ != nullptr ? vocabulary_->find(word) : hashed_column(word, n_columns);
    if (column >= 0) found_.push_back(static_cast<int32_t>(column));
  }

  const Vocabulary* vocabulary_;
  const WordWeights& weights_;
  std::vector<uint8_t> blanks_;
  std::vector<std::size_t> begins_;
  std::vector<int32_t> found_;
};

// Adds a row: counts become weights, rounded at each step as numpy rounds them, and the length becomes 1.
void add_row(std::span<const int32_t> columns, const WordWeights& weights, WordRows& rows) {
  const std::size_t begin = rows.values.size();
  for (std::size_t i = 0; i < columns.size();) {
    std::size_t end = i;
    while (end < columns.size() && columns[end] == columns[i]) ++end;
    const float tf = weights.tf[std::min(end - i, weights.tf.size() - 1)];
    rows.indices.push_back(columns[i]);
    rows.values.push_back(tf * weights.idf[at(columns[i])]);
    i = end;
  }
  double square = 0.0;
  for (std::size_t i = begin; i < rows.values.size(); ++i)
    square += static_cast<double>(rows.values[i] * rows.values[i]);
  const double length = std::sqrt(square);
  if (length > 0.0)
    for (std::size_t i = begin; i < rows.values.size(); ++i)
      rows.values[i] = static_cast<float>(static_cast<double>(rows.values[i]) / length);
  rows.indptr.push_back(static_cast<int64_t>(rows.values.size()));
}

void check_words(std::span<const uint8_t> text, std::span<const int64_t> ends) {
  const bool ascend = !ends.empty() && ends.front() == 0 && std::ranges::is_sorted(ends) &&
                      ends.back() == static_cast<int64_t>(text.size());
  if (!ascend) throw std::invalid_argument("the ends of words must ascend from 0 to the length of the text");
}

}  // namespace

Vocabulary::Vocabulary(std::span<const uint8_t> text, std::span<const int64_t> ends,
                       std::span<const uint32_t> table)
    : text_(text), ends_(ends), table_(table) {
  check_words(text, ends);
  if (!std::has_single_bit(table.size()) || table.size() <= size())
    throw std::invalid_argument("the table of words must have a power of two of slots, more than words");
}

std::span<const uint8_t> Vocabulary::word(std::size_t j) const {
  return text_.subspan(at(ends_[j]), at(ends_[j + 1] - ends_[j]));
}

int64_t Vocabulary::find(std::span<const uint8_t> wanted) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = xxh3_64(wanted) & mask;
  for (std::size_t n_probes = 0; n_probes <= mask; ++n_probes, slot = (slot + 1) & mask) {
    const uint32_t entry = table_[slot];
    if (entry == 0 || entry > size()) return -1;
    const auto found = word(entry - 1);
    if (std::ranges::equal(found, wanted)) return static_cast<int64_t>(entry) - 1;
  }
  return -1;
}

std::vector<uint32_t> Vocabulary::make_table(std::span<const uint8_t> text, std::span<const int64_t> ends) {
  check_words(text, ends);
  const std::size_t n_words = ends.size() - 1;
  std::vector<uint32_t> table(std::bit_ceil(2 * n_words + 1), 0);
  const std::size_t mask = table.size() - 1;
  for (std::size_t j = 0; j < n_words; ++j) {
    const auto word = text.subspan(at(ends[j]), at(ends[j + 1] - ends[j]));
    std::size_t slot = xxh3_64(word) & mask;
    while (table[slot] != 0) slot = (slot + 1) & mask;
    table[slot] = static_cast<uint32_t>(j + 1);
  }
  return table;
}

int32_t hashed_column(std::span<const uint8_t> word, int32_t n_columns) {
  const auto hash = static_cast<int64_t>(static_cast<int32_t>(murmur3(word)));
  if (hash == INT32_MIN) return (INT32_MAX - (n_columns - 1)) % n_columns;  // whose size no int32 holds
  return static_cast<int32_t>(std::abs(hash) % n_columns);
}

WordRows word_rows(std::span<const uint8_t> tokens, const Vocabulary* vocabulary,
                   const WordWeights& weights) {
  if (weights.tf.empty() || weights.idf.empty() || weights.min_n < 1)
    throw std::invalid_argument("words must have weights, and n-grams at least one token");
  if (vocabulary != nullptr && vocabulary->size() != weights.idf.size())
    throw std::invalid_argument("every word must have one weight");
  WordRows rows;
  NGrams ngrams(vocabulary, weights);
  for (auto first = tokens.begin(); first != tokens.end();) {
    const auto last = std::find(first, tokens.end(), TEXT_END);
    if (last == tokens.end()) throw std::invalid_argument("every text must end with its mark");
    add_row(ngrams.columns({first, last}), weights, rows);
    first = last + 1;
  }
  return rows;
}

}  // namespace labeltree
