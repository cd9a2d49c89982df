// Arrays out of the bytes that libFuzzer gives.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <vector>

namespace labeltree::fuzz {

// At most max_size numbers in least .. most.
template <class T>
std::vector<T> numbers(FuzzedDataProvider& given, std::size_t max_size, T least, T most) {
  std::vector<T> made(given.ConsumeIntegralInRange<std::size_t>(0, max_size));
  for (T& number : made) number = given.ConsumeIntegralInRange<T>(least, most);
  return made;
}

// n numbers with the bits that come next, infinities and what is not a number among them.
inline std::vector<float> floats(FuzzedDataProvider& given, std::size_t n) {
  std::vector<float> made(n, 0.5f);
  if (n > 0) given.ConsumeData(made.data(), n * sizeof(float));
  return made;
}

}  // namespace labeltree::fuzz
