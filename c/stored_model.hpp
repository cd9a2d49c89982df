// The model of a file, ready for searches.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration.hpp"
#include "label_names.hpp"
#include "model/tree_model.hpp"
#include "search/one_row.hpp"
#include "sections.hpp"

namespace labeltree::file {

// Immutable once it is made, so that threads can share it. Its arrays are those of the file.
class StoredModel {
 public:
  // The bytes of a file must begin at a multiple of 64, as maps do, and outlive this; checksums of arrays are
  // for maps alone. Throws std::exception, with a sentence that does not name the file.
  StoredModel(std::span<const uint8_t> file, bool verify);
  StoredModel(const StoredModel&) = delete;  // parts point to each other
  StoredModel& operator=(const StoredModel&) = delete;

  std::size_t n_labels() const { return trees_.front().n_labels(); }
  std::size_t n_features() const { return scaling_.n_given(n_features_); }  // of a row
  const LabelNames& names() const { return names_; }

  // Throws std::invalid_argument where the row breaks a rule.
  BestLabels top_k(const QueryRow& row, int32_t k) const;

 private:
  void read(const Sections& sections);
  void read_trees(SectionReader& section);
  void read_scaling(SectionReader* section, bool normalize);
  void read_pairs(SectionReader& section);
  void read_rankers(SectionReader& section);
  void read_implications(SectionReader& section);
  void make_models(SectionReader& section, const std::string& loss);
  void make_limits();

  std::size_t n_features_ = 0;
  std::vector<Tree> trees_;
  Calibration calibration_;
  std::deque<TreeModel> models_;
  std::vector<const TreeModel*> views_;
  std::optional<TreeModel> rankers_;
  int32_t n_candidates_ = 0;
  LabelRows implied_{};  // of each label, or no rows
  std::deque<LabelLimits> limits_;
  std::vector<const LabelLimits*> limit_views_;
  std::vector<uint64_t> pair_filter_;
  RowScaling scaling_{};
  LabelNames names_;
};

}  // namespace labeltree::file
