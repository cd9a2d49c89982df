// Search in two stages: trees find the most probable labels, and rankers rank them again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/search.hpp"

namespace labeltree {

// The trees of a model, and its rankers where it has them. A ranker is one more classifier at the end of a
// label's path: the probability of the label is the mean over the trees times the ranker's estimate, so it
// never rises.
struct Stages {
  std::span<const TreeModel* const> trees;
  const TreeModel* rankers;  // classifiers of the leaves of a tree over the same labels; null for none
  int32_t n_candidates;      // labels that the trees find for the rankers, where the query wants fewer
};

// What search() and search_forest() find, ranked again where there are rankers. Of equals, the label that the
// trees found more probable comes first. n_calls counts the classifiers of the trees, which alone have held
// scores.
SearchResults search(const Stages& stages, std::span<const LabelLimits* const> limits,
                     std::span<const HeldScores* const> held, const FeatureRows& rows, const Query& query,
                     Interrupt& interrupt);

// The probabilities of given labels of each row, in the order of labels.indices.
std::vector<float> probabilities_of(const Stages& stages, const FeatureRows& rows, const LabelRows& labels,
                                    const RowScaling& scaling, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
