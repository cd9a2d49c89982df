#include "search/search.hpp"

#include "arrays.hpp"
#include "model.hpp"
#include "parts.hpp"
#include "scaling.hpp"
#include "search/one_row.hpp"

namespace labeltree::bind {
namespace {

using Models = std::vector<const BoundModel*>;
using Limits = std::vector<const LabelLimits*>;

std::vector<const TreeModel*> trees_of(const Models& models) {
  std::vector<const TreeModel*> trees;
  for (const BoundModel* model : models) trees.push_back(&model->model);
  return trees;
}

SearchResults search_models(const Models& models, const Limits& limits, const FeatureRows& rows,
                            const Query& query, Interrupt& interrupt) {
  const auto trees = trees_of(models);
  if (trees.size() == 1)
    return search(*trees.front(), limits.empty() ? nullptr : limits.front(), rows, query, interrupt);
  return search_forest(trees, limits, rows, query, interrupt);
}

auto search_rows(const Models& models, const Limits& limits, I64 indptr, I32 indices, F32 values, int32_t k,
                 float threshold, int32_t beam, int32_t nodes_per_step, const BoundScaling& scaling,
                 F64 curve_x, F64 curve_y, int n_threads) {
  const Query query{.k = k,
                    .threshold = threshold,
                    .beam = beam,
                    .nodes_per_step = nodes_per_step,
                    .scaling = scaling.scaling,
                    .curve = {view(curve_x), view(curve_y)},
                    .n_threads = n_threads};
  auto results = interruptible([&](Interrupt& interrupt) {
    return search_models(models, limits, feature_view(indptr, indices, values), query, interrupt);
  });
  return std::tuple(give(std::move(results.indptr)), give(std::move(results.labels)),
                    give(std::move(results.probabilities)), give(std::move(results.n_calls)));
}

auto best_labels_of_row(const Models& models, I32 indices, F32 values, int32_t k, int32_t beam,
                        const BoundScaling& scaling, F64 curve_x, F64 curve_y) {
  auto best = unlocked([&] {
    return best_labels(trees_of(models), {view(indices), view(values)}, k, beam, scaling.scaling,
                       {view(curve_x), view(curve_y)});
  });
  return std::pair(give(std::move(best.labels)), give(std::move(best.probabilities)));
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

}  // namespace

void bind_search(nb::module_& m) {
  bind_limits(m);
  m.def("search", &search_rows, "models"_a, "limits"_a, array("indptr"), array("indices"), array("values"),
        nb::kw_only(), "k"_a, "threshold"_a, "beam"_a, "nodes_per_step"_a, "scaling"_a, array("curve_x"),
        array("curve_y"), "n_threads"_a);
  m.def("best_labels", &best_labels_of_row, "models"_a, array("indices"), array("values"), "k"_a, "beam"_a,
        "scaling"_a, array("curve_x"), array("curve_y"));
  m.def(
      "probabilities_of",
      [](const Models& models, I64 indptr, I32 indices, F32 values, I64 label_indptr, I32 label_indices,
         const BoundScaling& scaling, int n_threads) {
        return give(interruptible([&](Interrupt& interrupt) {
          return probabilities_of(trees_of(models), feature_view(indptr, indices, values),
                                  rows_view(label_indptr, label_indices), scaling.scaling, n_threads,
                                  interrupt);
        }));
      },
      "models"_a, array("indptr"), array("indices"), array("values"), array("label_indptr"),
      array("label_indices"), "scaling"_a, "n_threads"_a);
}

}  // namespace labeltree::bind
