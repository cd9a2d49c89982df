// How scores become probabilities.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/curve.hpp"
#include "model/siblings.hpp"
#include "section_reader.hpp"
#include "tree/tree.hpp"

namespace labeltree::file {

// Arrays of the section `calibration` that searches use, with one of each for each tree; empty where there
// are none.
struct Calibration {
  std::vector<std::span<const float>> slope, intercept, factor;  // [tree][node]
  std::span<const float> weights;                                // [label]
  Curve curve{};
  SiblingSums siblings = SiblingSums::independent;
};

// Throws std::invalid_argument with the rule that the section breaks.
Calibration read_calibration(SectionReader& section, std::span<const Tree> trees);

// Slope and intercept of each node of a tree.
struct Links {
  std::vector<float> slope, intercept;
};

// Those of the calibration, or those that belong to a loss; the same numbers as in model/links.py.
Links links_of(const Calibration& calibration, std::size_t t, const Tree& tree, const std::string& loss);

}  // namespace labeltree::file
