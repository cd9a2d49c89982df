// The only file that knows nanobind. It turns arrays into views and vectors into arrays; no arithmetic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/interrupt.hpp"
#include "base/order.hpp"
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
#include "data/label_affinity.hpp"
#include "data/parse.hpp"
#include "data/row_scaling.hpp"
#include "data/sparse.hpp"
#include "model/layout.hpp"
#include "online/online_model.hpp"
#include "search/one_row.hpp"
#include "search/path_scores.hpp"
#include "search/search.hpp"
#include "train/trainer.hpp"
#include "tree/active_features.hpp"
#include "tree/cost.hpp"
#include "tree/tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using labeltree::RowParser;
using labeltree::Tree;

namespace {

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

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.size()};
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
Array<T> give(labeltree::Grown<T>&& values) {
  const std::size_t size = values.size();
  T* data = values.release().release();
  nb::capsule capsule(data == nullptr ? std::malloc(1) : data, [](void* p) noexcept { std::free(p); });
  return Array<T>(data, {size}, capsule);
}

// A read-only array over memory that belongs to `owner`.
Array<const int32_t> lend(std::span<const int32_t> values, nb::handle owner) {
  return Array<const int32_t>(values.data(), {values.size()}, owner);
}

labeltree::LabelRows rows_view(const I64& indptr, const I32& indices) {
  return {view(indptr), view(indices)};
}

std::pair<Array<int32_t>, Array<int32_t>> give(labeltree::NodeLists&& nodes) {
  return {give(std::move(nodes.parent)), give(std::move(nodes.label))};
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
  labeltree::Interrupt interrupt([] {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  });
  try {
    nb::gil_scoped_release release;
    return kernel(interrupt);
  } catch (const labeltree::Interrupted&) {
    throw nb::python_error();
  }
}

labeltree::FeatureRows feature_view(const I64& indptr, const I32& indices, const F32& values) {
  return {view(indptr), view(indices), view(values)};
}

// A scaling with the array that it looks at.
struct BoundScaling {
  F32 weights;
  labeltree::RowScaling scaling;
};

// A trainer with the arrays that it looks at.
struct BoundTrainer {
  std::tuple<nb::object, I64, I32, I64, I32, F32, F32, F32, F32, I64, I32, F32, F32> keep;
  labeltree::Trainer trainer;
};

// A model with the arrays that it looks at, which may be parts of a mapped file.
struct BoundModel {
  std::tuple<nb::object, F32, F32, U8, I64, I64, U32, U8> keep;
  labeltree::TreeModel model;
};

struct BoundBuilder {
  nb::object tree;
  labeltree::LayoutBuilder builder;
};

using Models = std::vector<const BoundModel*>;
using Limits = std::vector<const labeltree::LabelLimits*>;

// optimizer, learning_rate, smoothing, l1, l2, bias, min_gradient, insert, max_degree
using Settings = std::tuple<std::string, float, float, float, float, float, float, std::string, std::size_t>;

std::pair<labeltree::OnlineOptions, labeltree::GrowthOptions> online_options(const Settings& settings) {
  const auto& [optimizer, rate, smoothing, l1, l2, bias, min_gradient, insert, max_degree] = settings;
  using labeltree::Insert, labeltree::Optimizer;
  return {{optimizer == "ftrl" ? Optimizer::ftrl : Optimizer::adagrad, rate, smoothing, l1, l2, bias,
           min_gradient},
          {insert == "score" ? Insert::score : (insert == "cost" ? Insert::cost : Insert::both), max_degree}};
}

auto give(labeltree::Layout&& layout) {
  return std::tuple(give(std::move(layout.bias)), give(std::move(layout.scale)),
                    give(std::move(layout.shift)), give(std::move(layout.bucket_begin)),
                    give(std::move(layout.byte_begin)), give(std::move(layout.buckets)),
                    give(std::move(layout.bytes)));
}

auto give(labeltree::NodeWeights&& weights) {
  return std::tuple(give(std::move(weights.nodes)), give(std::move(weights.indptr)),
                    give(std::move(weights.features)), give(std::move(weights.values)),
                    give(std::move(weights.bias)), weights.n_visits);
}

std::vector<const labeltree::TreeModel*> trees_of(const Models& models) {
  std::vector<const labeltree::TreeModel*> trees;
  for (const BoundModel* model : models) trees.push_back(&model->model);
  return trees;
}

