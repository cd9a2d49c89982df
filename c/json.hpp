// JSON of any origin: parsed without surprises, or refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace labeltree::file {

enum class JsonKind : uint8_t { null, boolean, integer, number, text, list, object };

class JsonValue;

// One text and a record for each value in it, in the order of the text: 16 bytes for at least 2 of it.
class Json {
 public:
  // Throws std::invalid_argument unless the text is JSON that all readers agree about: UTF-8, keys that are
  // unique in their object, numbers within float64, nested at most 16 deep. The text must outlive this.
  explicit Json(std::string_view text);

  JsonValue root() const;

 private:
  friend class JsonParser;
  friend class JsonValue;

  struct Record {
    JsonKind kind;
    uint32_t begin, end;  // in the text; of text, without its quotes
    uint32_t next;        // the first record behind this value; keys are records of their own
  };

  std::string_view text_;
  std::vector<Record> records_;
};

// A value of a Json, which must outlive this.
class JsonValue {
 public:
  JsonKind kind() const { return record().kind; }
  // As the header has it, for messages, at most 40 bytes.
  std::string shown() const;

  // The value if it is of that kind; integers are numbers, too.
  std::optional<bool> boolean() const;
  std::optional<int64_t> integer() const;  // none as well if it does not fit
  std::optional<double> number() const;
  std::optional<std::string> text() const;

  // The values of a list or of an object, in order; with their keys.
  struct Member;
  std::vector<JsonValue> values() const;
  std::vector<Member> members() const;

 private:
  friend class Json;
  JsonValue(const Json& json, uint32_t place) : json_(&json), place_(place) {}
  const Json::Record& record() const { return json_->records_[place_]; }
  std::string_view source() const {
    return json_->text_.substr(record().begin, record().end - record().begin);
  }

  const Json* json_;
  uint32_t place_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
};

}  // namespace labeltree::file
