// The C++ library in a wheel brings a parser of mangled names, a tenth of the module, to name types in
// messages about bugs. With this function the linker leaves it out, and such messages have the mangled names.
#include <cstddef>

extern "C" char* __cxa_demangle(const char*, char*, std::size_t*, int* status) {
  if (status != nullptr) *status = -1;
  return nullptr;
}
