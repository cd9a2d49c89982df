#include "data/words.hpp"

#include "arrays.hpp"
#include "parts.hpp"

namespace labeltree::bind {
namespace {

// A vocabulary with the arrays that it looks at, which may be parts of a mapped file.
struct BoundVocabulary {
  std::tuple<U8, I64, U32> keep;
  Vocabulary vocabulary;
};

}  // namespace

void bind_words(nb::module_& m) {
  m.attr("TOKEN_END") = TOKEN_END;
  m.attr("TEXT_END") = TEXT_END;
  m.def(
      "word_table",
      [](U8 text, I64 ends) {
        return give(unlocked([&] { return Vocabulary::make_table(view(text), view(ends)); }));
      },
      array("text"), array("ends"));
  nb::class_<BoundVocabulary>(m, "Vocabulary", "Words by hash; see core/data/words.hpp.")
      .def(
          "__init__",
          [](BoundVocabulary* self, U8 text, I64 ends, U32 table) {
            new (self) BoundVocabulary{{text, ends, table}, {view(text), view(ends), view(table)}};
          },
          array("text"), array("ends"), array("table"))
      .def(
          "find",
          [](const BoundVocabulary& self, nb::bytes word) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(word.c_str());
            return self.vocabulary.find({bytes, word.size()});
          },
          "word"_a);
  m.def(
      "hashed_column",
      [](nb::bytes word, int32_t n_columns) {
        if (n_columns < 1) throw std::invalid_argument("there must be at least one column");
        return hashed_column({reinterpret_cast<const uint8_t*>(word.c_str()), word.size()}, n_columns);
      },
      "word"_a, "n_columns"_a);
  m.def(
      "word_rows",
      [](nb::bytes tokens, const BoundVocabulary* vocabulary, int32_t min_n, int32_t max_n, F32 tf, F32 idf) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(tokens.c_str());
        auto rows = unlocked([&] {
          return word_rows({bytes, tokens.size()}, vocabulary == nullptr ? nullptr : &vocabulary->vocabulary,
                           {min_n, max_n, view(tf), view(idf)});
        });
        return std::tuple(give(std::move(rows.indptr)), give(std::move(rows.indices)),
                          give(std::move(rows.values)));
      },
      "tokens"_a, "vocabulary"_a.none(), "min_n"_a, "max_n"_a, array("tf"), array("idf"));
}

}  // namespace labeltree::bind
