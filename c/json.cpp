#include "json.hpp"

#include <charconv>

#include "json_text.hpp"
#include "utf8.hpp"

namespace labeltree::file {

JsonValue Json::root() const {
  return {*this, 0};
}

std::string JsonValue::shown() const {
  const std::string words = whole_characters(source(), 40);
  return kind() == JsonKind::text ? '"' + words + '"' : words;
}

std::optional<bool> JsonValue::boolean() const {
  if (kind() != JsonKind::boolean) return {};
  return source() == "true";
}

std::optional<int64_t> JsonValue::integer() const {
  int64_t value = 0;
  const auto digits = source();
  if (kind() != JsonKind::integer ||
      std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    return {};
  return value;
}

std::optional<double> JsonValue::number() const {
  if (kind() != JsonKind::integer && kind() != JsonKind::number) return {};
  double value = 0.0;
  const auto digits = source();
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::optional<std::string> JsonValue::text() const {
  if (kind() != JsonKind::text) return {};
  return decoded_text(source());
}

std::vector<JsonValue> JsonValue::values() const {
  std::vector<JsonValue> found;
  if (kind() == JsonKind::list)
    for (uint32_t i = place_ + 1; i < record().next; i = json_->records_[i].next)
      found.push_back({*json_, i});
  return found;
}

std::vector<JsonValue::Member> JsonValue::members() const {
  std::vector<Member> found;
  if (kind() != JsonKind::object) return found;
  for (uint32_t i = place_ + 1; i < record().next;) {
    const JsonValue key(*json_, i), value(*json_, i + 1);
    found.push_back({decoded_text(key.source()), value});
    i = value.record().next;
  }
  return found;
}

}  // namespace labeltree::file
