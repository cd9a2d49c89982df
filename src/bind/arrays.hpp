// Between numpy and the core: arrays as views, vectors as arrays, kernels without the interpreter lock. No
// arithmetic. Every file here includes this one first, so that all see the same type casters.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/grown.hpp"
#include "base/interrupt.hpp"
#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using I32 = Vector<int32_t>;
using I64 = Vector<int64_t>;
using F32 = Vector<float>;
using F64 = Vector<double>;
using U8 = Vector<uint8_t>;
using U32 = Vector<uint32_t>;

// An argument that must have its type as it is: a copy would hide what it costs.
inline auto array(const char* name) {
  return nb::arg(name).noconvert();
}

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.size()};
}

inline LabelRows rows_view(const I64& indptr, const I32& indices) {
  return {view(indptr), view(indices)};
}

inline FeatureRows feature_view(const I64& indptr, const I32& indices, const F32& values) {
  return {view(indptr), view(indices), view(values)};
}

inline std::size_t count(int64_t n, const char* name) {
  if (n < 0) throw std::invalid_argument(std::string(name) + " must not be negative");
  return static_cast<std::size_t>(n);
}

template <class T>
Array<T> give(std::vector<T>&& values) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owner->data();
  const std::size_t size = owner->size();
  nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(data, {size}, capsule);
}

template <class T>
Array<T> give(Grown<T>&& values) {
  const std::size_t size = values.size();
  T* data = values.release().release();
  nb::capsule capsule(data == nullptr ? std::malloc(1) : data, [](void* p) noexcept { std::free(p); });
  return Array<T>(data, {size}, capsule);
}

inline std::pair<Array<int32_t>, Array<int32_t>> give(NodeLists&& nodes) {
  return {give(std::move(nodes.parent)), give(std::move(nodes.label))};
}

// A read-only array over memory that belongs to `owner`.
inline Array<const int32_t> lend(std::span<const int32_t> values, nb::handle owner) {
  return Array<const int32_t>(values.data(), {values.size()}, owner);
}

// Runs a kernel without the interpreter lock.
template <class Kernel>
auto unlocked(Kernel kernel) {
  nb::gil_scoped_release release;
  return kernel();
}

// The same for a kernel that takes seconds: Ctrl-C ends it.
template <class Kernel>
auto interruptible(Kernel kernel) {
  Interrupt interrupt([] {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  });
  try {
    nb::gil_scoped_release release;
    return kernel(interrupt);
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

}  // namespace labeltree::bind
