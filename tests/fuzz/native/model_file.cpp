// Whatever a model file holds, the C library refuses it or searches within it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "../../../c/stored_model.hpp"
#include "base/checksum.hpp"

namespace {

constexpr std::align_val_t ALIGNMENT{64};
constexpr int32_t FEATURES = 24;
constexpr std::size_t START = 32;  // the length of the header is at 16, its checksum at 24

struct Free {
  void operator()(uint8_t* bytes) const { ::operator delete(bytes, ALIGNMENT); }
};

// A length that the file has, and the right checksum: without them nothing else would be read.
void repair(std::span<uint8_t> file) {
  uint64_t length = 0;
  std::memcpy(&length, file.data() + 16, sizeof length);
  length = std::min<uint64_t>(length, file.size() - START);
  labeltree::Interrupt none;
  const uint64_t sum = labeltree::checksum(file.subspan(START, length), 1, none);
  std::memcpy(file.data() + 16, &length, sizeof length);
  std::memcpy(file.data() + 24, &sum, sizeof sum);
}

void search(const labeltree::file::StoredModel& model) {
  for (std::size_t label = 0; label < model.n_labels(); ++label) model.names().of(label);
  // The last feature first, and several, so that rows have pairs and must be sorted.
  const auto n = static_cast<int32_t>(model.n_features());
  std::vector<int32_t> features{n - 1};
  for (int32_t feature = 0; feature < std::min(n - 1, FEATURES); ++feature) features.push_back(feature);
  std::vector<float> values(features.size(), 1.0f);
  values.back() = -3e38f;  // the product of the largest values is no float
  const auto k = static_cast<int32_t>(std::min<std::size_t>(model.n_labels(), 5));
  for (const float p : model.top_k({features, values}, k).probabilities)
    if (!(p >= 0.0f && p <= 1.0f)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (size < START) return 0;
  const std::unique_ptr<uint8_t, Free> copy(static_cast<uint8_t*>(::operator new(size, ALIGNMENT)));
  const std::span<uint8_t> file(copy.get(), size);
  std::copy_n(data, size, file.data());
  repair(file);
  try {
    search(labeltree::file::StoredModel(file, false));
  } catch (const std::exception&) {  // refused
  }
  return 0;
}
