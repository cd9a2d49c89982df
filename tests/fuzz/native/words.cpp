// Whatever a vocabulary and texts hold, a search ends and rows are well formed.
#include "data/words.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "data/sparse.hpp"
#include "given.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace labeltree;
  FuzzedDataProvider given(data, size);
  const auto text = given.ConsumeBytes<uint8_t>(given.ConsumeIntegralInRange<std::size_t>(0, 64));
  const auto ends = fuzz::numbers<int64_t>(given, 8, -1, 70);
  auto table = fuzz::numbers<uint32_t>(given, 16, 0, 10);
  const bool is_hashed = given.ConsumeBool(), is_honest = given.ConsumeBool();
  const auto min_n = given.ConsumeIntegralInRange<int32_t>(1, 3);
  const auto max_n = given.ConsumeIntegralInRange<int32_t>(min_n, 4);
  const auto tf = fuzz::floats(given, given.ConsumeIntegralInRange<std::size_t>(2, 5));
  const auto idf = fuzz::floats(given, given.ConsumeIntegralInRange<std::size_t>(1, 12));
  const auto tokens = given.ConsumeRemainingBytes<uint8_t>();
  WordRows rows;
  try {
    const WordWeights weights{min_n, max_n, tf, idf};
    if (is_hashed) {
      rows = word_rows(tokens, nullptr, weights);
    } else {
      if (is_honest && !ends.empty()) table = Vocabulary::make_table(text, ends);
      const Vocabulary vocabulary(text, ends, table);
      rows = word_rows(tokens, &vocabulary, weights);
    }
  } catch (const std::invalid_argument&) {
    return 0;
  }
  check(FeatureRows{rows.indptr, rows.indices, rows.values}, idf.size());
  return 0;
}
