#include "train/solver.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/cpu.hpp"
#include "base/random.hpp"

namespace labeltree {

VisitRows visit_rows_v2;  // also what other processors than x86-64 get
#if defined(__x86_64__)
VisitRows visit_rows_v3, visit_rows_v4;
#endif

namespace {

constexpr std::size_t LINE = 64;  // bytes of a cache line
constexpr uint16_t ALL_LANES = std::numeric_limits<uint16_t>::max();

VisitRows* visitor() {
#if defined(__x86_64__)
  if (cpu_level() == CpuLevel::v4) return visit_rows_v4;
  if (cpu_level() == CpuLevel::v3) return visit_rows_v3;
#endif
  return visit_rows_v2;
}

SolverPass first_pass(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings,
                      SolverSpace& space) {
  const std::size_t n = rows.size.size();
  if (!space.is_warm) space.weights.reset(rows.n_features + 1);
  space.order.resize(n);
  std::iota(space.order.begin(), space.order.end(), 0);
  SolverPass pass{
      .loss = settings.loss,
      .intercept_scaling = settings.intercept_scaling,
      .index = rows.index,
      .value = rows.value,
      .begin = rows.begin.data(),
      .size = rows.size.data(),
      .square = rows.square.data(),
      .n_features = rows.n_features,
      .reaches = targets.reaches.data(),
      .positive = targets.positive.data(),
      .row_weight = targets.row_weight.empty() ? nullptr : targets.row_weight.data(),
      .c_positive = targets.c_positive,
      .c_negative = targets.c_negative,
      .weights = space.weights[0],
      .alpha = space.alpha.reset(n),
      .order = space.order.data(),
      .at = 0,
      .n_active = n,
      .open = ALL_LANES,
      .slack = {},
      .worst = {},
  };
  std::ranges::fill(pass.worst, std::numeric_limits<float>::infinity());
  return pass;
}

void begin_pass(SolverPass& pass, float tol) {
  for (int l = 0; l < N_LANES; ++l) pass.slack[l] = std::min(tol, pass.worst[l]);
  std::ranges::fill(pass.worst, 0.0f);
  pass.at = 0;
}

// Whether some classifier is not done. When all are, they look once more at the rows that were left out.
bool is_open(SolverPass& pass, float tol, std::size_t n_rows) {
  for (int l = 0; l < N_LANES; ++l)
    if (pass.worst[l] <= tol) pass.open = static_cast<uint16_t>(pass.open & ~(1u << l));
  if (pass.open != 0 || pass.n_active == n_rows) return pass.open != 0;
  pass.n_active = n_rows;
  pass.open = ALL_LANES;
  std::ranges::fill(pass.worst, std::numeric_limits<float>::infinity());
  return true;
}

}  // namespace

float* Block::reset(std::size_t n_items) {
  memory_.assign(n_items * N_LANES + LINE / sizeof(float), 0.0f);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::size_t n_skipped = (LINE - address % LINE) % LINE / sizeof(float);
  data_ = memory_.data() + n_skipped;
  return data_;
}

int64_t solve(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings, uint64_t seed,
              Interrupt& interrupt, SolverSpace& space) {
  SolverPass pass = first_pass(rows, targets, settings, space);
  VisitRows* const visit = visitor();
  Random random(seed);
  int64_t n_visits = 0;
  bool open = true;
  for (space.n_passes = 0; space.n_passes < settings.max_iter && open; ++space.n_passes) {
    random.shuffle(std::span(space.order).first(pass.n_active));
    n_visits += static_cast<int64_t>(pass.n_active);
    begin_pass(pass, settings.tol);
    while (pass.at < pass.n_active) {
      interrupt.check();
      visit(pass);
    }
    std::ranges::copy(pass.worst, space.violation);
    open = is_open(pass, settings.tol, space.order.size());
  }
  return n_visits;
}

}  // namespace labeltree
