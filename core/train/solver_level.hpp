// The solver's loops, compiled once for each level of instructions. See solver_pass.hpp.
//
// All of it has internal linkage, so that no level calls what was compiled for another.
#pragma once

#include "train/full_rows.hpp"
#include "train/lanes.hpp"
#include "train/loss.hpp"
#include "train/solver_pass.hpp"

namespace labeltree {
namespace {

constexpr std::size_t NEAR_BYTES = 1 << 19;  // of weights that stay in the near caches
constexpr std::size_t FAR_BYTES = 1 << 24;   // of dual variables, with which no cache holds all rows
// Visits until that of the row that is fetched ahead, and of the one whose place and targets are.
constexpr std::size_t ROW_AHEAD = 6, PLACE_AHEAD = 12;
constexpr int32_t MAX_AHEAD = 64;  // features of the next row whose weights are fetched ahead

template <class LossType>
class Descent {
 public:
  explicit Descent(SolverPass& pass)
      : pass_(pass),
        weights_(reinterpret_cast<Floats*>(pass.weights)),
        alpha_(reinterpret_cast<Floats*>(pass.alpha)),
        scores_(reinterpret_cast<Floats*>(pass.scores)),
        c_positive_(load(pass.c_positive)),
        c_negative_(load(pass.c_negative)),
        slack_(load(pass.slack)),
        worst_(load(pass.worst)),
        spares_(pass.near >= 0.0f),
        is_far_(pass.n_features * sizeof(Floats) > NEAR_BYTES),
        is_long_(pass.n_active * sizeof(Floats) > FAR_BYTES) {}

  void run() {
    if (pass_.products != nullptr || pass_.index == nullptr)
      visit_blocks();
    else if (spares_)
      visit_single<true>();
    else
      visit_single<false>();
    __builtin_memcpy(pass_.worst, &worst_, sizeof worst_);
  }

 private:
  // What further visits of a row are good for.
  enum class Use : uint8_t {
    active,
    near,  // it may drift from its optimum, so it is of use after some passes
    idle,  // it is right, and stays so
  };

  Floats sign(int32_t i) const { return spread(pass_.positive[i]) ? all(1.0f) : all(-1.0f); }

  Floats loss_weight(int32_t i) const {
    const Floats c = spread(pass_.positive[i]) ? c_positive_ : c_negative_;
    return pass_.row_weight == nullptr ? c : c * pass_.row_weight[i];
  }

  // Compiled for both, because sparse rows are so short that a question for each of them takes time.
  template <bool Spares>
  void visit_single() {
    const int32_t* const order = pass_.order;
    std::size_t at = pass_.at, n_active = pass_.n_active;
    for (int n = 0; n < pass_.max_visits && at < n_active; ++n) {
      if (is_long_ && at + PLACE_AHEAD < n_active) prefetch_place(order[at + PLACE_AHEAD]);
      if (at + ROW_AHEAD < n_active) prefetch(order[at + ROW_AHEAD]);
      if (is_far_ && at + 1 < n_active) prefetch_weights(order[at + 1]);
      const int32_t row = order[at];
      const Visit visit = improve(row, score(row), Spares);
      if (any(visit.change != 0.0f)) add(row, visit.change);
      if (visit.use == Use::active)
        ++at;
      else
        leave_out(at, visit.use, n_active);
    }
    pass_.at = at;
    pass_.n_active = n_active;
  }

  // The row at a place of the order leaves the active ones. The last of them takes its place.
  void leave_out(std::size_t at, Use use, std::size_t& n_active) {
    int32_t* const order = pass_.order;
    const int32_t row = order[at];
    order[at] = order[--n_active];
    if (use == Use::near) {
      order[n_active] = row;
      ++pass_.n_near;
      return;
    }
    const std::size_t last_near = n_active + pass_.n_near;
    order[n_active] = order[last_near];
    order[last_near] = row;
  }

  void visit_blocks() {
    for (int n = 0; n < pass_.max_visits && pass_.at < pass_.n_active; n += N_FULL) {
      const std::size_t n_left = pass_.n_active - pass_.at;
      const int n_rows = n_left < N_FULL ? static_cast<int>(n_left) : N_FULL;
      if (pass_.products != nullptr)
        visit_products(n_rows);
      else
        visit_full(n_rows);
    }
  }

