#include "arrays.hpp"
#include "parts.hpp"
#include "train/trainer.hpp"
#include "weights.hpp"

namespace labeltree::bind {
namespace {

struct BoundLossWeights {
  F32 positive, negative, row;

  LossWeights views() const { return {view(positive), view(negative), view(row)}; }
};

struct BoundWarmStart {
  I64 indptr;
  I32 features;
  F32 values, bias;

  WarmStart views() const { return {view(indptr), view(features), view(values), view(bias)}; }
};

// A trainer with the arrays that it looks at.
struct BoundTrainer {
  std::tuple<nb::object, I64, I32, I64, I64, I32, F32, I64, I32, I32, BoundLossWeights, BoundWarmStart> keep;
  Trainer trainer;
};

void bind_settings(nb::module_& m) {
  nb::enum_<Loss>(m, "Loss").value("squared_hinge", Loss::squared_hinge).value("logistic", Loss::logistic);
  nb::class_<TrainSettings>(m, "TrainSettings", "How a node is fitted; see core/train/trainer.hpp.")
      .def(
          "__init__",
          [](TrainSettings* self, Loss loss, float intercept_scaling, float tol, int max_iter, int mean_iter,
             int joint_iter, float weight_threshold, float pair_threshold, int32_t n_pairs,
             int32_t max_nonzeros, uint64_t seed, double slice_entries, double slice_rows,
             int64_t slice_positive) {
            new (self) TrainSettings{{loss, intercept_scaling, tol, max_iter, mean_iter, joint_iter},
                                     weight_threshold,
                                     pair_threshold,
                                     n_pairs,
                                     max_nonzeros,
                                     seed,
                                     slice_entries,
                                     slice_rows,
                                     slice_positive};
          },
          nb::kw_only(), "loss"_a, "intercept_scaling"_a, "tol"_a, "max_iter"_a, "mean_iter"_a,
          "joint_iter"_a, "weight_threshold"_a, "pair_threshold"_a, "n_pairs"_a, "max_nonzeros"_a, "seed"_a,
          "slice_entries"_a, "slice_rows"_a, "slice_positive"_a);
}

void bind_inputs(nb::module_& m) {
  nb::class_<BoundLossWeights>(m, "LossWeights", "Factors of the loss; see core/train/trainer.hpp.")
      .def(
          "__init__",
          [](BoundLossWeights* self, F32 positive, F32 negative, F32 row) {
            new (self) BoundLossWeights{positive, negative, row};
          },
          array("positive"), array("negative"), array("row"));
  nb::class_<BoundWarmStart>(m, "WarmStart", "Weights to start from; see core/train/trainer.hpp.")
      .def(
          "__init__",
          [](BoundWarmStart* self, I64 indptr, I32 features, F32 values, F32 bias) {
            new (self) BoundWarmStart{indptr, features, values, bias};
          },
          array("indptr"), array("features"), array("values"), array("bias"));
}

void construct(BoundTrainer* self, nb::object tree, I64 label_indptr, I32 label_indices, I64 n_positive,
               I64 indptr, I32 indices, F32 values, int64_t n_features, I64 candidate_indptr,
               I32 candidate_indices, I32 held, const BoundLossWeights& loss_weights,
               const BoundWarmStart& warm_start, const TrainSettings& settings, std::size_t page_bytes) {
  const TrainingRows rows{rows_view(label_indptr, label_indices),
                          feature_view(indptr, indices, values),
                          count(n_features, "n_features"),
                          rows_view(candidate_indptr, candidate_indices),
                          view(held),
                          view(n_positive),
                          page_bytes};
  new (self)
      BoundTrainer{{tree, label_indptr, label_indices, n_positive, indptr, indices, values, candidate_indptr,
                    candidate_indices, held, loss_weights, warm_start},
                   {nb::cast<const Tree&>(tree), rows, loss_weights.views(), warm_start.views(), settings}};
}

void bind_trainer(nb::module_& m) {
  nb::class_<BoundTrainer>(m, "Trainer", "Fits the nodes of a tree; see core/train/trainer.hpp.")
      .def("__init__", &construct, "tree"_a, array("label_indptr"), array("label_indices"),
           array("n_positive"), array("indptr"), array("indices"), array("values"), "n_features"_a,
           nb::kw_only(), array("candidate_indptr"), array("candidate_indices"), array("held"),
           "loss_weights"_a, "warm_start"_a, "settings"_a, "page_bytes"_a)
      .def("costs", [](const BoundTrainer& self) { return give(self.trainer.costs()); })
      .def("n_rows", [](const BoundTrainer& self) { return give(self.trainer.n_rows()); })
      .def("n_positive", [](const BoundTrainer& self) { return give(self.trainer.n_positive()); })
      .def("n_slices", [](const BoundTrainer& self) { return give(self.trainer.n_slices()); })
      .def("is_trained", [](const BoundTrainer& self) { return give(self.trainer.is_trained()); })
      .def_prop_ro("n_held_pairs", [](const BoundTrainer& self) { return self.trainer.n_held_pairs(); })
      .def(
          "thread_bytes",
          [](const BoundTrainer& self, double window_bytes) {
            return self.trainer.thread_bytes(window_bytes);
          },
          "window_bytes"_a = 0.0)
      .def_prop_ro("min_window_bytes",
                   [](const BoundTrainer& self) { return self.trainer.min_window_bytes(); })
      .def_prop_ro("shared_bytes", [](const BoundTrainer& self) { return self.trainer.shared_bytes(); })
      .def(
          "train",
          [](const BoundTrainer& self, std::size_t first, std::size_t last, int n_threads,
             double window_bytes) {
            auto weights = interruptible([&](Interrupt& interrupt) {
              return self.trainer.train(first, last, n_threads, window_bytes, interrupt);
            });
            const std::tuple ends(weights.n_passes, weights.n_far_pairs);
            const std::tuple held(give(std::move(weights.held_pairs)), give(std::move(weights.held_scores)));
            return std::tuple_cat(give(std::move(weights)), ends, held);
          },
          "first"_a, "last"_a, "n_threads"_a, "window_bytes"_a = 0.0);
}

void bind_work(nb::module_& m) {
  m.def(
      "training_work",
      [](const Tree& tree, I64 label_indptr, I32 label_indices, I64 indptr, I32 indices, F32 values,
         int64_t n_features) {
        return training_work(tree, rows_view(label_indptr, label_indices),
                             feature_view(indptr, indices, values), count(n_features, "n_features"));
      },
      "tree"_a, array("label_indptr"), array("label_indices"), array("indptr"), array("indices"),
      array("values"), "n_features"_a, "Estimates the work of training; see core/train/trainer.hpp.");
}

}  // namespace

void bind_train(nb::module_& m) {
  bind_settings(m);
  bind_inputs(m);
  bind_trainer(m);
  bind_work(m);
}

}  // namespace labeltree::bind