labeltree::Answers answer(const Models& models, const Limits& limits, const labeltree::FeatureRows& rows,
                          const labeltree::Query& query, labeltree::Interrupt& interrupt) {
  const auto trees = trees_of(models);
  if (trees.size() == 1)
    return labeltree::search(*trees.front(), limits.empty() ? nullptr : limits.front(), rows, query,
                             interrupt);
  return labeltree::search_forest(trees, limits, rows, query, interrupt);
}

}  // namespace

NB_MODULE(_core, m) {
  // A tree that a traceback or a global still holds when the interpreter ends is no leak.
  nb::set_leak_warnings(false);
  m.doc() = "Kernels of labeltree. Arrays in, arrays out.";

  nb::class_<Tree>(m, "Tree", "A checked tree; see core/tree.hpp.")
      .def(
          "__init__",
          [](Tree* self, I32 parent, I32 label) {
            nb::gil_scoped_release release;
            new (self) Tree(view(parent), view(label));
          },
          "parent"_a.noconvert(), "label"_a.noconvert())
      .def_prop_ro("parent",
                   [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).parents(), self); })
      .def_prop_ro("label",
                   [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).labels(), self); })
      .def_prop_ro("leaf", [](nb::handle_t<Tree> self) { return lend(nb::cast<Tree&>(self).leaves(), self); })
      .def_prop_ro("first_child", [](nb::handle_t<Tree> self) {
        return lend(nb::cast<Tree&>(self).first_children(), self);
      });

  m.def(
      "assign",
      [](const Tree& tree, I32 labels) {
        auto nodes = labeltree::assign(tree, view(labels));
        return std::pair(give(std::move(nodes.positive)), give(std::move(nodes.negative)));
      },
      "tree"_a, "labels"_a.noconvert());
  m.def(
      "node_weights",
      [](const Tree& tree, I64 indptr, I32 indices) {
        return give(unlocked([&] { return labeltree::node_weights(tree, rows_view(indptr, indices)); }));
      },
      "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert());
  m.def(
      "node_weights",
      [](const Tree& tree, I64 indptr, I32 indices, F32 row_weight) {
        return give(unlocked(
            [&] { return labeltree::node_weights(tree, rows_view(indptr, indices), view(row_weight)); }));
      },
      "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "row_weight"_a.noconvert());
  m.def(
      "row_costs",
      [](const Tree& tree, I64 indptr, I32 indices) {
        return give(unlocked([&] { return labeltree::row_costs(tree, rows_view(indptr, indices)); }));
      },
      "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert());
  m.def(
      "active_features",
      [](const Tree& tree, I64 indptr, I32 indices, I64 feature_indptr, I32 features, int64_t n_features) {
        if (n_features < 0) throw std::invalid_argument("n_features must not be negative");
        const labeltree::FeaturePattern X{view(feature_indptr), view(features),
                                          static_cast<std::size_t>(n_features)};
        return give(
            unlocked([&] { return labeltree::active_features(tree, rows_view(indptr, indices), X); }));
      },
      "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "feature_indptr"_a.noconvert(),
      "features"_a.noconvert(), "n_features"_a);
  m.def("leaf_costs", [](const Tree& tree) { return give(labeltree::leaf_costs(tree)); }, "tree"_a);
  m.def("node_depths", [](const Tree& tree) { return give(labeltree::node_depths(tree)); }, "tree"_a);

  m.def(
      "merge",
      [](I64 indptr, I32 indices, int32_t n_labels, double per_row, double per_pair) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::merge(rows_view(indptr, indices), n_labels, {per_row, per_pair}, interrupt);
        }));
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "n_labels"_a, "per_row"_a, "per_pair"_a);
  m.def(
      "collapse",
      [](const Tree& tree, I64 weights, double per_row, double per_pair) {
        return give(unlocked([&] { return labeltree::collapse(tree, view(weights), {per_row, per_pair}); }));
      },
      "tree"_a, "weights"_a.noconvert(), "per_row"_a, "per_pair"_a);
  m.def(
      "sweep",
      [](const Tree& tree, I64 indptr, I32 indices, double per_row, double per_pair, double max_share) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::sweep(tree, rows_view(indptr, indices), {per_row, per_pair}, max_share,
                                  interrupt);
        }));
      },
      "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "per_row"_a, "per_pair"_a, "max_share"_a);

  nb::class_<RowParser>(m, "RowParser", "Reads XMC text in pieces; see core/parse.hpp.")
      .def(nb::init<bool, int64_t, int64_t>(), "header"_a, "n_features"_a, "n_labels"_a)
      .def(
          "feed",
          [](RowParser& self, nb::bytes piece) {
            unlocked([&] { self.feed({piece.c_str(), piece.size()}); });
          },
          "piece"_a)
      .def("finish", [](RowParser& self) {
        auto rows = unlocked([&] { return self.finish(); });
        return std::tuple(give(std::move(rows.feature_indptr)), give(std::move(rows.feature_indices)),
                          give(std::move(rows.values)), give(std::move(rows.label_indptr)),
                          give(std::move(rows.label_indices)), rows.n_features, rows.n_labels);
      });
  m.def(
      "format_rows",
      [](I64 label_indptr, I32 label_indices, I64 indptr, I32 indices, F32 values) {
        const auto text = unlocked([&] {
          return labeltree::format_rows(rows_view(label_indptr, label_indices), rows_view(indptr, indices),
                                        view(values));
        });
        return nb::bytes(text.data(), text.size());
      },
      "label_indptr"_a.noconvert(), "label_indices"_a.noconvert(), "indptr"_a.noconvert(),
      "indices"_a.noconvert(), "values"_a.noconvert());

  // Tree builders return parents; leaves come first, in the order of the weights or labels given.
  m.attr("max_subset_labels") = labeltree::max_subset_labels;
  m.def(
      "ascending",
      [](I64 counts) { return give(unlocked([&] { return labeltree::ascending(view(counts)); })); },
      "counts"_a.noconvert());
  m.def(
      "huffman",
      [](I64 weights, std::size_t arity) {
        return give(unlocked([&] { return labeltree::huffman(view(weights), arity); }));
      },
      "weights"_a.noconvert(), "arity"_a);
  m.def(
      "nested", [](I64 weights) { return give(unlocked([&] { return labeltree::nested(view(weights)); })); },
      "weights"_a.noconvert());
  m.def(
      "hybrid_cost",
      [](I64 weights, std::size_t n_binary, std::size_t n_clusters, int64_t below) {
        return interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::hybrid_cost(view(weights), {n_binary, n_clusters}, below, interrupt);
        });
      },
      "weights"_a.noconvert(), "n_binary"_a, "n_clusters"_a, "below"_a);
  m.def(
      "hybrid_tree",
      [](I64 weights, std::size_t n_binary, std::size_t n_clusters, int64_t below) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::hybrid_tree(view(weights), {n_binary, n_clusters}, below, interrupt);
        }));
      },
      "weights"_a.noconvert(), "n_binary"_a, "n_clusters"_a, "below"_a);
  m.def(
      "cheapest_of_all",
      [](I64 indptr, I32 indices, std::size_t n_labels) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::cheapest_of_all(rows_view(indptr, indices), n_labels, interrupt);
        }));
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "n_labels"_a);
  nb::enum_<labeltree::Choice>(m, "Choice")
      .value("smallest_input", labeltree::Choice::smallest_input)
      .value("smallest_output", labeltree::Choice::smallest_output)
      .value("largest_match", labeltree::Choice::largest_match);
  m.def(
      "binary_merge",
      [](I64 indptr, I32 indices, std::size_t n_labels, labeltree::Choice choice) {
        return give(
            unlocked([&] { return labeltree::binary_merge(rows_view(indptr, indices), n_labels, choice); }));
      },
      "indptr"_a.noconvert(), "indices"_a.noconvert(), "n_labels"_a, "choice"_a);
  m.def(
      "binarize",
      [](const Tree& tree, I64 weights) {
        return give(unlocked([&] { return labeltree::binarize(tree, view(weights)); }));
      },
      "tree"_a, "weights"_a.noconvert());

  nb::class_<BoundScaling>(m, "RowScaling", "What becomes of a row first; see core/row_scaling.hpp.")
      .def(
          "__init__",
          [](BoundScaling* self, bool unit, float power, F32 weights) {
            new (self) BoundScaling{weights, {unit, power, view(weights)}};
          },
          "unit"_a, "power"_a, "weights"_a.noconvert())
      .def(
          "scale",
          [](const BoundScaling& self, I64 indptr, I32 indices, F32 values, std::size_t n_features,
             nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu> scaled, int n_threads) {
            interruptible([&](labeltree::Interrupt& interrupt) {
              labeltree::scale_rows(self.scaling, feature_view(indptr, indices, values), n_features,
                                    {scaled.data(), scaled.size()}, n_threads, interrupt);
            });
          },
          "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(), "n_features"_a,
          "scaled"_a.noconvert(), "n_threads"_a);
  m.attr("ONE_SHARED") = labeltree::ONE_SHARED;
  m.def(
      "label_sharing",
      [](I64 x_indptr, I32 x_indices, int32_t n_features, I64 y_indptr, I32 y_indices, int32_t n_labels,
         int n_threads) {
        auto sharing = interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::label_sharing(rows_view(x_indptr, x_indices), n_features,
                                          rows_view(y_indptr, y_indices), n_labels, n_threads, interrupt);
        });
        return std::pair(give(std::move(sharing.rows)), give(std::move(sharing.shared)));
      },
      "x_indptr"_a.noconvert(), "x_indices"_a.noconvert(), "n_features"_a, "y_indptr"_a.noconvert(),
      "y_indices"_a.noconvert(), "n_labels"_a, "n_threads"_a);
  m.def(
      "label_vectors",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, int n_threads) {
        auto vectors = interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::label_vectors({view(x_indptr), view(x_indices), view(x_values)}, n_features,
                                          rows_view(y_indptr, y_indices), n_labels, n_threads, interrupt);
        });
        auto columns = labeltree::columns(vectors);
        return std::tuple(give(std::move(vectors.begin)), give(std::move(columns.features)),
                          give(std::move(columns.values)));
      },
      "x_indptr"_a.noconvert(), "x_indices"_a.noconvert(), "x_values"_a.noconvert(), "n_features"_a,
      "y_indptr"_a.noconvert(), "y_indices"_a.noconvert(), "n_labels"_a, "n_threads"_a);
  m.def(
      "kmeans",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, int32_t arity, int32_t max_leaf, bool balanced, int32_t max_depth, uint64_t seed,
         int n_threads) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::cluster(
              labeltree::label_vectors({view(x_indptr), view(x_indices), view(x_values)}, n_features,
                                       rows_view(y_indptr, y_indices), n_labels, n_threads, interrupt,
                                       labeltree::MAX_ENTRIES),
              {.arity = arity,
               .max_leaf = max_leaf,
               .balanced = balanced,
               .max_depth = max_depth,
               .seed = seed,
               .n_threads = n_threads},
              interrupt);
        }));
      },
      "x_indptr"_a.noconvert(), "x_indices"_a.noconvert(), "x_values"_a.noconvert(), "n_features"_a,
      "y_indptr"_a.noconvert(), "y_indices"_a.noconvert(), "n_labels"_a, "arity"_a, "max_leaf"_a,
      "balanced"_a, "max_depth"_a, "seed"_a, "n_threads"_a);
  m.def(
      "blend",
      [](I64 x_indptr, I32 x_indices, F32 x_values, int32_t n_features, I64 y_indptr, I32 y_indices,
         int32_t n_labels, double per_row, double per_pair, double likeness, uint64_t seed, int n_threads) {
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::blend({view(x_indptr), view(x_indices), view(x_values)}, n_features,
                                  rows_view(y_indptr, y_indices), n_labels, {per_row, per_pair},
                                  {likeness, seed, n_threads}, interrupt);
        }));
      },
      "x_indptr"_a.noconvert(), "x_indices"_a.noconvert(), "x_values"_a.noconvert(), "n_features"_a,
      "y_indptr"_a.noconvert(), "y_indices"_a.noconvert(), "n_labels"_a, "per_row"_a, "per_pair"_a,
      "likeness"_a, "seed"_a, "n_threads"_a);
  nb::class_<BoundTrainer>(m, "Trainer", "Fits the node classifiers of a tree; see core/train.hpp.")
      .def(
          "__init__",
          [](BoundTrainer* self, nb::object tree, I64 label_indptr, I32 label_indices, I64 indptr,
             I32 indices, F32 values, int64_t n_features, F32 positive_weight, F32 negative_weight,
             F32 row_weight, I64 start_indptr, I32 start_features, F32 start_values, F32 start_bias,
             const std::string& loss, float bias, float tolerance, int max_iterations, float prune,
             int32_t max_nonzeros, uint64_t seed) {
            labeltree::TrainOptions options;
            options.solver = {loss == "logistic" ? labeltree::Loss::logistic : labeltree::Loss::squared_hinge,
                              bias, tolerance, max_iterations};
            options.prune = prune;
            options.max_nonzeros = max_nonzeros;
            options.seed = seed;
            new (self) BoundTrainer{
                {tree, label_indptr, label_indices, indptr, indices, values, positive_weight, negative_weight,
                 row_weight, start_indptr, start_features, start_values, start_bias},
                {nb::cast<const Tree&>(tree),
                 rows_view(label_indptr, label_indices),
                 feature_view(indptr, indices, values),
                 static_cast<std::size_t>(n_features),
                 {view(positive_weight), view(negative_weight), view(row_weight)},
                 {view(start_indptr), view(start_features), view(start_values), view(start_bias)},
                 options}};
          },
          "tree"_a, "label_indptr"_a.noconvert(), "label_indices"_a.noconvert(), "indptr"_a.noconvert(),
          "indices"_a.noconvert(), "values"_a.noconvert(), "n_features"_a, "positive_weight"_a.noconvert(),
          "negative_weight"_a.noconvert(), "row_weight"_a.noconvert(), "start_indptr"_a.noconvert(),
          "start_features"_a.noconvert(), "start_values"_a.noconvert(), "start_bias"_a.noconvert(),
          nb::kw_only(), "loss"_a, "bias"_a, "tolerance"_a, "max_iterations"_a, "prune"_a, "max_nonzeros"_a,
          "seed"_a)
      .def("costs", [](const BoundTrainer& self) { return give(self.trainer.costs()); })
      .def("is_trained", [](const BoundTrainer& self) { return give(self.trainer.is_trained()); })
      .def_prop_ro("thread_bytes", [](const BoundTrainer& self) { return self.trainer.thread_bytes(); })
      .def_prop_ro("shared_bytes", [](const BoundTrainer& self) { return self.trainer.shared_bytes(); })
      .def(
          "train",
          [](const BoundTrainer& self, std::size_t first, std::size_t last, int n_threads) {
            return give(interruptible([&](labeltree::Interrupt& interrupt) {
              return self.trainer.train(first, last, n_threads, interrupt);
            }));
          },
          "first"_a, "last"_a, "n_threads"_a);

  nb::class_<BoundBuilder>(m, "LayoutBuilder", "Lays out trained weights for queries; see core/layout.hpp.")
      .def(
          "__init__",
          [](BoundBuilder* self, nb::object tree, int64_t n_features, U8 is_trained, float untrained,
             bool is_small) {
            new (self) BoundBuilder{tree,
                                    {nb::cast<const Tree&>(tree), static_cast<std::size_t>(n_features),
                                     view(is_trained), untrained, is_small}};
          },
          "tree"_a, "n_features"_a, "is_trained"_a.noconvert(), "untrained"_a, "is_small"_a)
      .def(
          "add",
          [](BoundBuilder& self, I32 nodes, I64 indptr, I32 features, F32 values, F32 bias) {
            unlocked(
                [&] { self.builder.add(view(nodes), feature_view(indptr, features, values), view(bias)); });
          },
          "nodes"_a.noconvert(), "indptr"_a.noconvert(), "features"_a.noconvert(), "values"_a.noconvert(),
          "bias"_a.noconvert())
      .def("finish", [](BoundBuilder& self) { return give(self.builder.finish()); });

  nb::enum_<labeltree::Siblings>(m, "Siblings")
      .value("free", labeltree::Siblings::free)
      .value("cover", labeltree::Siblings::cover);
  nb::class_<BoundModel>(m, "TreeModel", "A tree with its node classifiers; see core/ask.hpp.")
      .def(
          "__init__",
          [](BoundModel* self, nb::object tree, int64_t n_features, F32 bias, F32 scale, U8 shift,
             I64 bucket_begin, I64 byte_begin, U32 buckets, U8 bytes, F32 slope, F32 intercept, bool has_root,
             labeltree::Siblings siblings) {
            const Tree& native = nb::cast<const Tree&>(tree);
            const labeltree::WeightArrays arrays{view(bias),         view(scale),      view(shift),
                                                 view(bucket_begin), view(byte_begin), view(buckets),
                                                 view(bytes)};
            new (self) BoundModel{{tree, bias, scale, shift, bucket_begin, byte_begin, buckets, bytes},
                                  {{native, arrays, static_cast<std::size_t>(n_features)},
                                   view(slope),
                                   view(intercept),
                                   has_root,
                                   siblings}};
          },
          "tree"_a, "n_features"_a, "bias"_a.noconvert(), "scale"_a.noconvert(), "shift"_a.noconvert(),
          "bucket_begin"_a.noconvert(), "byte_begin"_a.noconvert(), "buckets"_a.noconvert(),
          "bytes"_a.noconvert(), "slope"_a.noconvert(), "intercept"_a.noconvert(), "has_root"_a, "siblings"_a)
      .def("count",
           [](const BoundModel& self) { return unlocked([&] { return self.model.weights().count(); }); })
      .def(
          "check_all",
          [](const BoundModel& self, int n_threads) {
            interruptible([&](labeltree::Interrupt& interrupt) {
              self.model.weights().check_all(n_threads, interrupt);
            });
          },
          "n_threads"_a)
      .def(
          "of_children",
          [](const BoundModel& self, int32_t node) {
            if (node < -1 || node >= static_cast<int32_t>(self.model.tree().n_nodes()))
              throw std::invalid_argument("no such node: " + std::to_string(node));
            return give(self.model.weights().of_children(node));
          },
          "node"_a)
      .def(
          "of_node",
          [](const BoundModel& self, int32_t node) {
            if (node < 0 || node >= static_cast<int32_t>(self.model.tree().n_nodes()))
              throw std::invalid_argument("no such node: " + std::to_string(node));
            return give(self.model.weights().of_node(node));
          },
          "node"_a)
      .def(
          "ask",
          [](const BoundModel& self, int32_t node, I32 indices, F32 values) {
            if (node < -1 || node >= static_cast<int32_t>(self.model.tree().n_nodes()))
              throw std::invalid_argument("no such node: " + std::to_string(node));
            return give(self.model.estimates(node, {view(indices), view(values)}));
          },
          "node"_a, "indices"_a.noconvert(), "values"_a.noconvert())
      .def(
          "path_scores",
          [](const BoundModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels,
             int n_threads) {
            auto pairs = interruptible([&](labeltree::Interrupt& interrupt) {
              return labeltree::path_scores(self.model, feature_view(indptr, indices, values),
                                            rows_view(label_indptr, labels), n_threads, interrupt);
            });
            return std::tuple(give(std::move(pairs.nodes)), give(std::move(pairs.scores)),
                              give(std::move(pairs.positive)));
          },
          "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
          "label_indptr"_a.noconvert(), "labels"_a.noconvert(), "n_threads"_a)
      .def("rounded", [](const BoundModel& self) {
        return give(unlocked([&] { return labeltree::rounded(self.model.weights()); }));
      });
  nb::class_<labeltree::LabelLimits>(m, "LabelLimits")
      .def(
          "__init__",
          [](labeltree::LabelLimits* self, const Tree& tree, F32 threshold, F32 weight) {
            new (self) labeltree::LabelLimits(tree, view(threshold), view(weight));
          },
          "tree"_a, "threshold"_a.noconvert(), "weight"_a.noconvert());
  m.def(
      "search",
      [](const Models& models, const Limits& limits, I64 indptr, I32 indices, F32 values, int32_t top_k,
         float threshold, int32_t beam, int32_t at_once, const BoundScaling& scaling, F64 curve_x,
         F64 curve_y, int n_threads) {
        auto answers = interruptible([&](labeltree::Interrupt& interrupt) {
          return answer(
              models, limits, feature_view(indptr, indices, values),
              {top_k, threshold, beam, at_once, scaling.scaling, {view(curve_x), view(curve_y)}, n_threads},
              interrupt);
        });
        return std::tuple(give(std::move(answers.indptr)), give(std::move(answers.labels)),
                          give(std::move(answers.probabilities)), give(std::move(answers.n_calls)));
      },
      "models"_a, "limits"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
      "top_k"_a, "threshold"_a, "beam"_a, "at_once"_a, "scaling"_a, "curve_x"_a.noconvert(),
      "curve_y"_a.noconvert(), "n_threads"_a);
  m.def(
      "best_labels",
      [](const Models& models, I32 indices, F32 values, int32_t k, int32_t beam, const BoundScaling& scaling,
         F64 curve_x, F64 curve_y) {
        auto best = unlocked([&] {
          return labeltree::best_labels(trees_of(models), {view(indices), view(values)}, k, beam,
                                        scaling.scaling, {view(curve_x), view(curve_y)});
        });
        return std::pair(give(std::move(best.labels)), give(std::move(best.probabilities)));
      },
      "models"_a, "indices"_a.noconvert(), "values"_a.noconvert(), "k"_a, "beam"_a, "scaling"_a,
      "curve_x"_a.noconvert(), "curve_y"_a.noconvert());
  m.def(
      "probabilities_of",
      [](const Models& models, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 label_indices,
         const BoundScaling& scaling, int n_threads) {
        labeltree::Query query;
        query.scaling = scaling.scaling;
        query.n_threads = n_threads;
        return give(interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::probabilities_of(trees_of(models), feature_view(indptr, indices, values),
                                             rows_view(label_indptr, label_indices), query, interrupt);
        }));
      },
      "models"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
      "label_indptr"_a.noconvert(), "label_indices"_a.noconvert(), "scaling"_a, "n_threads"_a);

  nb::class_<labeltree::OnlineModel>(m, "OnlineModel", "A tree that learns row by row; see core/online.hpp.")
      .def(
          "__init__",
          [](labeltree::OnlineModel* self, const Tree* tree, int64_t n_features, const Settings& settings) {
            if (n_features < 0) throw std::invalid_argument("n_features must not be negative");
            const auto [options, growth] = online_options(settings);
            const auto n = static_cast<std::size_t>(n_features);
            if (tree == nullptr)
              new (self) labeltree::OnlineModel(n, options, growth);
            else
              new (self) labeltree::OnlineModel(*tree, n, options, growth);
          },
          "tree"_a.none(), "n_features"_a, "settings"_a)
      .def_static(
          "restore",
          [](I32 parent, I32 label, I64 n_rows, I64 row_begin, I32 features, F32 numbers,
             const std::tuple<int64_t, int64_t, int64_t>& counts, int64_t n_features,
             const Settings& settings) {
            if (n_features < 0) throw std::invalid_argument("n_features must not be negative");
            const auto [options, growth] = online_options(settings);
            const labeltree::OnlineCounts known{std::get<0>(counts), std::get<1>(counts),
                                                std::get<2>(counts)};
            return std::make_unique<labeltree::OnlineModel>(
                labeltree::OnlineView{view(parent), view(label), view(n_rows), view(row_begin),
                                      view(features), view(numbers)},
                known, static_cast<std::size_t>(n_features), options, growth);
          },
          "parent"_a.noconvert(), "label"_a.noconvert(), "n_rows"_a.noconvert(), "row_begin"_a.noconvert(),
          "features"_a.noconvert(), "numbers"_a.noconvert(), "counts"_a, "n_features"_a, "settings"_a)
      .def("arrays",
           [](const labeltree::OnlineModel& self) {
             auto made = unlocked([&] { return self.arrays(); });
             return std::tuple(give(std::move(made.parent)), give(std::move(made.label)),
                               give(std::move(made.n_rows)), give(std::move(made.row_begin)),
                               give(std::move(made.features)), give(std::move(made.numbers)));
           })
      .def("nodes", [](const labeltree::OnlineModel& self) { return give(self.nodes()); })
      .def(
          "add_labels", [](labeltree::OnlineModel& self, std::size_t n) { self.add_labels(n); }, "n"_a)
      .def_prop_ro("n_labels", [](const labeltree::OnlineModel& self) { return self.tree().n_labels(); })
      .def_prop_ro("n_features", [](const labeltree::OnlineModel& self) { return self.n_features(); })
      .def_prop_ro("n_weights", [](const labeltree::OnlineModel& self) { return self.n_weights(); })
      .def_prop_ro("n_bytes", [](const labeltree::OnlineModel& self) { return self.n_bytes(); })
      .def_prop_rw(
          "counts",
          [](const labeltree::OnlineModel& self) {
            const labeltree::OnlineCounts& counts = self.counts();
            return std::tuple(counts.n_rows, counts.n_unlabeled, counts.cost);
          },
          [](labeltree::OnlineModel& self, const std::tuple<int64_t, int64_t, int64_t>& counts) {
            self.set_counts({std::get<0>(counts), std::get<1>(counts), std::get<2>(counts)});
          })
      .def(
          "learn",
          [](labeltree::OnlineModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels,
             F32 weight, int n_threads) {
            interruptible([&](labeltree::Interrupt& interrupt) {
              self.learn(feature_view(indptr, indices, values), rows_view(label_indptr, labels), view(weight),
                         n_threads, interrupt);
            });
          },
          "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
          "label_indptr"_a.noconvert(), "labels"_a.noconvert(), "weight"_a.noconvert(), "n_threads"_a)
      .def(
          "progressive",
          [](labeltree::OnlineModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels,
             int32_t k) {
            auto found = interruptible([&](labeltree::Interrupt& interrupt) {
              return self.progressive(feature_view(indptr, indices, values), rows_view(label_indptr, labels),
                                      k, interrupt);
            });
            return std::pair(give(std::move(found.labels)), give(std::move(found.probabilities)));
          },
          "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
          "label_indptr"_a.noconvert(), "labels"_a.noconvert(), "k"_a)
      .def(
          "best",
          [](const labeltree::OnlineModel& self, I32 indices, F32 values, int32_t k) {
            auto found = unlocked([&] { return self.best({view(indices), view(values)}, k); });
            return std::pair(give(std::move(found.labels)), give(std::move(found.probabilities)));
          },
          "indices"_a.noconvert(), "values"_a.noconvert(), "k"_a)
      .def(
          "retire", [](labeltree::OnlineModel& self, U8 keep) { self.retire(view(keep)); },
          "keep"_a.noconvert())
      .def(
          "prune",
          [](labeltree::OnlineModel& self, std::size_t most) { unlocked([&] { self.prune(most); }); },
          "max_weights"_a)
      .def(
          "rebuilt",
          [](const labeltree::OnlineModel& self, const Tree& tree, I64 indptr, I32 indices, F32 values,
             I64 label_indptr, I32 labels, int n_threads) {
            return interruptible([&](labeltree::Interrupt& interrupt) {
              std::vector<uint8_t> is_new;
              auto made = std::make_unique<labeltree::OnlineModel>(self.rebuilt(tree, is_new));
              made->replay(feature_view(indptr, indices, values), rows_view(label_indptr, labels), is_new,
                           n_threads, interrupt);
              return made;
            });
          },
          "tree"_a, "indptr"_a.noconvert(), "indices"_a.noconvert(), "values"_a.noconvert(),
          "label_indptr"_a.noconvert(), "labels"_a.noconvert(), "n_threads"_a)
      .def(
          "weights",
          [](const labeltree::OnlineModel& self, std::size_t first, std::size_t last, float prune) {
            return give(unlocked([&] { return self.weights(first, last, prune); }));
          },
          "first"_a, "last"_a, "prune"_a)
      .def(
          "start",
          [](labeltree::OnlineModel& self, int32_t node, I64 indptr, I32 features, F32 values, F32 bias,
             float squared_gradients) {
            const labeltree::FeatureRows given = feature_view(indptr, features, values);
            check(given, self.n_features());
            labeltree::NodeWeights children;
            children.indptr.assign(given.indptr.begin(), given.indptr.end());
            children.features.assign(given.indices.begin(), given.indices.end());
            children.values.assign(given.values.begin(), given.values.end());
            children.bias.assign(view(bias).begin(), view(bias).end());
            self.start(node, children, squared_gradients);
          },
          "node"_a, "indptr"_a.noconvert(), "features"_a.noconvert(), "values"_a.noconvert(),
          "bias"_a.noconvert(), "squared_gradients"_a);

  m.def(
      "checksum",
      [](U8 bytes, int n_threads) {
        return interruptible([&](labeltree::Interrupt& interrupt) {
          return labeltree::checksum(view(bytes), n_threads, interrupt);
        });
      },
      "bytes"_a.noconvert(), "n_threads"_a);
}
