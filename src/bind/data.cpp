#include "arrays.hpp"
#include "base/checksum.hpp"
#include "base/order.hpp"
#include "base/xxh3.hpp"
#include "data/label_affinity.hpp"
#include "data/parse.hpp"
#include "data/shared_pairs.hpp"
#include "parts.hpp"
#include "scaling.hpp"

namespace labeltree::bind {
namespace {

void bind_bytes(nb::module_& m) {
  m.def("xxh3_64", [](U8 bytes) { return unlocked([&] { return xxh3_64(view(bytes)); }); }, array("bytes"));
  m.def(
      "checksum",
      [](U8 bytes, int n_threads) {
        return interruptible(
            [&](Interrupt& interrupt) { return checksum(view(bytes), n_threads, interrupt); });
      },
      array("bytes"), "n_threads"_a);
  m.def(
      "checksums_of_map",
      [](const std::vector<U8>& arrays, int n_threads) {
        std::vector<std::span<const uint8_t>> views;
        for (const U8& bytes : arrays) views.push_back(view(bytes));
        return interruptible(
            [&](Interrupt& interrupt) { return checksums_of_map(views, n_threads, interrupt); });
      },
      array("arrays"), "n_threads"_a);
  m.def(
      "ascending", [](I64 counts) { return give(unlocked([&] { return ascending(view(counts)); })); },
      array("counts"));
}

void bind_text(nb::module_& m) {
  m.attr("MAX_LINE") = max_line;
  nb::class_<RowParser>(m, "RowParser", "Reads XMC text in pieces; see core/data/parse.hpp.")
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
          return format_rows(rows_view(label_indptr, label_indices), rows_view(indptr, indices),
                             view(values));
        });
        return nb::bytes(text.data(), text.size());
      },
      array("label_indptr"), array("label_indices"), array("indptr"), array("indices"), array("values"));
}

// An array that a kernel writes to.
template <class T>
using Written = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_scaling(nb::module_& m) {
  m.def(
      "check_pairs",
      [](I32 begin, I32 partners, float factor) {
        unlocked([&] { check(FeaturePairs{view(begin), view(partners), factor}); });
      },
      array("begin"), array("partners"), "factor"_a);
  nb::class_<BoundScaling>(m, "RowScaling", "How rows are scaled; see core/data/row_scaling.hpp.")
      .def(
          "__init__",
          [](BoundScaling* self, bool unit, float power, F32 weights, I32 pair_begin, I32 pair_partners,
             float pair_factor) {
            FeaturePairs pairs{view(pair_begin), view(pair_partners), pair_factor};
            std::vector<uint64_t> filter = unlocked([&] {
              check(pairs);
              return pair_filter(pairs);
            });
            pairs.filter = filter;  // whose bits stay where they are when the vector is moved
            new (self) BoundScaling{
                weights, pair_begin, pair_partners, std::move(filter), {unit, power, view(weights), pairs}};
          },
          "unit"_a, "power"_a, array("weights"), array("pair_begin"), array("pair_partners"), "pair_factor"_a)
      .def(
          "keeps",
          [](const BoundScaling& self, I64 indptr, I32 indices, F32 values, std::size_t n_features) {
            const FeatureRows rows = feature_view(indptr, indices, values);
            return unlocked([&] {
              check(rows, n_features);
              return keeps(self.scaling, rows);
            });
          },
          array("indptr"), array("indices"), array("values"), "n_features"_a)
      .def(
          "begin_with_pairs",
          [](const BoundScaling& self, I64 indptr, I32 indices, F32 values, int n_threads) {
            return give(interruptible([&](Interrupt& interrupt) {
              return begin_with_pairs(self.scaling.pairs, feature_view(indptr, indices, values), n_threads,
                                      interrupt);
            }));
          },
          array("indptr"), array("indices"), array("values"), "n_threads"_a)
      .def(
          "write_with_pairs",
          [](const BoundScaling& self, I64 indptr, I32 indices, F32 values, I64 begin, Written<int32_t> to,
             Written<float> to_values, int n_threads) {
            interruptible([&](Interrupt& interrupt) {
              write_with_pairs(self.scaling.pairs, feature_view(indptr, indices, values), view(begin),
                               {to.data(), to.size()}, {to_values.data(), to_values.size()}, n_threads,
                               interrupt);
            });
          },
          array("indptr"), array("indices"), array("values"), array("begin"), array("to"), array("to_values"),
          "n_threads"_a)
      .def(
          "scale",
          [](const BoundScaling& self, I64 indptr, I32 indices, F32 values, std::size_t n_features,
             Written<float> scaled, int n_threads) {
            interruptible([&](Interrupt& interrupt) {
              scale_rows(self.scaling, feature_view(indptr, indices, values), n_features,
                         {scaled.data(), scaled.size()}, n_threads, interrupt);
            });
          },
          array("indptr"), array("indices"), array("values"), "n_features"_a, array("scaled"), "n_threads"_a);
}

