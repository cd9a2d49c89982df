#include "data/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "data/decimal.hpp"

namespace labeltree {
namespace {

constexpr int64_t max_size = std::numeric_limits<int32_t>::max();

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

const char* token_end(const char* at, const char* end) {
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

// A token for an error message: short and printable, whatever bytes it holds.
std::string quoted(std::string_view token) {
  constexpr std::size_t longest = 40;
  constexpr char hex[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : token.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      text += c;
    else
      text += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
  }
  return text + (token.size() > longest ? "...\"" : "\"");
}

std::string range(int64_t size) {
  return size == 0 ? "an empty range" : "0.." + std::to_string(size - 1);
}

// Reads digits up to `end` or the first other byte. Values beyond any size stay beyond it and do not wrap.
const char* read_digits(const char* at, const char* end, int64_t& value) {
  value = 0;
  for (; at != end && is_digit(*at); ++at) value = std::min(value * 10 + (*at - '0'), max_size + 1);
  return at;
}

bool is_ascending(std::span<const int32_t> indices) {
  for (std::size_t e = 1; e < indices.size(); ++e)
    if (indices[e] <= indices[e - 1]) return false;
  return true;
}

template <class Value>
void append_number(std::string& text, Value value) {
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, written.ptr);
}

}  // namespace

RowParser::RowParser(bool header, int64_t n_features, int64_t n_labels) : header_(header) {
  for (const int64_t size : {n_features, n_labels})
    if (size < -1 || size > max_size)
      throw std::invalid_argument("sizes must lie in 0.." + std::to_string(max_size) + ", but one is " +
                                  std::to_string(size));
  rows_.n_features = n_features;
  rows_.n_labels = n_labels;
}

void RowParser::refuse(const std::string& why) const {
  throw std::invalid_argument("line " + std::to_string(line_) + ": " + why);
}

void RowParser::refuse_more() const {
  if (closed_) throw std::invalid_argument("the parser has ended; make a new one");
}

void RowParser::feed(std::string_view piece) {
  refuse_more();
  closed_ = true;  // stays so if a line is refused
  while (!piece.empty()) {
    const auto* newline = static_cast<const char*>(std::memchr(piece.data(), '\n', piece.size()));
    const auto length = newline ? static_cast<std::size_t>(newline - piece.data()) : piece.size();
    const std::string_view text = piece.substr(0, length);
    if (newline && unfinished_.empty()) {
      take_line(text);
    } else {
      unfinished_ += text;
      if (unfinished_.size() > max_line) {
        ++line_;
        refuse("a line must have at most " + std::to_string(max_line >> 20) +
               " MiB, but this one has more; split it");
      }
      if (newline) {
        take_line(unfinished_);
        unfinished_.clear();
      }
    }
    piece.remove_prefix(newline ? length + 1 : length);
  }
  closed_ = false;
}

ParsedRows RowParser::finish() {
  refuse_more();
  closed_ = true;
  if (!unfinished_.empty()) take_line(unfinished_);
  if (header_ && line_ == 0) {
    line_ = 1;
    refuse("expected the header \"rows features labels\", but the file is empty");
  }
  const auto n_rows = static_cast<int64_t>(rows_.label_indptr.size()) - 1;
  if (header_ && n_rows < promised_rows_)
    refuse("the header promises " + std::to_string(promised_rows_) + " rows, but the file ends after " +
           std::to_string(n_rows) + "; it may be cut off");
  if (rows_.n_features < 0) rows_.n_features = max_feature_ + 1;
  if (rows_.n_labels < 0) rows_.n_labels = max_label_ + 1;
  return std::move(rows_);
}

void RowParser::take_line(std::string_view line) {
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (header_ && line_ == 1)
    take_header(line);
  else
    take_row(line);
}

void RowParser::take_header(std::string_view line) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t sizes[3] = {};
  const char* end = line.data() + line.size();
  const char* at = skip_blanks(line.data(), end);
  bool fine = true;
  for (int64_t& size : sizes) {
    const auto read = std::from_chars(at, end, size);
    fine = fine && read.ec == std::errc() && size >= 0 && size < most &&
           (read.ptr == end || is_blank(*read.ptr));
    at = skip_blanks(read.ptr, end);
  }
  if (!fine || at != end) refuse("expected the header \"rows features labels\", but found " + quoted(line));
  for (const int64_t size : {sizes[1], sizes[2]})
    if (size > max_size)
      refuse("features and labels must number at most " + std::to_string(max_size) +
             ", but the header says " + std::to_string(size));
  promised_rows_ = sizes[0];
  rows_.n_features = sizes[1];
  rows_.n_labels = sizes[2];
}

