#include "train/solver.hpp"

#include <cstdint>

namespace labeltree {
namespace {

constexpr std::size_t LINE = 64;  // bytes of a cache line

}  // namespace

using Solve = int64_t(const ProblemRows&, const Targets&, const SolverSettings&, uint64_t, Interrupt&,
                      SolverSpace&);
Solve solve_v2;  // also what other processors than x86-64 get
#if defined(__x86_64__)
Solve solve_v3, solve_v4;
#endif

float* Block::reset(std::size_t n_items) {
  memory_.assign(n_items * N_LANES + LINE / sizeof(float), 0.0f);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::size_t n_skipped = (LINE - address % LINE) % LINE / sizeof(float);
  data_ = memory_.data() + n_skipped;
  return data_;
}

int64_t solve(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings, uint64_t seed,
              Interrupt& interrupt, SolverSpace& space) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return solve_v4(rows, targets, settings, seed, interrupt, space);
  if (__builtin_cpu_supports("x86-64-v3")) return solve_v3(rows, targets, settings, seed, interrupt, space);
#endif
  return solve_v2(rows, targets, settings, seed, interrupt, space);
}

}  // namespace labeltree
