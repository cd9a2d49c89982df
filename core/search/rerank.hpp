// The first two stages: trees find the most probable labels, and rankers rank them again.
#pragma once

#include <span>
#include <vector>

#include "search/stages.hpp"

namespace labeltree {

// As search() and probabilities_of() of stages, without implied labels.
SearchResults search_ranked(const Stages& stages, std::span<const LabelLimits* const> limits,
                            std::span<const HeldScores* const> held, const FeatureRows& rows,
                            const Query& query, Interrupt& interrupt);
std::vector<float> ranked_probabilities_of(const Stages& stages, const FeatureRows& rows,
                                           const LabelRows& labels, const RowScaling& scaling, int n_threads,
                                           Interrupt& interrupt);

}  // namespace labeltree
