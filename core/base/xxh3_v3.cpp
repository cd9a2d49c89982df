// The loop of XXH3 for x86-64-v3; CMakeLists.txt sets the instructions.
#include "base/xxh3_stripes.hpp"

namespace labeltree {

extern const Xxh3Loop xxh3_loop_v3;

const Xxh3Loop xxh3_loop_v3 = accumulate_stripes;

}  // namespace labeltree
