// Search from the root: the most probable labels of a row, or all labels above a threshold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"
#include "data/row_scaling.hpp"
#include "data/sparse.hpp"
#include "model/curve.hpp"
#include "model/tree_model.hpp"
#include "search/held_scores.hpp"

namespace labeltree {

// What differs from label to label, brought up to all nodes of a tree so that a search knows where not to go.
class LabelLimits {
 public:
  // [label] or empty. Labels of weight 0 are never found; the others are ranked by weight times what the
  // query's curve makes of their probability. `implied` has the labels that each label implies, or no rows:
  // a search must find a label if it or one of those is wanted.
  LabelLimits(const Tree& tree, std::span<const float> threshold, std::span<const float> weight,
              const LabelRows& implied = {});

  float threshold(int32_t node) const { return threshold_.empty() ? 0.0f : threshold_[std::size_t(node)]; }
  float weight(int32_t node) const { return weight_.empty() ? 1.0f : weight_[std::size_t(node)]; }

  // Of a label alone, where it implies others.
  float own_threshold(int32_t label) const {
    return own_threshold_.empty() ? 0.0f : own_threshold_[std::size_t(label)];
  }
  float own_weight(int32_t label) const {
    return own_weight_.empty() ? 1.0f : own_weight_[std::size_t(label)];
  }

 private:
  std::vector<float> threshold_, weight_;  // [node] the smallest threshold and the largest weight below
  std::vector<float> own_threshold_, own_weight_;  // [label] as given, where labels imply others
};

// Labels and probabilities of each row, best first.
struct SearchResults {
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> labels;
  std::vector<float> probabilities;
  std::vector<int64_t> n_calls;  // [row] node classifiers evaluated
};

struct Query {
  int32_t k;               // 0 for no limit
  float threshold;         // labels with a smaller probability are left out
  int32_t beam;            // nodes that a row keeps at most on each level; 0 for an exact search
  int32_t nodes_per_step;  // nodes that a row of an exact search evaluates at most before it looks at their
                           // probabilities: 1 evaluates fewest, more let rows share what is in the cache
  RowScaling scaling;      // what becomes of rows first
  Curve curve;             // for ranks by weight; results are probabilities before it
  int n_threads;           // the results are the same for every number
};

// One tree. Exact unless there is a beam: probabilities never rise on the way down, so a node is evaluated
// unless enough labels are known that are better. Of equals the one with the smaller leaf comes first.
// `limits` and `held` may be null.
SearchResults search(const TreeModel& model, const LabelLimits* limits, const HeldScores* held,
                     const FeatureRows& rows, const Query& query, Interrupt& interrupt);

// The mean over several trees, exactly, row by row. limits and held have one for each tree or are empty.
SearchResults search_forest(std::span<const TreeModel* const> trees,
                            std::span<const LabelLimits* const> limits,
                            std::span<const HeldScores* const> held, const FeatureRows& rows,
                            const Query& query, Interrupt& interrupt);

// The mean probabilities of given labels of each row, in the order of labels.indices.
std::vector<float> probabilities_of(std::span<const TreeModel* const> trees, const FeatureRows& rows,
                                    const LabelRows& labels, const RowScaling& scaling, int n_threads,
                                    Interrupt& interrupt);

}  // namespace labeltree
