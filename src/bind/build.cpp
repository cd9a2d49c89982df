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

using GivenVectors = std::tuple<Array<int64_t>, Array<int32_t>, Array<float>>;

GivenVectors give_vectors(LabelVectors&& vectors) {
  auto split = columns(vectors);
  return {give(std::move(vectors.begin)), give(std::move(split.features)), give(std::move(split.values))};
}

LabelVectors vectors_of(const I64& begin, const I32& features, const F32& values, int32_t n_features) {
  check(feature_view(begin, features, values), count(n_features, "n_features"));
  LabelVectors vectors{n_features, {begin.data(), begin.data() + begin.size()}, {}};
  vectors.entries.reserve(features.size());
  for (std::size_t e = 0; e < features.size(); ++e)
    vectors.entries.push_back({features.data()[e], values.data()[e]});
  return vectors;
}

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

// Sums with the arrays that they look at.
struct BoundLabelSums {
  std::tuple<I64, I32, F32, I64, I32> keep;
  LabelSums sums;
};

void bind_vectors(nb::module_& m) {
  nb::class_<BoundLabelSums>(m, "LabelSums", "Sums of the rows of labels; see core/build/label_vectors.hpp.")
      .def(
          "__init__",
          [](BoundLabelSums* self, I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features,
             I64 y_indptr, I32 y_indices, int32_t n_labels, std::size_t page_bytes) {
            new (self) BoundLabelSums{{x_indptr, x_indices, x_values, y_indptr, y_indices},
                                      {feature_view(x_indptr, x_indices, x_values), n_features,
                                       rows_view(y_indptr, y_indices), n_labels, page_bytes}};
          },
          array("x_indptr"), array("x_indices"), array("x_values"), "n_features"_a, array("y_indptr"),
          array("y_indices"), "n_labels"_a, nb::kw_only(), "page_bytes"_a = 0)
      .def(
          "vectors",
          [](const BoundLabelSums& self, int32_t first, int32_t last, bool is_short, int n_threads) {
            return give_vectors(interruptible([&](Interrupt& interrupt) {
              const std::size_t max_entries = is_short ? MAX_ENTRIES : ALL_ENTRIES;
              return self.sums.vectors(first, last, max_entries, n_threads, interrupt);
            }));
          },
          "first"_a, "last"_a, nb::kw_only(), "is_short"_a, "n_threads"_a);
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
          return cluster(short_label_vectors(feature_view(x_indptr, x_indices, x_values), n_features,
                                             rows_view(y_indptr, y_indices), n_labels, n_threads, interrupt),
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
         int32_t n_labels, double per_row, double per_pair, double similarity, uint64_t seed, int n_threads,
         int64_t max_top_rows) {
        return give(interruptible([&](Interrupt& interrupt) {
          return blend(
              feature_view(x_indptr, x_indices, x_values), n_features, rows_view(y_indptr, y_indices),
              n_labels, {per_row, per_pair},
              {.similarity = similarity, .seed = seed, .n_threads = n_threads, .max_top_rows = max_top_rows},
              interrupt);
        }));
      },
      array("x_indptr"), array("x_indices"), array("x_values"), "n_features"_a, array("y_indptr"),
      array("y_indices"), "n_labels"_a, nb::kw_only(), "per_row"_a, "per_pair"_a, "similarity"_a, "seed"_a,
      "n_threads"_a, "max_top_rows"_a);
}

// A part of a blend as arrays: vectors, features, rows, min_weight, seed and step.
auto give_part(BlendPart&& part) {
  const int32_t n_features = part.vectors.n_features;
  return std::tuple_cat(give_vectors(std::move(part.vectors)),
                        std::tuple(n_features, give(std::move(part.features)), give(std::move(part.indptr)),
                                   give(std::move(part.indices)), part.min_weight, part.seed, part.step));
}

void bind_join_part(nb::module_& m) {
  m.def(
      "join_part",
      [](I64 begin, I32 features, F32 values, int32_t n_features, I32 numbers, I64 indptr, I32 indices,
         int64_t min_weight, uint64_t seed, int64_t step, double per_row, double per_pair, double n_rows,
         double similarity, int n_threads) {
        const auto rows = rows_view(indptr, indices);
        BlendPart part{vectors_of(begin, features, values, n_features),
                       {numbers.data(), numbers.data() + numbers.size()},
                       {rows.indptr.begin(), rows.indptr.end()},
                       {rows.indices.begin(), rows.indices.end()},
                       min_weight,
                       seed,
                       step};
        check(rows, part.vectors.size());
        if (numbers.size() != count(n_features, "n_features"))
          throw std::invalid_argument("a part must have one number for each of its features");
        JoinedPart joined = interruptible([&](Interrupt& interrupt) {
          return join_part(part, {per_row, per_pair}, n_rows, similarity, n_threads, interrupt);
        });
        return std::tuple_cat(std::tuple(give(std::move(joined.parent))),
                              give_vectors(std::move(joined.vectors)));
      },
      array("begin"), array("features"), array("values"), "n_features"_a, array("numbers"), array("indptr"),
      array("indices"), "min_weight"_a, "seed"_a, "step"_a, nb::kw_only(), "per_row"_a, "per_pair"_a,
      "n_rows"_a, "similarity"_a, "n_threads"_a);
}

void join(Blending& blending, const std::vector<std::tuple<I32, I64, I32, F32>>& given) {
  std::vector<JoinedPart> joined;
  for (const auto& [parent, begin, features, values] : given)
    joined.push_back({{parent.data(), parent.data() + parent.size()},
                      vectors_of(begin, features, values, blending.n_features())});
  unlocked([&] { return blending.join(joined), true; });
}

void bind_blending(nb::module_& m) {
  nb::class_<Blending>(m, "Blending", "The steps of a blend; see core/build/blend.hpp.")
      .def(
          "__init__",
          [](Blending* self, I64 begin, I32 features, F32 values, int32_t n_features, I64 y_indptr,
             I32 y_indices, double similarity, uint64_t seed, int n_threads, int64_t max_top_rows) {
            const auto rows = rows_view(y_indptr, y_indices);
            LabelVectors vectors = vectors_of(begin, features, values, n_features);
            check(rows, vectors.size());
            const BlendSettings settings{
                .similarity = similarity, .seed = seed, .n_threads = n_threads, .max_top_rows = max_top_rows};
            new (self) Blending(std::move(vectors), rows, settings);
          },
          array("begin"), array("features"), array("values"), "n_features"_a, array("y_indptr"),
          array("y_indices"), nb::kw_only(), "similarity"_a, "seed"_a, "n_threads"_a, "max_top_rows"_a)
      .def_prop_ro("is_done", &Blending::is_done)
      .def("split",
           [](Blending& self) {
             return interruptible([&](Interrupt& interrupt) { return self.split(interrupt); });
           })
      .def("order", [](const Blending& self) { return give(self.order()); })
      .def(
          "part",
          [](const Blending& self, std::size_t number) {
            Selector selector(self.n_features());
            return give_part(unlocked([&] { return self.part(number, selector); }));
          },
          "number"_a)
      .def("join", &join, "joined"_a)
      .def("finish", [](Blending& self) { return give(self.finish()); });
}

}  // namespace

void bind_build(nb::module_& m) {
  bind_counts(m);
  bind_label_sets(m);
  bind_refinements(m);
  bind_vectors(m);
  bind_kmeans(m);
  bind_blend(m);
  bind_join_part(m);
  bind_blending(m);
}

}  // namespace labeltree::bind
