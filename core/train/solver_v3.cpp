// The solver for x86-64-v3; CMakeLists.txt sets the instructions.
#include "train/solver_level.hpp"

namespace labeltree {

VisitRows visit_rows_v3;

void visit_rows_v3(SolverPass& pass) {
  visit_rows(pass);
}

}  // namespace labeltree
