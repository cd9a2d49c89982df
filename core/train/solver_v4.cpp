// The solver for x86-64-v4; CMakeLists.txt sets the instructions.
#include "train/solver_level.hpp"

namespace labeltree {

VisitRows visit_rows_v4;

void visit_rows_v4(SolverPass& pass) {
  visit_rows(pass);
}

}  // namespace labeltree
