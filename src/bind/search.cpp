#include "arrays.hpp"
#include "data/implied_labels.hpp"
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

// Labels that each label implies, with the arrays that they are in. Immutable, so threads can share them.
struct BoundImplied {
  std::pair<I64, I32> keep;
  LabelRows rows;
};

// Trees, rankers and implied labels, which `keep` holds.
struct BoundStages {
  std::tuple<nb::object, nb::object, nb::object> keep;
  std::vector<const TreeModel*> trees;
  const TreeModel* rankers;
  int32_t n_candidates;
  LabelRows implied;

  Stages view() const { return {trees, rankers, n_candidates, implied}; }
};

LabelRows rows_of(const nb::object& implied) {
  return implied.is_none() ? LabelRows{} : nb::cast<const BoundImplied&>(implied).rows;
}

void construct(BoundStages* self, nb::typed<nb::list, BoundModel> models, nb::object rankers,
               int32_t n_candidates, nb::object implied) {
  if (models.size() == 0) throw std::invalid_argument("a model must have at least one tree");
  std::vector<const TreeModel*> trees;
  for (const BoundModel* model : nb::cast<Models>(models)) trees.push_back(&model->model);
  const TreeModel* const ranked = rankers.is_none() ? nullptr : &nb::cast<const BoundModel&>(rankers).model;
  const LabelRows rows = rows_of(implied);
  if (!rows.indptr.empty()) check_implied(rows, trees.front()->tree().n_labels());
  new (self) BoundStages{{nb::tuple(models), rankers, implied}, trees, ranked, n_candidates, rows};
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
  nb::class_<BoundStages>(m, "Stages", "Trees, rankers and implied labels; see core/search/stages.hpp.")
      .def("__init__", &construct, "models"_a, "rankers"_a.none(), "n_candidates"_a, "implied"_a.none());
}

void bind_implied(nb::module_& m) {
  nb::class_<BoundImplied>(m, "ImpliedLabels", "Labels that labels imply; see core/data/implied_labels.hpp.")
      .def(
          "__init__",
          [](BoundImplied* self, I64 indptr, I32 indices) {
            const LabelRows rows = rows_view(indptr, indices);
            if (rows.indptr.empty()) throw std::invalid_argument("indptr must not be empty");
            check_implied(rows, rows.size());
            new (self) BoundImplied{{indptr, indices}, rows};
          },
          array("indptr"), array("indices"));
  m.def(
      "implied_labels",
      [](I64 indptr, I32 indices, int32_t n_labels, int64_t min_rows) {
        count(n_labels, "n_labels");
        auto implied = interruptible([&](Interrupt& interrupt) {
          return implied_labels(rows_view(indptr, indices), n_labels, min_rows, interrupt);
        });
        return std::pair(give(std::move(implied.indptr)), give(std::move(implied.indices)));
      },
      array("indptr"), array("indices"), "n_labels"_a, "min_rows"_a);
}

void bind_limits(nb::module_& m) {
  nb::class_<LabelLimits>(m, "LabelLimits", "Thresholds and weights by label; see core/search/search.hpp.")
      .def(
          "__init__",
          [](LabelLimits* self, const Tree& tree, F32 threshold, F32 weight, nb::object implied) {
            new (self) LabelLimits(tree, view(threshold), view(weight), rows_of(implied));
          },
          "tree"_a, array("threshold"), array("weight"), "implied"_a.none());
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
  bind_implied(m);
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
