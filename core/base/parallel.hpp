// Threads, started and joined within one call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <system_error>
#include <vector>

#include "base/interrupt.hpp"

namespace labeltree {

// How many workers parallel_for starts for n items, at most.
inline std::size_t n_workers(std::size_t n, int n_threads) {
  return std::min(n, static_cast<std::size_t>(std::max(n_threads, 1)));
}

// Calls body(i, worker) for i = 0 .. n - 1, in that order but on several threads, numbered by worker. The
// calling thread only waits and watches for an interrupt, because nobody else may ask for it. Where the
// system grants fewer threads, these do the work, or the calling thread if there is none. The first exception
// ends the loop and is thrown again here.
template <class Body>
void parallel_for(std::size_t n, int n_threads, Interrupt& interrupt, Body body) {
  const auto work_alone = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      interrupt.check();
      body(i, std::size_t{0});
    }
  };
  const std::size_t n_wanted = n_workers(n, n_threads);
  if (n_wanted <= 1) return work_alone();
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < n; i = next++) body(i, worker);
    } catch (...) {
      next = n;
      throw;
    }
  };
  std::vector<std::future<void>> workers;  // each joins its thread when it goes
  workers.reserve(n_wanted);
  try {
    while (workers.size() < n_wanted) workers.push_back(std::async(std::launch::async, work, workers.size()));
  } catch (const std::system_error&) {
    if (workers.empty()) return work_alone();
  }
  std::exception_ptr failure;
  for (std::future<void>& worker : workers) {
    try {
      while (worker.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) interrupt.check();
      worker.get();
    } catch (...) {
      next = n;
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace labeltree
