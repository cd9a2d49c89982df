#include "train/row_products.hpp"

#include <algorithm>
#include <vector>

#include "base/index.hpp"

namespace labeltree {
namespace {

constexpr std::size_t TILE = 4096;  // features; their weights in all lanes are 256 KiB

// Calls visit(parts) for each tile of features, with the entries of all rows in it.
template <class Visit>
void visit_tiles(const ProblemRows& rows, Visit visit) {
  std::vector<int64_t> begin(rows.begin.begin(), rows.begin.end()), end = begin;
  for (std::size_t first = 0; first < rows.n_features; first += TILE) {
    const auto limit = static_cast<int32_t>(std::min(first + TILE, rows.n_features));
    for (std::size_t i = 0; i < begin.size(); ++i) {
      const int64_t last = rows.begin[i] + rows.size[i];
      while (end[i] < last && rows.index[end[i]] < limit) ++end[i];
    }
    visit(RowParts{rows.index, rows.value, begin.data(), end.data(), begin.size(),
                   static_cast<int32_t>(first)});
    begin = end;
  }
}

RowParts from_row(RowParts parts, std::size_t row) {
  parts.begin += row;
  parts.end += row;
  parts.n_rows -= row;
  return parts;
}

// The values of up to sixteen rows as weights: one row in each lane.
void set_lanes(const RowParts& parts, std::size_t first_row, Block& lanes) {
  lanes.reset(TILE);
  for (std::size_t i = first_row; i < std::min(parts.n_rows, first_row + N_LANES); ++i)
    for (int64_t e = parts.begin[i]; e < parts.end[i]; ++e)
      lanes[at(parts.index[e] - parts.first)][i - first_row] = parts.value[e];
}

}  // namespace

std::size_t n_products(const ProblemRows& rows) {
  return (rows.size.size() + N_LANES - 1) / N_LANES * N_LANES;
}

void multiply_rows(const ProblemRows& rows, float constant, Interrupt& interrupt, Block& products) {
  const std::size_t n = rows.size.size(), stride = n_products(rows);
  float* const first = products.reset(n * stride / N_LANES);
  Block lanes;
  visit_tiles(rows, [&](const RowParts& parts) {
    for (std::size_t row = 0; row < n; row += N_LANES) {
      interrupt.check();
      set_lanes(parts, row, lanes);
      // Rows before these have the same products the other way round.
      solver_loops().score(from_row(parts, row), lanes[0], nullptr, first + row * stride + row, stride);
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      first[i * stride + j] += constant;
      first[j * stride + i] = first[i * stride + j];
    }
}

void score_rows(const ProblemRows& rows, std::span<const int32_t> picked, const Block& weights,
                const float* limits, float* scores) {
  std::vector<int64_t> begin, end;
  for (const int32_t i : picked) {
    begin.push_back(rows.begin[at(i)]);
    end.push_back(rows.begin[at(i)] + rows.size[at(i)]);
  }
  const RowParts parts{rows.index, rows.value, begin.data(), end.data(), picked.size(), 0};
  solver_loops().score(parts, weights[0], limits, scores, N_LANES);
}

void combine_rows(const ProblemRows& rows, const Block& changes, Block& weights) {
  weights.reset(rows.n_features + 1);
  visit_tiles(
      rows, [&](const RowParts& parts) { solver_loops().add(parts, changes[0], weights[at(parts.first)]); });
}

}  // namespace labeltree