// Shared labels with the arrays that they look at.
struct BoundSharedLabels {
  std::tuple<I64, I32, I64, I32> keep;
  SharedLabels shared;
};

void bind_affinity(nb::module_& m) {
  m.attr("AFFINITY_UNIT") = AFFINITY_UNIT;
  nb::class_<BoundSharedLabels>(m, "SharedLabels",
                                "Labels that rows with a feature share; see core/data/label_affinity.hpp.")
      .def(
          "__init__",
          [](BoundSharedLabels* self, I64 x_indptr, I32 x_indices, int32_t n_features, I64 y_indptr,
             I32 y_indices, int32_t n_labels) {
            new (self) BoundSharedLabels{
                {x_indptr, x_indices, y_indptr, y_indices},
                {rows_view(x_indptr, x_indices), n_features, rows_view(y_indptr, y_indices), n_labels}};
          },
          array("x_indptr"), array("x_indices"), "n_features"_a, array("y_indptr"), array("y_indices"),
          "n_labels"_a)
      .def(
          "of",
          [](const BoundSharedLabels& self, int32_t first, int32_t last, int n_threads) {
            return give(interruptible(
                [&](Interrupt& interrupt) { return self.shared.of(first, last, n_threads, interrupt); }));
          },
          "first"_a, "last"_a, "n_threads"_a);
}

// Shared pairs with the arrays that they look at.
struct BoundSharedPairs {
  std::tuple<I64, I32, I64, I32, I64> keep;
  SharedPairs shared;
};

void bind_pairs(nb::module_& m) {
  nb::class_<BoundSharedPairs>(m, "SharedPairs",
                               "Pairs of features and labels shared; see core/data/shared_pairs.hpp.")
      .def(
          "__init__",
          [](BoundSharedPairs* self, I64 x_indptr, I32 x_indices, int32_t n_features, I64 y_indptr,
             I32 y_indices, I64 label_weights, int64_t max_length) {
            new (self) BoundSharedPairs{{x_indptr, x_indices, y_indptr, y_indices, label_weights},
                                        {rows_view(x_indptr, x_indices), n_features,
                                         rows_view(y_indptr, y_indices), view(label_weights), max_length}};
          },
          array("x_indptr"), array("x_indices"), "n_features"_a, array("y_indptr"), array("y_indices"),
          array("label_weights"), "max_length"_a)
      .def(
          "of",
          [](const BoundSharedPairs& self, int32_t first, int32_t last, int32_t min_rows, int n_threads) {
            PairCounts found = interruptible([&](Interrupt& interrupt) {
              return self.shared.of(first, last, min_rows, n_threads, interrupt);
            });
            return std::tuple(give(std::move(found.first)), give(std::move(found.second)),
                              give(std::move(found.n_rows)), give(std::move(found.shared)));
          },
          "first"_a, "last"_a, "min_rows"_a, "n_threads"_a);
}

}  // namespace

void bind_data(nb::module_& m) {
  bind_bytes(m);
  bind_text(m);
  bind_scaling(m);
  bind_affinity(m);
  bind_pairs(m);
}

}  // namespace labeltree::bind
