// The module as a table of contents; each part is a file of this folder.
#include "arrays.hpp"
#include "base/cpu.hpp"
#include "parts.hpp"

NB_MODULE(_core, m) {
  // A tree that a traceback or a global still holds when the interpreter ends is no leak.
  nanobind::set_leak_warnings(false);
  m.doc() = "Kernels of labeltree. Arrays in, arrays out.";
  // A variable that names no level fails the import, and no later call.
  labeltree::cpu_level();
  m.def("cpu_level", [] { return labeltree::name(labeltree::cpu_level()); });
  labeltree::bind::bind_data(m);
  labeltree::bind::bind_words(m);
  labeltree::bind::bind_tree(m);
  labeltree::bind::bind_build(m);
  labeltree::bind::bind_train(m);
  labeltree::bind::bind_model(m);
  labeltree::bind::bind_search(m);
  labeltree::bind::bind_online(m);
}
