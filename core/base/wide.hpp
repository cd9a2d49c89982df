// Loops that are compiled for wider vectors too.
#pragma once

#include <cstdint>

#include "base/cpu.hpp"

namespace labeltree {

// Eight numbers at a time; the compiler makes of them what the machine has.
typedef float Eight __attribute__((vector_size(32)));
typedef int32_t EightInts __attribute__((vector_size(32)));

// A loop that is compiled for wider vectors too and uses what cpu_level() has. It must be always_inline and
// take no vectors by value: how those are passed depends on the instructions.
template <auto loop>
struct Wide;

template <class... Args, void (*loop)(Args...)>
struct Wide<loop> {
  void operator()(Args... args) const {
#if defined(__x86_64__)
    static const bool is_wide = cpu_level() >= CpuLevel::v3;
    if (is_wide) return wide(args...);
#endif
    narrow(args...);
  }

 private:
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static void wide(Args... args) { loop(args...); }
#endif
  static void narrow(Args... args) { loop(args...); }
};

}  // namespace labeltree
