#include "calibration.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace labeltree::file {
namespace {

constexpr float MAX_FACTOR = 1000.0f;

using NodeArrays = std::vector<std::span<const float>>;

NodeArrays node_arrays(SectionReader& section, std::span<const Tree> trees, const std::string& name) {
  NodeArrays arrays;
  if (!section.has_array("tree0." + name)) return arrays;
  for (std::size_t t = 0; t < trees.size(); ++t)
    arrays.push_back(section.numbers<float>("tree" + std::to_string(t) + "." + name, trees[t].n_nodes()));
  return arrays;
}

// Comparisons with NaN are false, so that all rules are said in the positive.
template <class T, class Rule>
void check_each(std::span<const T> numbers, Rule rule, const char* words) {
  if (!std::ranges::all_of(numbers, rule)) refuse(words);
}

SiblingSums read_siblings(SectionReader& section) {
  if (!section.has_value("siblings")) return SiblingSums::independent;
  const std::string siblings = section.text("siblings");
  if (siblings == "one") return SiblingSums::one;
  if (siblings == "at_least_one") return SiblingSums::at_least_one;
  if (siblings != "independent")
    refuse("siblings must be one of independent, at_least_one, one, but is " +
           section.value("siblings").shown());
  return SiblingSums::independent;
}

void check_objective(SectionReader& section) {
  const JsonValue& objective = section.value("objective");
  const auto name = objective.text();
  const bool is_known = name == "macro_f1" || name == "micro_f1" || name == "expected_f1";
  if (objective.kind() != JsonKind::null && !is_known)
    refuse("objective must be null or one of macro_f1, micro_f1, expected_f1, but is " + objective.shown());
}

bool is_rising(std::span<const double> knots) {
  for (std::size_t i = 1; i < knots.size(); ++i)
    if (!(knots[i] > knots[i - 1])) return false;
  return true;
}

Curve read_curve(SectionReader& section) {
  if (!section.has_array("curve.x")) return {};
  const Curve curve{section.numbers<double>("curve.x"), section.numbers<double>("curve.y")};
  if (curve.x.size() != curve.y.size() || curve.x.size() < 2)
    refuse("curve.x and curve.y must have the same length, at least 2");
  const bool is_within =
      curve.x.front() == 0 && curve.x.back() == 1 && curve.y.front() >= 0 && curve.y.back() <= 1;
  if (!is_within || !is_rising(curve.x) || !is_rising(curve.y))
    refuse("curve.x must rise from 0 to 1, and curve.y must rise within 0..1");
  return curve;
}

// Labels that are predicted without a k; searches for the best k do not use them.
void check_thresholds(SectionReader& section, std::size_t n_labels) {
  if (!section.has_array("thresholds")) return;
  check_each(
      section.numbers<float>("thresholds", n_labels), [](float p) { return p >= 0 && p <= 1; },
      "thresholds must lie in 0..1, but some do not");
}

}  // namespace

Calibration read_calibration(SectionReader& section, std::span<const Tree> trees) {
  const std::size_t n_labels = trees.front().n_labels();
  Calibration made;
  made.siblings = read_siblings(section);
  check_objective(section);
  made.slope = node_arrays(section, trees, "slope");
  made.intercept = node_arrays(section, trees, "intercept");
  made.factor = node_arrays(section, trees, "factor");
  if (made.slope.empty() != made.intercept.empty())
    refuse("slope and intercept must both be present, or neither");
  for (const auto factor : made.factor)
    check_each(
        factor, [](float f) { return f > 0 && f <= MAX_FACTOR; },
        "factors of slopes must lie above 0 and up to 1000");
  made.curve = read_curve(section);
  check_thresholds(section, n_labels);
  if (section.has_array("weights")) made.weights = section.numbers<float>("weights", n_labels);
  check_each(
      made.weights, [](float w) { return std::isfinite(w) && w > 0; },
      "weights of labels must be finite and above 0, but some are not");
  section.finish();
  return made;
}

Links links_of(const Calibration& calibration, std::size_t t, const Tree& tree, const std::string& loss) {
  if (!calibration.slope.empty()) {
    const auto slope = calibration.slope[t], intercept = calibration.intercept[t];
    return {{slope.begin(), slope.end()}, {intercept.begin(), intercept.end()}};
  }
  const bool is_hinge = loss == "squared_hinge", is_divided = calibration.siblings == SiblingSums::one;
  const float first_slope = is_hinge ? 4.0f : 1.0f;
  const float first_intercept = !is_hinge ? 0.0f : is_divided ? -0.5f : 1.5f;
  Links links{std::vector<float>(tree.n_nodes(), first_slope),
              std::vector<float>(tree.n_nodes(), first_intercept)};
  for (std::size_t v = 0; v < tree.n_nodes(); ++v) {
    float& slope = links.slope[v];
    if (is_hinge && is_divided) {
      const double n_siblings = tree.degree(std::max(tree.parents()[v], 0));
      slope = static_cast<float>(std::max(4.0, 2.25 * std::sqrt(std::sqrt(n_siblings))));
    }
    if (calibration.factor.empty()) continue;
    const float factor = calibration.factor[t][v];
    links.intercept[v] += slope * (factor - 1.0f);
    slope *= factor;
  }
  return links;
}

}  // namespace labeltree::file
