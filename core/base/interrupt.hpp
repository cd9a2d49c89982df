// How a caller stops a long kernel.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace labeltree {

// Thrown by a kernel that was stopped; its half-made results are gone.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Kernels call check() from any thread and as often as they like. Only the thread that made the object asks
// the caller, and only every 50 ms; the others see what it found.
class Interrupt {
 public:
  explicit Interrupt(std::function<bool()> asked = {}) : is_requested_(std::move(asked)) {}

  void check() {
    if (!stopped_.load(std::memory_order_relaxed) && std::this_thread::get_id() == caller_ && is_requested_) {
      const auto now = std::chrono::steady_clock::now();
      if (now < next_) return;
      next_ = now + std::chrono::milliseconds(50);
      if (is_requested_()) stopped_ = true;
    }
    if (stopped_.load(std::memory_order_relaxed)) throw Interrupted();
  }

 private:
  std::function<bool()> is_requested_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_{};
  std::atomic<bool> stopped_ = false;
};

}  // namespace labeltree
