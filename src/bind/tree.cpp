#include "tree/tree.hpp"

#include "arrays.hpp"
#include "parts.hpp"
#include "tree/cost.hpp"

namespace labeltree::bind {
namespace {

void bind_class(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "A checked tree; see core/tree/tree.hpp.")
      .def(
          "__init__",
          [](Tree* self, I32 parent, I32 label) {
            nb::gil_scoped_release release;
            new (self) Tree(view(parent), view(label));
          },
          array("parent"), array("label"))
      .def_static(
          "of_file",
          [](I32 parent, I32 label) {
            return unlocked([&] { return Tree::of_file(view(parent), view(label)); });
          },
          array("parent"), array("label"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
      .def_prop_ro("parent",
                   [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).parents(), self); })
      .def_prop_ro("label",
                   [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).labels(), self); })
      .def_prop_ro("leaf", [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).leaves(), self); })
      .def_prop_ro("first_child", [](nb::handle_t<Tree> self) {
        return lend(nb::cast<Tree&>(self).first_children(), self);
      });
}

void bind_weights(nb::module_& m) {
  m.def(
      "node_weights",
      [](const Tree& tree, I64 indptr, I32 indices) {
        return give(unlocked([&] { return node_weights(tree, rows_view(indptr, indices)); }));
      },
      "tree"_a, array("indptr"), array("indices"));
  m.def(
      "node_weights",
      [](const Tree& tree, I64 indptr, I32 indices, F32 row_weight) {
        return give(
            unlocked([&] { return node_weights(tree, rows_view(indptr, indices), view(row_weight)); }));
      },
      "tree"_a, array("indptr"), array("indices"), array("row_weight"));
}

void bind_costs(nb::module_& m) {
  m.def(
      "assign",
      [](const Tree& tree, I32 labels) {
        auto nodes = assign(tree, view(labels));
        return std::pair(give(std::move(nodes.positive)), give(std::move(nodes.negative)));
      },
      "tree"_a, array("labels"));
  m.def(
      "row_costs",
      [](const Tree& tree, I64 indptr, I32 indices) {
        return give(unlocked([&] { return row_costs(tree, rows_view(indptr, indices)); }));
      },
      "tree"_a, array("indptr"), array("indices"));
  m.def("leaf_costs", [](const Tree& tree) { return give(leaf_costs(tree)); }, "tree"_a);
  m.def("node_depths", [](const Tree& tree) { return give(node_depths(tree)); }, "tree"_a);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_class(m);
  bind_weights(m);
  bind_costs(m);
}

}  // namespace labeltree::bind
