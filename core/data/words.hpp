// Words of texts as features: an index of the vocabulary, and TF-IDF rows of n-grams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace labeltree {

// Bytes that UTF-8 never has: they end a token and a text.
inline constexpr uint8_t TOKEN_END = 0xFF, TEXT_END = 0xFE;

// The words of a vocabulary: word j is text[ends[j]] .. text[ends[j + 1] - 1]. The table is a hash table with
// linear probing by XXH3; a slot holds 1 + j, or 0. All may lie in a mapped file that anybody wrote: whatever
// they hold, a search ends and stays within them.
class Vocabulary {
 public:
  // Throws std::invalid_argument unless ends ascend within text and the table has 2^k slots, more than words.
  Vocabulary(std::span<const uint8_t> text, std::span<const int64_t> ends, std::span<const uint32_t> table);

  // Number of the word, or -1.
  int64_t find(std::span<const uint8_t> word) const;
  std::size_t size() const { return ends_.size() - 1; }

  static std::vector<uint32_t> make_table(std::span<const uint8_t> text, std::span<const int64_t> ends);

 private:
  std::span<const uint8_t> word(std::size_t j) const;

  std::span<const uint8_t> text_;
  std::span<const int64_t> ends_;
  std::span<const uint32_t> table_;
};

// The column of a word that is hashed to n_columns by MurmurHash3 (32 bits, seed 0), as in scikit-learn.
int32_t hashed_column(std::span<const uint8_t> word, int32_t n_columns);

struct WordWeights {
  int32_t min_n, max_n;        // lengths of n-grams of tokens
  std::span<const float> tf;   // [count] weight of a word that a text has so often; the last also for more
  std::span<const float> idf;  // [column]
};

// Rows of length 1, columns ascending.
struct WordRows {
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
};

// Texts are tokens, each followed by TOKEN_END, and each text is followed by TEXT_END. Tokens of an n-gram
// are joined by a blank. Words are looked up in the vocabulary, or hashed where it is null.
WordRows word_rows(std::span<const uint8_t> tokens, const Vocabulary* vocabulary, const WordWeights& weights);

}  // namespace labeltree
