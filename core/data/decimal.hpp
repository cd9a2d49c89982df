// Decimal numbers in text. Inline, because files hold one for each feature of a row.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace labeltree {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The parts of a decimal number such as -12.5e-3.
struct Decimal {
  bool negative = false;
  uint64_t digits = 0;   // the first 19 digits from the first that is not 0
  int n_digits = 0;      // how many digits there are from the first that is not 0
  int64_t exponent = 0;  // of the last digit
  bool is_number = false;
};

inline Decimal read_decimal(const char* at, const char* end) {
  constexpr int64_t far = 1'000'000'000;  // an exponent beyond which only zero or overflow is possible
  Decimal d;
  if (at != end && (*at == '-' || *at == '+')) d.negative = *at++ == '-';
  bool any = false, after_point = false;
  for (; at != end; ++at) {
    if (*at == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(*at)) break;
    any = true;
    d.exponent -= after_point;
    if (d.n_digits > 0 || *at != '0') {
      if (++d.n_digits <= 19) d.digits = d.digits * 10 + static_cast<uint64_t>(*at - '0');
    }
  }
  if (!any) return d;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool minus = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (at == end) return d;
    int64_t power = 0;
    for (; at != end && is_digit(*at); ++at) power = std::min(power * 10 + (*at - '0'), far);
    d.exponent += minus ? -power : power;
  }
  d.is_number = at == end;
  return d;
}

enum class Number : uint8_t { fine, not_a_number, too_large };

// The float32 nearest to the double nearest to the text, which is what numpy.float32(float(text)) is.
inline Number read_value(std::string_view text, float& value) {
  static constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* end = text.data() + text.size();
  const Decimal d = read_decimal(text.data(), end);
  if (!d.is_number) return Number::not_a_number;
  double magnitude = 0;  // so it stays without digits, and below half the smallest float32
  if (d.n_digits > 0 && d.n_digits <= 15 && d.exponent >= -22 && d.exponent <= 22) {
    // Both factors are exact doubles, so that the one operation rounds correctly (Clinger 1990).
    const auto digits = static_cast<double>(d.digits);
    magnitude = d.exponent < 0 ? digits / power_of_ten[-d.exponent] : digits * power_of_ten[d.exponent];
  } else if (d.n_digits > 0 && d.exponent + d.n_digits > 40) {
    return Number::too_large;
  } else if (d.n_digits > 0 && d.exponent + d.n_digits >= -60) {
    const char* digits = text.data() + (text[0] == '-' || text[0] == '+');
    std::from_chars(digits, end, magnitude);
  }
  if (magnitude >= 0x1.ffffffp127) return Number::too_large;  // half a step beyond the largest float32
  value = static_cast<float>(d.negative ? -magnitude : magnitude);
  return Number::fine;
}

}  // namespace labeltree