  // Visits the next full rows. Each sees the weights as the rows before it leave them: what those change is
  // added to its score by its products with them, and to the weights for all rows at once.
  void visit_full(int n_rows) {
    for (std::size_t next = pass_.at + N_FULL; next < pass_.at + 2 * N_FULL && next < pass_.n_active; ++next)
      prefetch(pass_.order[next]);
    FullRows block{{}, pass_.n_features};
    Floats scores[N_FULL];
    for (int r = 0; r < N_FULL; ++r) {
      block.rows[r] = pass_.value + pass_.begin[next_row(r, n_rows)];
      scores[r] = weights_[pass_.n_features] * pass_.intercept_scaling;
    }
    block.add_scores(weights_, scores);
    float products[N_FULL][N_FULL];
    block.multiply(products);
    const float constant = pass_.intercept_scaling * pass_.intercept_scaling;
    Floats changes[N_FULL] = {};
    const auto product = [&](int r, int before) { return products[r][before] + constant; };
    if (!improve_block(n_rows, scores, changes, product)) return;
    block.add_to(weights_, changes);
    for (int r = 0; r < n_rows; ++r) weights_[pass_.n_features] += changes[r] * pass_.intercept_scaling;
  }

  // The same with known products: the scores of all rows are kept up to date, and weights are not needed.
  void visit_products(int n_rows) {
    FullRows block{{}, pass_.n_products};
    Floats scores[N_FULL], changes[N_FULL] = {};
    int32_t rows[N_FULL];
    for (int r = 0; r < N_FULL; ++r) {
      rows[r] = next_row(r, n_rows);
      block.rows[r] = pass_.products + static_cast<std::size_t>(rows[r]) * pass_.n_products;
      scores[r] = scores_[rows[r]];
    }
    const auto product = [&](int r, int before) { return block.rows[r][rows[before]]; };
    if (improve_block(n_rows, scores, changes, product)) block.add_to(scores_, changes);
  }

  // Row r of the next n_rows, or the last of them.
  int32_t next_row(int r, int n_rows) const {
    return pass_.order[pass_.at + static_cast<std::size_t>(r < n_rows ? r : n_rows - 1)];
  }

  // Improves the next rows one after the other, given their scores before and their products. Returns
  // whether anything changes.
  template <class Product>
  bool improve_block(int n_rows, Floats* scores, Floats* changes, Product product) {
    Use uses[N_FULL];
    Ints changed{};
    for (int r = 0; r < n_rows; ++r) {
      for (int before = 0; before < r; ++before) scores[r] += changes[before] * product(r, before);
      const Visit visit = improve_long(next_row(r, n_rows), scores[r]);
      changes[r] = visit.change;
      changed |= visit.change != 0.0f;
      uses[r] = visit.use;
    }
    move_on(n_rows, uses);
    return any(changed);
  }

  // Goes past the next n rows of the order, which may leave the active ones.
  void move_on(int n, const Use* uses) {
    int32_t* const order = pass_.order + pass_.at;
    std::size_t n_kept = 0, n_left_out = 0;
    int32_t left_out[N_FULL];
    Use use_of[N_FULL];
    for (int r = 0; r < n; ++r)
      if (uses[r] == Use::active) {
        order[n_kept++] = order[r];
      } else {
        use_of[n_left_out] = uses[r];
        left_out[n_left_out++] = order[r];
      }
    for (std::size_t i = 0; i < n_left_out; ++i) order[n_kept + i] = left_out[i];
    pass_.at += n_kept;
    // The last first, since the last active row takes its place.
    for (std::size_t i = n_left_out; i-- > 0;) leave_out(pass_.at + i, use_of[i], pass_.n_active);
  }

  struct Visit {
    Floats change;  // of the dual variables, with the signs of the classes
    Use use;
  };

  // Improves one row's dual variables, given its score.
  [[gnu::always_inline]] Visit improve(int32_t i, Floats score, bool spares) {
    const Ints here = spread(pass_.reaches[i] & pass_.open);
    const Floats sign = this->sign(i);
    const Step step = LossType::step(alpha_[i], sign * score, loss_weight(i), norm(i), slack_);
    const Floats change = here ? (step.alpha - alpha_[i]) * sign : Floats{};
    alpha_[i] = here ? step.alpha : alpha_[i];
    worst_ = most(worst_, here ? step.violation : Floats{});
    const Ints useful = here & ~step.idle;
    if (!any(useful)) return {change, Use::idle};
    const bool is_near = spares && !any(useful & ~(step.violation <= pass_.near));
    return {change, is_near ? Use::near : Use::active};
  }

  // One copy for all blocks: their rows are so long that a call takes no time beside them.
  [[gnu::noinline]] Visit improve_long(int32_t i, Floats score) { return improve(i, score, spares_); }

  // A row without features moves no weight, whatever its norm is taken for.
  float norm(int32_t i) const {
    const float norm = pass_.square[i] + pass_.intercept_scaling * pass_.intercept_scaling;
    return norm == 0.0f ? 1.0f : norm;
  }

