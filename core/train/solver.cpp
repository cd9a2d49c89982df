#include "train/solver.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/cpu.hpp"
#include "base/random.hpp"
#include "train/row_products.hpp"

namespace labeltree {

extern const SolverLoops solver_loops_v2;  // also what other processors than x86-64 get
#if defined(__x86_64__)
extern const SolverLoops solver_loops_v3, solver_loops_v4;
#endif

namespace {

constexpr std::size_t LINE = 64;  // bytes of a cache line
constexpr uint16_t ALL_LANES = std::numeric_limits<uint16_t>::max();
constexpr int NEAR_PERIOD = 3;  // passes after which rows near their optimum are visited again

// All classifiers are open, and no row is known to be right.
void expect_violations(SolverPass& pass) {
  pass.open = ALL_LANES;
  std::ranges::fill(pass.worst, std::numeric_limits<float>::infinity());
}

// Moves ascending rows behind all others, which ascend too.
void put_last(std::vector<int32_t>& order, std::span<const int32_t> rows) {
  if (rows.empty()) return;
  auto kept = order.begin();
  auto moved = rows.begin();
  for (const int32_t row : order)
    if (moved != rows.end() && *moved == row)
      ++moved;
    else
      *kept++ = row;
  std::ranges::copy(rows, kept);
}

SolverPass first_pass(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings,
                      SolverSpace& space) {
  const std::size_t n = rows.size.size();
  if (!space.is_warm) space.weights.reset(rows.n_features + 1);
  space.order.resize(n);
  std::iota(space.order.begin(), space.order.end(), 0);
  put_last(space.order, targets.held);
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
      .products = rows.products == nullptr ? nullptr : (*rows.products)[0],
      .n_products = n_products(rows),
      .scores = rows.products == nullptr ? nullptr : space.scores.reset(n_products(rows)),
      .weights = space.weights[0],
      .alpha = space.alpha.reset(n),
      .order = space.order.data(),
      .at = 0,
      .n_active = n - targets.held.size(),
      .n_near = 0,
      .max_visits = rows.window == nullptr ? MAX_VISITS : WINDOW_VISITS,
      .open = ALL_LANES,
      .near = settings.near,
      .slack = {},
      .worst = {},
  };
  expect_violations(pass);
  return pass;
}

void begin_pass(SolverPass& pass, float tol) {
  for (int l = 0; l < N_LANES; ++l) pass.slack[l] = std::min(tol, pass.worst[l]);
  std::ranges::fill(pass.worst, 0.0f);
  pass.at = 0;
}

// Whether some classifier is not done after a pass over n_visited rows. When all are, they look once more at
// the rows that were left out.
bool is_open(SolverPass& pass, float tol, std::size_t n_visited, std::size_t n_rows) {
  for (int l = 0; l < N_LANES; ++l)
    if (pass.worst[l] <= tol) pass.open = static_cast<uint16_t>(pass.open & ~(1u << l));
  const bool is_complete = n_visited == n_rows && pass.n_active + pass.n_near == n_rows;
  if (pass.open != 0 || is_complete) return pass.open != 0;
  pass.n_active = n_rows;
  pass.n_near = 0;
  expect_violations(pass);
  return true;
}

// The rows that are held back join the active ones.
void release(SolverPass& pass, std::span<int32_t> order, std::size_t n_held) {
  const auto at = [&](std::size_t place) { return order.begin() + static_cast<std::ptrdiff_t>(place); };
  std::rotate(at(pass.n_active), at(order.size() - n_held), order.end());
  pass.n_active += n_held;
  expect_violations(pass);
}

// The weights of the dual variables, where only those and scores were kept.
void set_weights(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings,
                 SolverSpace& space) {
  const std::size_t n = rows.size.size();
  space.sum.reset(n);  // the dual variables with the signs of the classes
  for (std::size_t i = 0; i < n; ++i)
    for (int l = 0; l < N_LANES; ++l)
      space.sum[i][l] = (targets.positive[i] >> l & 1) != 0 ? space.alpha[i][l] : -space.alpha[i][l];
  combine_rows(rows, space.sum, space.weights);
  float* const constant = space.weights[rows.n_features];
  for (std::size_t i = 0; i < n; ++i)
    for (int l = 0; l < N_LANES; ++l) constant[l] += space.sum[i][l] * settings.intercept_scaling;
}

// The mean of weights over several moments.
class Mean {
 public:
  Mean(SolverSpace& space, std::size_t n_items) : space_(space), n_(n_items * N_LANES) {
    space_.sum.reset(n_items);
  }
  void add() {
    for (std::size_t i = 0; i < n_; ++i) space_.sum[0][i] += space_.weights[0][i];
    ++n_added_;
  }
  void put() {
    for (std::size_t i = 0; i < n_ && n_added_ > 0; ++i)
      space_.weights[0][i] = space_.sum[0][i] / static_cast<float>(n_added_);
  }

