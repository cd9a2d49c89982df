#include "labeltree.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "mapped_file.hpp"
#include "stored_model.hpp"

struct labeltree_model {
  labeltree::file::MappedFile file;
  labeltree::file::StoredModel model;

  labeltree_model(const char* path, bool verify) : file(path), model(file.bytes(), verify) {}
};

namespace {

// What fits of a text, and a 0 behind it.
void put(const std::string& text, char* buffer, std::size_t size) {
  if (buffer == nullptr || size == 0) return;
  const std::size_t n = std::min(text.size(), size - 1);
  std::memcpy(buffer, text.data(), n);
  buffer[n] = '\0';
}

// Calls `use`; exceptions do not leave this library, but become a sentence and the result of a failure.
template <class Result, class Use>
Result guarded(const char* subject, Result failed, char* error, std::size_t error_size, Use use) {
  const auto report = [&](const char* why) noexcept {
    try {
      put(subject == nullptr ? std::string(why) : std::string(subject) + ": " + why, error, error_size);
    } catch (...) {
      if (error != nullptr && error_size > 0) error[0] = '\0';
    }
    return failed;
  };
  try {
    return use();
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory");
  } catch (const std::exception& problem) {
    return report(problem.what());
  } catch (...) {
    return report("it failed for an unknown reason");
  }
}

}  // namespace

labeltree_model* labeltree_open(const char* path, unsigned options, char* error, size_t error_size) {
  return guarded<labeltree_model*>(path, nullptr, error, error_size, [&] {
    if (path == nullptr) throw std::invalid_argument("path must not be NULL");
    if ((options & ~LABELTREE_SKIP_CHECKSUMS) != 0)
      throw std::invalid_argument("options must be 0 or LABELTREE_SKIP_CHECKSUMS, but is " +
                                  std::to_string(options));
    return new labeltree_model(path, (options & LABELTREE_SKIP_CHECKSUMS) == 0);
  });
}

void labeltree_close(labeltree_model* model) {
  delete model;
}

int32_t labeltree_n_labels(const labeltree_model* model) {
  return static_cast<int32_t>(model->model.n_labels());
}

int32_t labeltree_n_features(const labeltree_model* model) {
  return static_cast<int32_t>(model->model.n_features());
}

int64_t labeltree_label_name(const labeltree_model* model, int32_t label, char* buffer, size_t size) {
  if (label < 0 || label >= labeltree_n_labels(model)) return -1;
  return guarded<int64_t>(nullptr, -1, nullptr, 0, [&] {
    const std::string name = model->model.names().of(static_cast<std::size_t>(label));
    put(name, buffer, size);
    return static_cast<int64_t>(name.size());
  });
}

int64_t labeltree_top_k(const labeltree_model* model, const int32_t* features, const float* values, size_t n,
                        size_t k, int32_t* labels, float* probabilities, char* error, size_t error_size) {
  return guarded<int64_t>(nullptr, -1, error, error_size, [&] {
    if (n > 0 && (features == nullptr || values == nullptr))
      throw std::invalid_argument("features and values must not be NULL, but one is");
    const auto most = static_cast<std::size_t>(labeltree_n_labels(model));
    const auto found =
        model->model.top_k({{features, n}, {values, n}}, static_cast<int32_t>(std::min(k, most)));
    const auto n_found = std::ranges::find(found.labels, -1) - found.labels.begin();
    std::transform(found.labels.begin(), found.labels.begin() + n_found, labels,
                   [](int64_t label) { return static_cast<int32_t>(label); });
    std::copy_n(found.probabilities.begin(), n_found, probabilities);
    return int64_t{n_found};
  });
}

const char* labeltree_version(void) {
  return LABELTREE_VERSION;
}
