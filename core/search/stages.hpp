// Search in stages: trees find the most probable labels, rankers rank them again, and labels that others
// imply are raised to these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/search.hpp"

namespace labeltree {

// The trees of a model, and its rankers and implied labels where it has them. A ranker is one more classifier
// at the end of a label's path: the probability of the label is the mean over the trees times the ranker's
// estimate, so it never rises. Then the probability of a label is the maximum of its own and of those of the
// labels that imply it.
struct Stages {
  std::span<const TreeModel* const> trees;
  const TreeModel* rankers;  // classifiers of the leaves of a tree over the same labels; null for none
  int32_t n_candidates;      // labels that the trees find for the rankers, where the query wants fewer
  LabelRows implied;         // of each label, in the order of results where they are equal; or no rows
};

// What search() and search_forest() find, ranked again where there are rankers. Of equals, the label that the
// trees found more probable comes first, after the labels that it implies. n_calls counts the classifiers of
// the trees, which alone have held scores. Limits must be made with the same implied labels.
SearchResults search(const Stages& stages, std::span<const LabelLimits* const> limits,
                     std::span<const HeldScores* const> held, const FeatureRows& rows, const Query& query,
                     Interrupt& interrupt);

// The probabilities of given labels of each row, in the order of labels.indices.
std::vector<float> probabilities_of(const Stages& stages, const FeatureRows& rows, const LabelRows& labels,
                                    const RowScaling& scaling, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