 private:
  SolverSpace& space_;
  std::size_t n_;
  int n_added_ = 0;
};

// Passes over the first n_rows of the order. Returns how many rows were visited.
int64_t descend(SolverPass& pass, RowWindow* window, std::size_t n_rows, int max_iter, int mean_iter,
                float tol, Random& random, Interrupt& interrupt, SolverSpace& space) {
  VisitRows* const visit = solver_loops().visit;
  Mean mean(space, mean_iter > 0 ? pass.n_features + 1 : 0);
  int64_t n_visits = 0;
  bool open = true;
  for (int iter = 0; iter < max_iter && open; ++iter, ++space.n_passes) {
    if (iter % NEAR_PERIOD == 0) pass.n_active += std::exchange(pass.n_near, 0);
    random.shuffle(std::span(space.order).first(pass.n_active));
    const std::size_t n_visited = pass.n_active;
    n_visits += static_cast<int64_t>(n_visited);
    begin_pass(pass, tol);
    if (window != nullptr) window->restart(pass.n_active);
    for (int n_calls = 1; pass.at < pass.n_active; ++n_calls) {
      interrupt.check();
      if (window != nullptr) window->prepare(pass.order, pass.at, pass.n_active);
      visit(pass);
      // At the same moments, however many rows one call visits.
      const bool is_moment = n_calls % (MAX_VISITS / pass.max_visits) == 0 || pass.at == pass.n_active;
      if (is_moment && iter >= max_iter - mean_iter) mean.add();
    }
    std::ranges::copy(pass.worst, space.violation);
    open = is_open(pass, tol, n_visited, n_rows);
  }
  if (open) mean.put();
  return n_visits;
}

}  // namespace

const SolverLoops& solver_loops() {
#if defined(__x86_64__)
  if (cpu_level() == CpuLevel::v4) return solver_loops_v4;
  if (cpu_level() == CpuLevel::v3) return solver_loops_v3;
#endif
  return solver_loops_v2;
}

float* Block::reset(std::size_t n_items) {
  memory_.assign(n_items * N_LANES + LINE / sizeof(float), 0.0f);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::size_t n_skipped = (LINE - address % LINE) % LINE / sizeof(float);
  data_ = memory_.data() + n_skipped;
  return data_;
}

int64_t solve(const ProblemRows& rows, const Targets& targets, const SolverSettings& settings, uint64_t seed,
              Interrupt& interrupt, SolverSpace& space, const std::function<void()>& before_held) {
  SolverPass pass = first_pass(rows, targets, settings, space);
  Random random(seed);
  const std::size_t n = space.order.size(), n_held = targets.held.size();
  const auto descend_over = [&](std::size_t n_rows, int max_iter) {
    const auto n_visits = descend(pass, rows.window, n_rows, max_iter, settings.mean_iter, settings.tol,
                                  random, interrupt, space);
    if (rows.products != nullptr) set_weights(rows, targets, settings, space);
    return n_visits;
  };
  space.n_passes = 0;
  if (n_held == 0) return descend_over(n, settings.max_iter);
  const int64_t n_visits = descend_over(n - n_held, settings.max_iter - settings.joint_iter);
  before_held();
  if (settings.joint_iter == 0) return n_visits;
  release(pass, space.order, n_held);
  float before[N_LANES];
  std::ranges::copy(space.violation, before);
  const int64_t n_more = descend_over(n, settings.joint_iter);
  // Rows that join disturb an optimum that was reached without them.
  for (int l = 0; l < N_LANES; ++l) space.violation[l] = std::min(space.violation[l], before[l]);
  return n_visits + n_more;
}

}  // namespace labeltree
