// A file as memory that cannot be written.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace labeltree::file {

class MappedFile {
 public:
  // Throws std::invalid_argument for what is not a file with content, and std::system_error where the system
  // refuses.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace labeltree::file
