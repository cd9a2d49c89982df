#include "arrays.hpp"
#include "build/binarize.hpp"
#include "build/binary_merge.hpp"
#include "build/blend.hpp"
#include "build/cluster.hpp"
#include "build/collapse.hpp"
#include "build/huffman.hpp"
#include "build/label_vectors.hpp"
#include "build/merge.hpp"
#include "build/multiclass.hpp"
#include "build/nested.hpp"
#include "build/subsets.hpp"
#include "build/sweep.hpp"
#include "parts.hpp"

namespace labeltree::bind {
namespace {

// Builders from counts return parents; leaves come first, in the order of the weights given.
void bind_counts(nb::module_& m) {
  m.def(
      "huffman",
      [](I64 weights, std::size_t arity) {
        return give(unlocked([&] { return huffman(view(weights), arity); }));
      },
      array("weights"), "arity"_a);
  m.def(
      "nested", [](I64 weights) { return give(unlocked([&] { return nested(view(weights)); })); },
      array("weights"));
  m.def(
      "hybrid_cost",
      [](I64 weights, std::size_t n_binary, std::size_t n_clusters, int64_t below) {
        return interruptible([&](Interrupt& interrupt) {
          return hybrid_cost(view(weights), {n_binary, n_clusters}, below, interrupt);
        });
      },
      array("weights"), "n_binary"_a, "n_clusters"_a, "below"_a);
  m.def(
      "hybrid_tree",
      [](I64 weights, std::size_t n_binary, std::size_t n_clusters, int64_t below) {
        return give(interruptible([&](Interrupt& interrupt) {
          return hybrid_tree(view(weights), {n_binary, n_clusters}, below, interrupt);
        }));
      },
      array("weights"), "n_binary"_a, "n_clusters"_a, "below"_a);
}

// Builders from label sets return parents, too; leaves come first, in the order of the labels.
void bind_label_sets(nb::module_& m) {
  m.attr("max_subset_labels") = max_subset_labels;
  m.def(
      "cheapest_of_all",
      [](I64 indptr, I32 indices, std::size_t n_labels) {
        return give(interruptible([&](Interrupt& interrupt) {
          return cheapest_of_all(rows_view(indptr, indices), n_labels, interrupt);
        }));
      },
      array("indptr"), array("indices"), "n_labels"_a);
  nb::enum_<Choice>(m, "Choice")
      .value("smallest_input", Choice::smallest_input)
      .value("smallest_output", Choice::smallest_output)
      .value("largest_match", Choice::largest_match);
  m.def(
      "binary_merge",
      [](I64 indptr, I32 indices, std::size_t n_labels, Choice choice) {
        return give(unlocked([&] { return binary_merge(rows_view(indptr, indices), n_labels, choice); }));
      },
      array("indptr"), array("indices"), "n_labels"_a, "choice"_a);
  m.def(
      "merge",
      [](I64 indptr, I32 indices, int32_t n_labels, double per_row, double per_pair) {
        return give(interruptible([&](Interrupt& interrupt) {
          return merge(rows_view(indptr, indices), n_labels, {per_row, per_pair}, interrupt);
        }));
      },
      array("indptr"), array("indices"), "n_labels"_a, "per_row"_a, "per_pair"_a);
}

void bind_refinements(nb::module_& m) {
  m.def(
      "binarize",
      [](const Tree& tree, I64 weights) {
        return give(unlocked([&] { return binarize(tree, view(weights)); }));
      },
      "tree"_a, array("weights"));
  m.def(
      "collapse",
      [](const Tree& tree, I64 weights, double per_row, double per_pair) {
        return give(unlocked([&] { return collapse(tree, view(weights), {per_row, per_pair}); }));
      },
      "tree"_a, array("weights"), "per_row"_a, "per_pair"_a);
  m.def(
      "sweep",
      [](const Tree& tree, I64 indptr, I32 indices, double per_row, double per_pair, double max_share) {
        return give(interruptible([&](Interrupt& interrupt) {
          return sweep(tree, rows_view(indptr, indices), {per_row, per_pair}, max_share, interrupt);
        }));
      },
      "tree"_a, array("indptr"), array("indices"), "per_row"_a, "per_pair"_a, "max_share"_a);
}

void bind_vectors(nb::module_& m) {
  m.def(
      "label_vectors",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, int n_threads) {
        auto vectors = interruptible([&](Interrupt& interrupt) {
          return label_vectors(feature_view(x_indptr, x_indices, x_values), n_features,
                               rows_view(y_indptr, y_indices), n_labels, ALL_ENTRIES, n_threads, interrupt);
        });
        auto split = columns(vectors);
        return std::tuple(give(std::move(vectors.begin)), give(std::move(split.features)),
                          give(std::move(split.values)));
      },
      array("x_indptr"), array("x_indices"), array("x_values"), "n_features"_a, array("y_indptr"),
      array("y_indices"), "n_labels"_a, "n_threads"_a);
}

void bind_kmeans(nb::module_& m) {
  m.def(
      "kmeans",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, int32_t arity, int32_t max_leaf_size, bool balanced, int32_t max_depth,
         uint64_t seed, int n_threads) {
        const ClusterSettings settings{.arity = arity,
                                       .max_leaf_size = max_leaf_size,
                                       .balanced = balanced,
                                       .max_depth = max_depth,
                                       .seed = seed,
                                       .n_threads = n_threads};
        return give(interruptible([&](Interrupt& interrupt) {
          return cluster(
              label_vectors(feature_view(x_indptr, x_indices, x_values), n_features,
                            rows_view(y_indptr, y_indices), n_labels, MAX_ENTRIES, n_threads, interrupt),
              settings, interrupt);
        }));
      },
      array("x_indptr"), array("x_indices"), array("x_values"), "n_features"_a, array("y_indptr"),
      array("y_indices"), "n_labels"_a, nb::kw_only(), "arity"_a, "max_leaf_size"_a, "balanced"_a,
      "max_depth"_a, "seed"_a, "n_threads"_a);
}

void bind_blend(nb::module_& m) {
  m.def(
      "blend",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, double per_row, double per_pair, double similarity, uint64_t seed, int n_threads) {
        return give(interruptible([&](Interrupt& interrupt) {
          return blend(feature_view(x_indptr, x_indices, x_values), n_features,
                       rows_view(y_indptr, y_indices), n_labels, {per_row, per_pair},
                       {.similarity = similarity, .seed = seed, .n_threads = n_threads}, interrupt);
        }));
      },
      array("x_indptr"), array("x_indices"), array("x_values"), "n_features"_a, array("y_indptr"),
      array("y_indices"), "n_labels"_a, nb::kw_only(), "per_row"_a, "per_pair"_a, "similarity"_a, "seed"_a,
      "n_threads"_a);
}

}  // namespace

void bind_build(nb::module_& m) {
  bind_counts(m);
  bind_label_sets(m);
  bind_refinements(m);
  bind_vectors(m);
  bind_kmeans(m);
  bind_blend(m);
}

}  // namespace labeltree::bind