void RowParser::take_row(std::string_view line) {
  const char* at = line.data();
  const char* end = at + line.size();
  if (header_ && static_cast<int64_t>(rows_.label_indptr.size()) > promised_rows_) {
    if (skip_blanks(at, end) == end) return;  // an empty line after the last row
    refuse("the header promises " + std::to_string(promised_rows_) + " rows, but here is one more");
  }
  if (at != end && !is_blank(*at)) {
    const char* stop = token_end(at, end);
    // Labels hold no colon, so a row without labels that forgot its blank is still plain.
    if (std::memchr(at, ':', static_cast<std::size_t>(stop - at)) == nullptr) at = take_labels(at, stop);
  }
  while ((at = skip_blanks(at, end)) != end) at = take_feature(at, end);
  end_row();
}

int32_t RowParser::index_in(std::string_view digits, int64_t size, const char* kind) const {
  const char* end = digits.data() + digits.size();
  const char* first = digits.data() + digits.starts_with('-');
  int64_t value = 0;
  const char* stop = read_digits(first, end, value);
  if (stop == first || stop != end)
    refuse("expected a " + std::string(kind) + " number, but found " + quoted(digits));
  if (first != digits.data())
    refuse(std::string(kind) + " numbers must not be negative, but one is " + quoted(digits));
  if (value >= (size < 0 ? max_size : size))
    refuse(std::string(kind) + " " + quoted(digits) + " is outside " + range(size < 0 ? max_size : size));
  return static_cast<int32_t>(value);
}

const char* RowParser::take_labels(const char* at, const char* end) {
  while (true) {
    const auto* comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
    const int32_t label = index_in({at, comma ? comma : end}, rows_.n_labels, "label");
    rows_.label_indices.push_back(label);
    max_label_ = std::max<int64_t>(max_label_, label);
    if (!comma) return end;
    at = comma + 1;
  }
}

const char* RowParser::take_feature(const char* at, const char* end) {
  int64_t index = 0;
  const char* colon = read_digits(at, end, index);
  const int64_t size = rows_.n_features < 0 ? max_size : rows_.n_features;
  const char* stop = token_end(colon, end);
  if (colon == at || colon == end || *colon != ':' || index >= size) {
    const std::string_view token(at, stop);
    const auto at_colon = token.find(':');
    if (at_colon == std::string_view::npos)
      refuse("expected feature:value, but found " + quoted(token) + " without a colon");
    index_in(token.substr(0, at_colon), rows_.n_features, "feature");
  }
  const std::string_view text(colon + 1, stop);
  float value = 0;
  const Number number = read_value(text, value);
  if (number == Number::not_a_number) refuse("expected a finite number, but found " + quoted(text));
  if (number == Number::too_large) refuse("values must fit into float32, but one is " + quoted(text));
  rows_.feature_indices.push_back(static_cast<int32_t>(index));
  rows_.values.push_back(value);
  max_feature_ = std::max(max_feature_, index);
  return stop;
}

void RowParser::end_row() {
  auto& labels = rows_.label_indices;
  const auto first_label = labels.begin() + rows_.label_indptr.back();
  if (!is_ascending({first_label, labels.end()})) {
    std::sort(first_label, labels.end());
    labels.erase(std::unique(first_label, labels.end()), labels.end());
  }
  rows_.label_indptr.push_back(static_cast<int64_t>(labels.size()));

  auto& features = rows_.feature_indices;
  auto& values = rows_.values;
  const auto first = static_cast<std::size_t>(rows_.feature_indptr.back());
  if (!is_ascending(std::span(features).subspan(first))) {
    unsorted_.clear();
    for (std::size_t e = first; e < features.size(); ++e) unsorted_.emplace_back(features[e], values[e]);
    std::ranges::stable_sort(unsorted_, {}, &std::pair<int32_t, float>::first);
    features.resize(first);
    values.resize(first);
    for (const auto& [index, value] : unsorted_) {
      if (features.size() > first && features.back() == index) {
        values.back() += value;
        if (!std::isfinite(values.back()))
          refuse("the values of feature " + std::to_string(index) + " must sum to a float32");
      } else {
        features.push_back(index);
        values.push_back(value);
      }
    }
  }
  rows_.feature_indptr.push_back(static_cast<int64_t>(features.size()));
}

std::string format_rows(const LabelRows& labels, const LabelRows& features, std::span<const float> values) {
  check(labels, static_cast<std::size_t>(max_size));
  check(features, static_cast<std::size_t>(max_size));
  if (values.size() != features.indices.size() || labels.size() != features.size())
    throw std::invalid_argument("features must have a value for each index and a row for each row of labels");
  std::string text;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::string_view before = "";
    for (const int32_t label : labels[i]) {
      text += before;
      append_number(text, label);
      before = ",";
    }
    if (labels[i].empty()) text += ' ';
    before = labels[i].empty() ? "" : " ";
    for (const int32_t feature : features[i]) {
      text += before;
      append_number(text, feature);
      text += ':';
      append_number(text, values[entry++]);
      before = " ";
    }
    text += '\n';
  }
  return text;
}

}  // namespace labeltree
