#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

#include "data/decimal.hpp"
#include "json.hpp"
#include "json_text.hpp"
#include "utf8.hpp"

namespace labeltree::file {
namespace {

constexpr int MAX_DEPTH = 16;
constexpr std::size_t MAX_KEYS = 1 << 16;  // of an object; what a header can hold beyond is mostly lists

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("the header is not JSON: " + why);
}

}  // namespace

class JsonParser {
 public:
  JsonParser(std::string_view text, std::vector<Json::Record>& records) : text_(text), records_(records) {}

  void run() {
    parse_value(1);
    skip_spaces();
    if (at_ != text_.size()) refuse("there is more behind it" + place());
  }

 private:
  std::string place() const { return ", at byte " + std::to_string(at_); }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (next() == ' ' || next() == '\n' || next() == '\t' || next() == '\r') ++at_;
  }
  void expect(char c) {
    skip_spaces();
    if (next() != c) refuse(std::string("expected ") + c + place());
    ++at_;
  }
  bool skip(char c) {
    skip_spaces();
    if (next() != c) return false;
    ++at_;
    return true;
  }

  // Values begin where their record is made and end where `finish` is called.
  std::size_t start(JsonKind kind) {
    records_.push_back({kind, static_cast<uint32_t>(at_), 0, 0});
    return records_.size() - 1;
  }
  void finish(std::size_t record, std::size_t end) {
    records_[record].end = static_cast<uint32_t>(end);
    records_[record].next = static_cast<uint32_t>(records_.size());
  }

  void parse_value(int depth) {
    if (depth > MAX_DEPTH)
      throw std::invalid_argument("the header is nested more than " + std::to_string(MAX_DEPTH) + " deep");
    skip_spaces();
    switch (next()) {
      case '{':
        return parse_object(depth);
      case '[':
        return parse_list(depth);
      case '"':
        return parse_text();
      default:
        return parse_plain();
    }
  }

  void parse_object(int depth) {
    const std::size_t record = start(JsonKind::object);
    std::set<std::string> keys;
    ++at_;
    if (!skip('}')) {
      do {
        skip_spaces();
        if (next() != '"') refuse("expected a key" + place());
        const std::size_t key = records_.size();
        parse_text();
        add_key(keys, text_.substr(records_[key].begin, records_[key].end - records_[key].begin));
        expect(':');
        parse_value(depth + 1);
      } while (skip(','));
      expect('}');
    }
    finish(record, at_);
  }

  static void add_key(std::set<std::string>& keys, std::string_view key) {
    if (keys.size() >= MAX_KEYS)
      throw std::invalid_argument("an object of the header has more than " + std::to_string(MAX_KEYS) +
                                  " keys");
    if (!keys.insert(decoded_text(key)).second)
      throw std::invalid_argument("the header has the key \"" + whole_characters(key, 40) + "\" twice");
  }

  void parse_list(int depth) {
    const std::size_t record = start(JsonKind::list);
    ++at_;
    if (!skip(']')) {
      do parse_value(depth + 1);
      while (skip(','));
      expect(']');
    }
    finish(record, at_);
  }

  void parse_text() {
    ++at_;
    const std::size_t record = start(JsonKind::text);
    while (next() != '"') {
      if (at_ >= text_.size()) refuse("a text has no end");
      if (static_cast<unsigned char>(next()) < 0x20) refuse("control characters are escaped" + place());
      at_ += next() == '\\' ? escape_length(text_.substr(at_)) : 1;
    }
    finish(record, at_);
    ++at_;
  }

  void parse_plain() {
    struct Word {
      std::string_view text;
      JsonKind kind;
    };
    constexpr std::array words{Word{"null", JsonKind::null}, Word{"true", JsonKind::boolean},
                               Word{"false", JsonKind::boolean}};
    for (const Word& word : words)
      if (text_.substr(at_).starts_with(word.text)) {
        const std::size_t record = start(word.kind);
        at_ += word.text.size();
        return finish(record, at_);
      }
    parse_number();
  }

  std::size_t skip_digits() {
    const std::size_t first = at_;
    while (is_digit(next())) ++at_;
    return at_ - first;
  }

  void parse_number() {
    const std::size_t record = start(JsonKind::integer), first = at_;
    if (next() == '-') ++at_;
    const bool begins_with_zero = next() == '0';
    const std::size_t n_digits = skip_digits();
    if (n_digits == 0 || (begins_with_zero && n_digits > 1)) refuse("expected a value" + place());
    bool is_whole = true;
    if (next() == '.') {
      ++at_;
      is_whole = false;
      if (skip_digits() == 0) refuse("expected a digit" + place());
    }
    if (next() == 'e' || next() == 'E') {
      ++at_;
      is_whole = false;
      if (next() == '+' || next() == '-') ++at_;
      if (skip_digits() == 0) refuse("expected a digit" + place());
    }
    if (!is_whole) records_[record].kind = JsonKind::number;
    check_size(text_.substr(first, at_ - first));
    finish(record, at_);
  }

  static void check_size(std::string_view digits) {
    double value = 0.0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
      throw std::invalid_argument("numbers of the header must fit into a float64, but one is " +
                                  std::string(digits.substr(0, 40)));
  }

  std::string_view text_;
  std::vector<Json::Record>& records_;
  std::size_t at_ = 0;
};

Json::Json(std::string_view text) : text_(text) {
  if (text.size() > UINT32_MAX) refuse("it is too long");
  if (!is_utf8({reinterpret_cast<const uint8_t*>(text.data()), text.size()})) refuse("it is not UTF-8");
  JsonParser(text_, records_).run();
}

}  // namespace labeltree::file
