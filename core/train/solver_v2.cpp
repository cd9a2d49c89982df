// The solver for x86-64-v2; CMakeLists.txt sets the instructions.
#include "train/solver_level.hpp"

namespace labeltree {

extern const SolverLoops solver_loops_v2;

const SolverLoops solver_loops_v2 = {visit_rows, score_parts, add_parts};

}  // namespace labeltree
