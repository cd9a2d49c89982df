#include "arrays.hpp"
#include "model.hpp"
#include "parts.hpp"
#include "scaling.hpp"
#include "search/one_row.hpp"
#include "search/stages.hpp"

namespace labeltree::bind {
namespace {

using Models = std::vector<const BoundModel*>;
using Limits = std::vector<const LabelLimits*>;
using Held = std::vector<const HeldScores*>;

// Scores with the arrays that they are in.
struct BoundHeldScores {
  std::tuple<nb::object, F32> keep;
  HeldScores held;
};
using BoundHeldList = std::vector<const BoundHeldScores*>;

// Trees and rankers, which `keep` holds.
struct BoundStages {
  std::pair<nb::object, nb::object> keep;
  std::vector<const TreeModel*> trees;
  const TreeModel* rankers;
  int32_t n_candidates;

  Stages view() const { return {trees, rankers, n_candidates}; }
};

void construct(BoundStages* self, nb::typed<nb::list, BoundModel> models, nb::object rankers,
               int32_t n_candidates) {
  if (models.size() == 0) throw std::invalid_argument("a model must have at least one tree");
  std::vector<const TreeModel*> trees;
  for (const BoundModel* model : nb::cast<Models>(models)) trees.push_back(&model->model);
  const TreeModel* const ranked = rankers.is_none() ? nullptr : &nb::cast<const BoundModel&>(rankers).model;
  new (self) BoundStages{{nb::tuple(models), rankers}, trees, ranked, n_candidates};
}

auto search_rows(const BoundStages& stages, const Limits& limits, const BoundHeldList& known, I64 indptr,
                 I32 indices, F32 values, int32_t k, float threshold, int32_t beam, int32_t nodes_per_step,
                 const BoundScaling& scaling, F64 curve_x, F64 curve_y, int n_threads) {
  const Query query{.k = k,
                    .threshold = threshold,
                    .beam = beam,
                    .nodes_per_step = nodes_per_step,
                    .scaling = scaling.scaling,
                    .curve = {view(curve_x), view(curve_y)},
                    .n_threads = n_threads};
  Held held;
  for (const BoundHeldScores* one : known) held.push_back(&one->held);
  auto results = interruptible([&](Interrupt& interrupt) {
    return search(stages.view(), limits, held, feature_view(indptr, indices, values), query, interrupt);
  });
  return std::tuple(give(std::move(results.indptr)), give(std::move(results.labels)),
                    give(std::move(results.probabilities)), give(std::move(results.n_calls)));
}

auto best_labels_of_row(const BoundStages& stages, I32 indices, F32 values, const Limits& limits, int32_t k,
                        int32_t beam, const BoundScaling& scaling, F64 curve_x, F64 curve_y) {
  auto best = unlocked([&] {
    return best_labels(stages.view(), limits, {view(indices), view(values)}, k, beam, scaling.scaling,
                       {view(curve_x), view(curve_y)});
  });
  return std::pair(give(std::move(best.labels)), give(std::move(best.probabilities)));
}

void bind_stages(nb::module_& m) {
  nb::class_<BoundStages>(m, "Stages", "Trees and rankers; see core/search/stages.hpp.")
      .def("__init__", &construct, "models"_a, "rankers"_a.none(), "n_candidates"_a);
}

void bind_limits(nb::module_& m) {
  nb::class_<LabelLimits>(m, "LabelLimits", "Thresholds and weights by label; see core/search/search.hpp.")
      .def(
          "__init__",
          [](LabelLimits* self, const Tree& tree, F32 threshold, F32 weight) {
            new (self) LabelLimits(tree, view(threshold), view(weight));
          },
          "tree"_a, array("threshold"), array("weight"));
}

void bind_held(nb::module_& m) {
  nb::class_<BoundHeldScores>(m, "HeldScores", "Scores of held-back rows; see core/search/held_scores.hpp.")
      .def(
          "__init__",
          [](BoundHeldScores* self, nb::object tree, I64 label_indptr, I32 label_indices, bool has_root,
             F32 scores) {
            new (self) BoundHeldScores{{tree, scores},
                                       {nb::cast<const Tree&>(tree), rows_view(label_indptr, label_indices),
                                        has_root, view(scores)}};
          },
          "tree"_a, array("label_indptr"), array("label_indices"), "has_root"_a, array("scores"))
      .def(
          "of_children",
          [](const BoundHeldScores& self, std::size_t row, int32_t node) {
            if (row >= self.held.n_rows()) throw std::invalid_argument("row is not one of those held back");
            const auto scores = self.held.of_children(row, node);
            return give(std::vector<float>(scores.begin(), scores.end()));
          },
          "row"_a, "node"_a);
}

}  // namespace

void bind_search(nb::module_& m) {
  bind_limits(m);
  bind_held(m);
  bind_stages(m);
  m.def("search", &search_rows, "stages"_a, "limits"_a, "held"_a, array("indptr"), array("indices"),
        array("values"), nb::kw_only(), "k"_a, "threshold"_a, "beam"_a, "nodes_per_step"_a, "scaling"_a,
        array("curve_x"), array("curve_y"), "n_threads"_a);
  m.def("best_labels", &best_labels_of_row, "stages"_a, array("indices"), array("values"), "limits"_a, "k"_a,
        "beam"_a, "scaling"_a, array("curve_x"), array("curve_y"));
  m.def(
      "probabilities_of",
      [](const BoundStages& stages, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 label_indices,
         const BoundScaling& scaling, int n_threads) {
        return give(interruptible([&](Interrupt& interrupt) {
          return probabilities_of(stages.view(), feature_view(indptr, indices, values),
                                  rows_view(label_indptr, label_indices), scaling.scaling, n_threads,
                                  interrupt);
        }));
      },
      "stages"_a, array("indptr"), array("indices"), array("values"), array("label_indptr"),
      array("label_indices"), "scaling"_a, "n_threads"_a);
}

}  // namespace labeltree::bind
