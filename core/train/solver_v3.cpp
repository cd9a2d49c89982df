// The solver for x86-64-v3; CMakeLists.txt sets the instructions.
#define LABELTREE_LEVEL v3
#include "train/solver_level.hpp"

namespace labeltree {

int64_t solve_v3(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings,
                 uint64_t seed, Interrupt& interrupt, SolverSpace& space) {
  return v3::solve(rows, targets, settings, seed, interrupt, space);
}

}  // namespace labeltree