  Floats score(int32_t i) const {
    const int32_t* index = pass_.index + pass_.begin[i];
    const float* value = pass_.value + pass_.begin[i];
    const int32_t size = pass_.size[i];
    // Several sums, so that none waits for itself.
    Floats a = weights_[pass_.n_features] * pass_.intercept_scaling, b{}, c{}, d{};
    int32_t k = 0;
    for (; k + 4 <= size; k += 4) {
      a += weights_[index[k]] * value[k];
      b += weights_[index[k + 1]] * value[k + 1];
      c += weights_[index[k + 2]] * value[k + 2];
      d += weights_[index[k + 3]] * value[k + 3];
    }
    for (; k < size; ++k) a += weights_[index[k]] * value[k];
    return (a + b) + (c + d);
  }

  void add(int32_t i, Floats change) {
    const int32_t* index = pass_.index + pass_.begin[i];
    const float* value = pass_.value + pass_.begin[i];
    const int32_t size = pass_.size[i];
    for (int32_t k = 0; k < size; ++k) weights_[index[k]] += change * value[k];
    weights_[pass_.n_features] += change * pass_.intercept_scaling;
  }

  // Inlined, because the compiler takes a call that only prefetches for one without effect.
  [[gnu::always_inline]] void prefetch(int32_t i) const {
    for (int64_t first = pass_.begin[i]; first < pass_.begin[i] + 32; first += 16) {  // two cache lines
      if (pass_.index != nullptr) __builtin_prefetch(pass_.index + first);
      __builtin_prefetch(pass_.value + first);
    }
    __builtin_prefetch(alpha_ + i);
  }

  // Where a row is, and what is known of it: one cache miss each if there are many rows.
  [[gnu::always_inline]] void prefetch_place(int32_t i) const {
    __builtin_prefetch(pass_.begin + i);
    __builtin_prefetch(pass_.size + i);
    __builtin_prefetch(pass_.square + i);
    __builtin_prefetch(pass_.reaches + i);
    __builtin_prefetch(pass_.positive + i);
  }

  // Of a long row, the first: it is so long that the processor itself looks ahead at the others.
  [[gnu::always_inline]] void prefetch_weights(int32_t i) const {
    const int32_t* index = pass_.index + pass_.begin[i];
    const int32_t size = pass_.size[i] < MAX_AHEAD ? pass_.size[i] : MAX_AHEAD;
    for (int32_t k = 0; k < size; ++k) __builtin_prefetch(weights_ + index[k]);
  }

  SolverPass& pass_;
  Floats* weights_;
  Floats* alpha_;
  Floats* scores_;
  Floats c_positive_, c_negative_, slack_, worst_;
  bool spares_;   // whether rows near their optimum are left out for some passes
  bool is_far_;   // whether weights are more than the near caches hold
  bool is_long_;  // whether there are more rows than the caches hold
};

// Where the weights of an entry's feature begin.
inline std::size_t place(const RowParts& rows, int64_t e) {
  return static_cast<std::size_t>(rows.index[e] - rows.first) * N_LANES;
}

// Weights of at most the limit count as 0.
inline Some above(Some weight, Some limit) {
  return (weight < 0.0f ? -weight : weight) > limit ? weight : Some{};
}

void score_parts(const RowParts& rows, const float* weights, const float* limits, float* scores,
                 std::size_t stride) {
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const int64_t end = rows.end[i];
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      const auto weight = [&](int64_t e) { return some(weights + place(rows, e) + lane); };
      Some a = some(scores + i * stride + lane), b{};
      int64_t e = rows.begin[i];
      if (limits != nullptr)
        for (const Some limit = some(limits + lane); e < end; ++e)
          a += above(weight(e), limit) * rows.value[e];
      for (; e + 2 <= end; e += 2) {
        a += weight(e) * rows.value[e];
        b += weight(e + 1) * rows.value[e + 1];
      }
      if (e < end) a += weight(e) * rows.value[e];
      put(a + b, scores + i * stride + lane);
    }
  }
}

void add_parts(const RowParts& rows, const float* changes, float* weights) {
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    const Floats change = load(changes + i * N_LANES);
    if (!any(change != 0.0f)) continue;
    for (int lane = 0; lane < N_LANES; lane += WIDTH) {
      const Some by = some(changes + i * N_LANES + lane);
      for (int64_t e = rows.begin[i]; e < rows.end[i]; ++e) {
        float* const weight = weights + place(rows, e) + lane;
        put(some(weight) + by * rows.value[e], weight);
      }
    }
  }
}

void visit_rows(SolverPass& pass) {
  if (pass.loss == Loss::squared_hinge)
    Descent<SquaredHinge>(pass).run();
  else
    Descent<Logistic>(pass).run();
}

}  // namespace
}  // namespace labeltree
