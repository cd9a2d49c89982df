// The parts of the module, in the order of the core's folders.
#pragma once

#include <nanobind/nanobind.h>

namespace labeltree::bind {

void bind_data(nanobind::module_& m);    // checksums, order, text, scaling and affinity
void bind_words(nanobind::module_& m);   // texts as features
void bind_tree(nanobind::module_& m);    // a tree and what it costs
void bind_build(nanobind::module_& m);   // tree builders
void bind_train(nanobind::module_& m);   // from rows to weights
void bind_model(nanobind::module_& m);   // weights laid out for queries
void bind_search(nanobind::module_& m);  // from rows to labels
void bind_online(nanobind::module_& m);  // learning row by row

}  // namespace labeltree::bind
