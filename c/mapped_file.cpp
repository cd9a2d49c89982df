#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace labeltree::file {
namespace {

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

// Closes a file when it goes; a map stays.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

std::size_t checked_size(int descriptor) {
  struct stat state;
  if (fstat(descriptor, &state) != 0) fail();
  if (S_ISDIR(state.st_mode)) throw std::invalid_argument("it is a folder; a model is one file");
  if (!S_ISREG(state.st_mode))
    throw std::invalid_argument("it is a pipe or a device; copy it to a file first");
  if (state.st_size == 0) throw std::invalid_argument("the file is empty; save the model again");
  return static_cast<std::size_t>(state.st_size);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  // Without O_NONBLOCK, a pipe would wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0) fail();
  const std::size_t size = checked_size(file.number);
  void* const begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number, 0);
  if (begin == MAP_FAILED) fail();
  bytes_ = {static_cast<const uint8_t*>(begin), size};
}

MappedFile::~MappedFile() {
  munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace labeltree::file
