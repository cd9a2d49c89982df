// The solver for x86-64-v4; CMakeLists.txt sets the instructions.
#include "train/solver_level.hpp"

namespace labeltree {

extern const SolverLoops solver_loops_v4;

const SolverLoops solver_loops_v4 = {visit_rows, score_parts, add_parts};

}  // namespace labeltree
