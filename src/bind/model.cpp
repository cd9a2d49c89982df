#include "model.hpp"

#include "arrays.hpp"
#include "parts.hpp"
#include "search/path_scores.hpp"
#include "weights.hpp"

namespace labeltree::bind {
namespace {

struct BoundBuilder {
  nb::object tree;
  LayoutBuilder builder;
};

void bind_builder(nb::module_& m) {
  nb::class_<BoundBuilder>(m, "LayoutBuilder",
                           "Lays out trained weights for queries; see core/model/layout.hpp.")
      .def(
          "__init__",
          [](BoundBuilder* self, nb::object tree, int64_t n_features, U8 is_trained, float untrained,
             int weight_bytes) {
            new (self) BoundBuilder{tree,
                                    {nb::cast<const Tree&>(tree), count(n_features, "n_features"),
                                     view(is_trained), untrained, count(weight_bytes, "weight_bytes")}};
          },
          "tree"_a, "n_features"_a, array("is_trained"), "untrained"_a, "weight_bytes"_a)
      .def(
          "add",
          [](BoundBuilder& self, I32 nodes, I64 indptr, I32 features, F32 values, F32 bias) {
            unlocked(
                [&] { self.builder.add(view(nodes), feature_view(indptr, features, values), view(bias)); });
          },
          array("nodes"), array("indptr"), array("features"), array("values"), array("bias"))
      .def("finish", [](BoundBuilder& self) { return give(self.builder.finish()); });
}

void construct(BoundModel* self, nb::object tree, int64_t n_features, F32 bias, F32 scale, U8 shift,
               I64 bucket_begin, I64 byte_begin, U32 buckets, U8 bytes, U8 weight_bytes, F32 slope,
               F32 intercept, F32 factor, bool has_root, SiblingSums siblings) {
  if (weight_bytes.size() != 1) throw std::invalid_argument("weight_bytes must have one number");
  const WeightArrays arrays{view(bias),       view(scale),   view(shift), view(bucket_begin),
                            view(byte_begin), view(buckets), view(bytes), view(weight_bytes)[0]};
  new (self) BoundModel{{tree, bias, scale, shift, bucket_begin, byte_begin, buckets, bytes},
                        {{nb::cast<const Tree&>(tree), arrays, count(n_features, "n_features")},
                         {view(slope), view(intercept), view(factor)},
                         has_root,
                         siblings}};
}

auto path_scores_of(const BoundModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels,
                    int n_threads) {
  auto pairs = interruptible([&](Interrupt& interrupt) {
    return path_scores(self.model, feature_view(indptr, indices, values), rows_view(label_indptr, labels),
                       n_threads, interrupt);
  });
  return std::tuple(give(std::move(pairs.nodes)), give(std::move(pairs.scores)),
                    give(std::move(pairs.positive)));
}

using ModelClass = nb::class_<BoundModel>;

void bind_weights(ModelClass& model) {
  model.def("count",
            [](const BoundModel& self) { return unlocked([&] { return self.model.weights().count(); }); });
  model.def(
      "check_all",
      [](const BoundModel& self, int n_threads) {
        interruptible([&](Interrupt& interrupt) { self.model.weights().check_all(n_threads, interrupt); });
      },
      "n_threads"_a);
  model.def(
      "of_children",
      [](const BoundModel& self, int32_t node) {
        self.check_node(node, -1);
        return give(self.model.weights().of_children(node));
      },
      "node"_a);
  model.def(
      "of_node",
      [](const BoundModel& self, int32_t node, I32 features) {
        self.check_node(node, 0);
        const auto n_features = self.model.weights().n_features();
        for (const int32_t feature : view(features))
          if (feature < 0 || static_cast<std::size_t>(feature) >= n_features)
            throw std::invalid_argument("feature " + std::to_string(feature) + " is outside the model");
        return give(self.model.weights().of_node(node, view(features)));
      },
      "node"_a, array("features"));
  model.def(
      "with_weight_bytes",
      [](const BoundModel& self, int weight_bytes) {
        const auto n_bytes = count(weight_bytes, "weight_bytes");
        return give(unlocked([&] { return with_weight_bytes(self.model.weights(), n_bytes); }));
      },
      "weight_bytes"_a);
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_builder(m);
  nb::enum_<SiblingSums>(m, "SiblingSums", "Sums of sibling estimates; see core/model/tree_model.hpp.")
      .value("independent", SiblingSums::independent)
      .value("at_least_one", SiblingSums::at_least_one)
      .value("one", SiblingSums::one);
  ModelClass model(m, "TreeModel", "A tree with its node classifiers; see core/model/tree_model.hpp.");
  model.def("__init__", &construct, "tree"_a, "n_features"_a, array("bias"), array("scale"), array("shift"),
            array("bucket_begin"), array("byte_begin"), array("buckets"), array("bytes"),
            array("weight_bytes"), array("slope"), array("intercept"), array("factor"), nb::kw_only(),
            "has_root"_a, "siblings"_a);
  bind_weights(model);
  model.def(
      "child_probabilities",
      [](const BoundModel& self, int32_t node, I32 indices, F32 values) {
        self.check_node(node, -1);
        return give(self.model.child_probabilities(node, {view(indices), view(values)}));
      },
      "node"_a, array("indices"), array("values"));
  model.def("path_scores", &path_scores_of, array("indptr"), array("indices"), array("values"),
            array("label_indptr"), array("labels"), "n_threads"_a);
}

}  // namespace labeltree::bind
