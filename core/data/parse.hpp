// Text of the XMC repository: a header "rows features labels", then for each row "l1,l2 f1:v1 f2:v2". A row
// without labels starts with a blank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/sparse.hpp"

namespace labeltree {

// Bytes of a line. Lines without end would take all memory.
inline constexpr std::size_t max_line = std::size_t{16} << 20;

// Rows of features and labels, sorted and unique in each row.
struct ParsedRows {
  std::vector<int64_t> feature_indptr{0}, label_indptr{0};
  std::vector<int32_t> feature_indices, label_indices;
  std::vector<float> values;
  int64_t n_features = 0, n_labels = 0;
};

// Takes a file in pieces cut anywhere and holds at most one unfinished line beside the rows. Throws
// std::invalid_argument that starts with "line 17: "; after that, and after finish(), it takes nothing more.
class RowParser {
 public:
  // Without a header a size of -1 means one more than the largest index; with a header sizes come from it.
  RowParser(bool header, int64_t n_features, int64_t n_labels);

  void feed(std::string_view piece);
  ParsedRows finish();

 private:
  void take_line(std::string_view line);
  void take_header(std::string_view line);
  void take_row(std::string_view line);
  const char* take_labels(const char* at, const char* end);
  const char* take_feature(const char* at, const char* end);
  void end_row();
  int32_t index_in(std::string_view digits, int64_t size, const char* kind) const;
  void refuse_more() const;
  [[noreturn]] void refuse(const std::string& why) const;

  ParsedRows rows_;
  std::string unfinished_;
  std::vector<std::pair<int32_t, float>> unsorted_;  // kept for its memory only
  int64_t line_ = 0, promised_rows_ = -1, max_feature_ = -1, max_label_ = -1;
  bool header_, closed_ = false;
};

// The lines of the rows. Each value is the shortest text that reads back as the same float32.
std::string format_rows(const LabelRows& labels, const LabelRows& features, std::span<const float> values);

}  // namespace labeltree
