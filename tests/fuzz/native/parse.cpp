// Any text, cut anywhere, is refused or gives rows that can be written and read back.
#include "data/parse.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>
#include <stdexcept>

namespace {

using namespace labeltree;

ParsedRows parse(std::string_view text, bool header, int64_t n_features, int64_t n_labels, std::size_t cut) {
  RowParser parser(header, n_features, n_labels);
  for (std::size_t i = 0; i < text.size(); i += cut) parser.feed(text.substr(i, cut));
  return parser.finish();
}

std::string format(const ParsedRows& rows) {
  return format_rows({rows.label_indptr, rows.label_indices}, {rows.feature_indptr, rows.feature_indices},
                     rows.values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  FuzzedDataProvider given(data, size);
  const bool header = given.ConsumeBool();
  const auto n_features = given.ConsumeIntegralInRange<int64_t>(-1, 100);
  const auto n_labels = given.ConsumeIntegralInRange<int64_t>(-1, 100);
  const auto cut = given.ConsumeIntegralInRange<std::size_t>(1, 64);
  ParsedRows rows;
  try {
    rows = parse(given.ConsumeRemainingBytesAsString(), header, n_features, n_labels, cut);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  // What follows must not throw.
  check(LabelRows{rows.label_indptr, rows.label_indices}, static_cast<std::size_t>(rows.n_labels));
  check(FeatureRows{rows.feature_indptr, rows.feature_indices, rows.values},
        static_cast<std::size_t>(rows.n_features));
  const std::string text = format(rows);
  if (format(parse(text, false, rows.n_features, rows.n_labels, 4096)) != text) std::abort();
  return 0;
}
