// Results of many rows, made in chunks on several threads and put together in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "search/search.hpp"

namespace labeltree {

// The results of a chunk of rows.
struct Collected {
  std::vector<int64_t> ends, n_calls;  // [row]
  std::vector<int32_t> labels;
  std::vector<float> probabilities;

  void push(int32_t label, float probability) {
    labels.push_back(label);
    probabilities.push_back(probability);
  }
  void end_row() { ends.push_back(static_cast<int64_t>(labels.size())); }
};

inline SearchResults put_together(std::vector<Collected>& chunks) {
  SearchResults results;
  for (Collected& chunk : chunks) {
    const auto shift = static_cast<int64_t>(results.labels.size());
    for (const int64_t end : chunk.ends) results.indptr.push_back(shift + end);
    const auto append = [](auto& all, const auto& part) { all.insert(all.end(), part.begin(), part.end()); };
    append(results.n_calls, chunk.n_calls);
    append(results.labels, chunk.labels);
    append(results.probabilities, chunk.probabilities);
    chunk = {};
  }
  return results;
}

// make_worker() gives a function (first row, last row, results) for each thread.
template <class MakeWorker>
SearchResults collect(std::size_t n_rows, std::size_t max_chunk, int n_threads, Interrupt& interrupt,
                      MakeWorker make_worker) {
  const std::size_t fair = (n_rows + static_cast<std::size_t>(std::max(n_threads, 1)) - 1) /
                           static_cast<std::size_t>(std::max(n_threads, 1));
  const std::size_t chunk = std::clamp<std::size_t>(fair, 1, max_chunk);
  std::vector<Collected> chunks((n_rows + chunk - 1) / chunk);
  std::vector<std::optional<decltype(make_worker())>> workers(n_workers(chunks.size(), n_threads));
  parallel_for(chunks.size(), n_threads, interrupt, [&](std::size_t i, std::size_t w) {
    if (!workers[w]) workers[w].emplace(make_worker());
    (*workers[w])(i* chunk, std::min(n_rows, (i + 1) * chunk), chunks[i]);
  });
  return put_together(chunks);
}

}  // namespace labeltree
