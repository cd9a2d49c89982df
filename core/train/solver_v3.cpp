// The solver for x86-64-v3; CMakeLists.txt sets the instructions.
#include "train/solver_level.hpp"

namespace labeltree {

extern const SolverLoops solver_loops_v3;

const SolverLoops solver_loops_v3 = {visit_rows, score_parts, add_parts};

}  // namespace labeltree
