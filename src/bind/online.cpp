#include "arrays.hpp"
#include "online/online_model.hpp"
#include "parts.hpp"
#include "weights.hpp"

namespace labeltree::bind {
namespace {

using ModelClass = nb::class_<OnlineModel>;
using Counts = std::tuple<int64_t, int64_t, int64_t>;  // rows, rows without labels, (row, node) pairs

OnlineCounts counts_of(const Counts& counts) {
  return {std::get<0>(counts), std::get<1>(counts), std::get<2>(counts)};
}

auto give_labels(OnlinePredictions&& found) {
  return std::pair(give(std::move(found.labels)), give(std::move(found.probabilities)));
}

void bind_settings(nb::module_& m) {
  nb::enum_<Optimizer>(m, "Optimizer").value("adagrad", Optimizer::adagrad).value("ftrl", Optimizer::ftrl);
  nb::enum_<Insert>(m, "Insert")
      .value("score", Insert::score)
      .value("cost", Insert::cost)
      .value("cost_and_score", Insert::cost_and_score);
  nb::class_<OnlineSettings>(m, "OnlineSettings", "How rows teach and trees grow; see core/online.")
      .def(
          "__init__",
          [](OnlineSettings* self, Optimizer optimizer, float learning_rate, float smoothing, float l1,
             float l2, float intercept_scaling, float min_gradient, Insert insert, std::size_t max_degree) {
            new (self)
                OnlineSettings{{optimizer, learning_rate, smoothing, l1, l2, intercept_scaling, min_gradient},
                               {insert, max_degree}};
          },
          nb::kw_only(), "optimizer"_a, "learning_rate"_a, "smoothing"_a, "l1"_a, "l2"_a,
          "intercept_scaling"_a, "min_gradient"_a, "insert"_a, "max_degree"_a);
}

void construct(OnlineModel* self, const Tree* tree, int64_t n_features, const OnlineSettings& settings) {
  const std::size_t n = count(n_features, "n_features");
  if (tree == nullptr)
    new (self) OnlineModel(n, settings);
  else
    new (self) OnlineModel(*tree, n, settings);
}

auto restore(I32 parent, I32 label, I64 n_rows, I64 row_begin, I64 example_begin, I64 loose_begin,
             I32 features, U8 forms, F32 numbers, I32 examples, F32 values, F32 gradients, I32 loose_features,
             I32 loose_lanes, F32 loose_numbers, const Counts& counts, int64_t n_features,
             const OnlineSettings& settings) {
  const StoreView stores{view(features),       view(forms),       view(numbers),
                         view(examples),       view(values),      view(gradients),
                         view(loose_features), view(loose_lanes), view(loose_numbers)};
  const OnlineView arrays{view(parent),        view(label),       view(n_rows), view(row_begin),
                          view(example_begin), view(loose_begin), stores};
  return unlocked([&] {
    return std::make_unique<OnlineModel>(arrays, counts_of(counts), count(n_features, "n_features"),
                                         settings);
  });
}

auto arrays_of(const OnlineModel& self) {
  auto made = unlocked([&] { return self.arrays(); });
  StoreArrays& stores = made.stores;
  return std::tuple(give(std::move(made.parent)), give(std::move(made.label)), give(std::move(made.n_rows)),
                    give(std::move(made.row_begin)), give(std::move(made.example_begin)),
                    give(std::move(made.loose_begin)), give(std::move(stores.features)),
                    give(std::move(stores.forms)), give(std::move(stores.numbers)),
                    give(std::move(stores.examples)), give(std::move(stores.values)),
                    give(std::move(stores.gradients)), give(std::move(stores.loose_features)),
                    give(std::move(stores.loose_lanes)), give(std::move(stores.loose_numbers)));
}

void bind_state(ModelClass& model) {
  model.def("__init__", &construct, "tree"_a.none(), "n_features"_a, "settings"_a)
      .def_static("restore", &restore, array("parent"), array("label"), array("n_rows"), array("row_begin"),
                  array("example_begin"), array("loose_begin"), array("features"), array("forms"),
                  array("numbers"), array("examples"), array("values"), array("gradients"),
                  array("loose_features"), array("loose_lanes"), array("loose_numbers"), "counts"_a,
                  "n_features"_a, "settings"_a)
      .def("arrays", &arrays_of)
      .def("nodes", [](const OnlineModel& self) { return give(self.nodes()); })
      .def_prop_ro("n_labels", [](const OnlineModel& self) { return self.tree().n_labels(); })
      .def_prop_ro("n_features", [](const OnlineModel& self) { return self.n_features(); })
      .def_prop_ro("n_weights", [](const OnlineModel& self) { return self.n_weights(); })
      .def_prop_ro("n_bytes", [](const OnlineModel& self) { return self.n_bytes(); })
      .def_prop_rw(
          "counts",
          [](const OnlineModel& self) {
            const OnlineCounts& counts = self.counts();
            return Counts(counts.n_rows, counts.n_unlabeled, counts.cost);
          },
          [](OnlineModel& self, const Counts& counts) { self.set_counts(counts_of(counts)); });
}

void bind_learning(ModelClass& model) {
  model
      .def(
          "learn",
          [](OnlineModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels, F32 weight,
             int n_threads) {
            interruptible([&](Interrupt& interrupt) {
              self.learn(feature_view(indptr, indices, values), rows_view(label_indptr, labels), view(weight),
                         n_threads, interrupt);
            });
          },
          array("indptr"), array("indices"), array("values"), array("label_indptr"), array("labels"),
          array("weight"), "n_threads"_a)
      .def(
          "predict_then_fit",
          [](OnlineModel& self, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 labels, int32_t k,
             SiblingSums siblings) {
            return give_labels(interruptible([&](Interrupt& interrupt) {
              return self.predict_then_fit(feature_view(indptr, indices, values),
                                           rows_view(label_indptr, labels), k, siblings, interrupt);
            }));
          },
          array("indptr"), array("indices"), array("values"), array("label_indptr"), array("labels"), "k"_a,
          "siblings"_a = SiblingSums::independent)
      .def(
          "best",
          [](const OnlineModel& self, I32 indices, F32 values, int32_t k, SiblingSums siblings) {
            return give_labels(
                unlocked([&] { return self.best({view(indices), view(values)}, k, siblings); }));
          },
          array("indices"), array("values"), "k"_a, "siblings"_a = SiblingSums::independent);
}

void bind_labels(ModelClass& model) {
  model.def(
           "add_labels", [](OnlineModel& self, std::size_t n) { self.add_labels(n); }, "n"_a)
      .def(
          "remove_labels", [](OnlineModel& self, U8 keep) { self.remove_labels(view(keep)); }, array("keep"))
      .def(
          "rebuilt",
          [](const OnlineModel& self, const Tree& tree, I64 indptr, I32 indices, F32 values, I64 label_indptr,
             I32 labels, int n_threads) {
            return interruptible([&](Interrupt& interrupt) {
              std::vector<uint8_t> is_new;
              auto made = std::make_unique<OnlineModel>(self.rebuilt(tree, is_new));
              made->replay(feature_view(indptr, indices, values), rows_view(label_indptr, labels), is_new,
                           n_threads, interrupt);
              return made;
            });
          },
          "tree"_a, array("indptr"), array("indices"), array("values"), array("label_indptr"),
          array("labels"), "n_threads"_a);
}

void warm_start(OnlineModel& self, int32_t node, I64 indptr, I32 features, F32 values, F32 bias,
                float squared_gradients) {
  const FeatureRows given = feature_view(indptr, features, values);
  check(given, self.n_features());
  NodeWeights children;
  children.indptr.assign(given.indptr.begin(), given.indptr.end());
  children.features.assign(given.indices.begin(), given.indices.end());
  children.values.assign(given.values.begin(), given.values.end());
  children.bias.assign(view(bias).begin(), view(bias).end());
  self.warm_start(node, children, squared_gradients);
}

void bind_weights(ModelClass& model) {
  model
      .def(
          "weights",
          [](const OnlineModel& self, std::size_t first, std::size_t last, float weight_threshold) {
            return give(unlocked([&] { return self.weights(first, last, weight_threshold); }));
          },
          "first"_a, "last"_a, "weight_threshold"_a)
      .def("warm_start", &warm_start, "node"_a, array("indptr"), array("features"), array("values"),
           array("bias"), "squared_gradients"_a)
      .def(
          "prune",
          [](OnlineModel& self, std::size_t max_weights) { unlocked([&] { self.prune(max_weights); }); },
          "max_weights"_a);
}

}  // namespace

void bind_online(nb::module_& m) {
  bind_settings(m);
  ModelClass model(m, "OnlineModel", "A tree that learns row by row; see core/online/online_model.hpp.");
  bind_state(model);
  bind_learning(model);
  bind_labels(model);
  bind_weights(model);
}

}  // namespace labeltree::bind
