#include "stored_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/implied_labels.hpp"

namespace labeltree::file {
namespace {

constexpr int64_t MAX_INT32 = std::numeric_limits<int32_t>::max();
constexpr double MAX_LINK = 1e6;
constexpr double MAX_FACTOR = 1e6;  // of the values of pairs

// Sections that a search needs, and those that it can do without.
const std::set<std::string> USED = {"estimator", "labels",  "row_scaling", "calibration",
                                    "model",     "rankers", "implications"};
const std::set<std::string> LEFT_ASIDE = {"written_by", "settings", "features", "online"};

void check_sections(const Sections& sections) {
  for (const Section& section : sections.list) {
    if (section.name == "text")
      refuse(
          "it holds a TextTagger, whose texts only Python can split into words. Save its classifier_ "
          "instead, and "
          "pass the features of texts");
    if (section.required && !USED.contains(section.name) && !LEFT_ASIDE.contains(section.name))
      refuse("section '" + section.name +
             "' is required, but this release does not know it. Upgrade labeltree");
  }
}

std::optional<SectionReader> find(const Sections& sections, const std::string& name) {
  for (const Section& section : sections.list)
    if (section.name == name) return SectionReader(section);
  return {};
}

SectionReader take(const Sections& sections, const std::string& name) {
  auto found = find(sections, name);
  if (!found) refuse("section '" + name + "' is missing");
  return *found;
}

// Whether rows are scaled to length 1, which is all that a search needs of the estimator.
bool read_estimator(const Sections& sections) {
  SectionReader section = take(sections, "estimator");
  const std::string kind = section.text("kind");
  if (kind != "PLTClassifier" && kind != "HSMClassifier")
    refuse("the estimator " + section.value("kind").shown() + " is unknown to this release");
  const JsonValue& parameters = section.value("parameters");
  if (parameters.kind() != JsonKind::object)
    refuse("section 'estimator': parameters must be an object, but is " + parameters.shown());
  for (const char* key : {"label_kind", "dense_labels", "training"}) section.value(key);
  section.finish();
  for (const auto& [name, value] : parameters.members()) {
    if (name != "normalize") continue;
    if (!value.boolean()) refuse("normalize must be true or false, but is " + value.shown());
    return *value.boolean();
  }
  return true;
}

Tree read_tree(SectionReader& section, const std::string& prefix) {
  const auto parent = section.numbers<int32_t>(prefix + ".parent");
  const auto label = section.numbers<int32_t>(prefix + ".label", parent.size());
  if (parent.size() > static_cast<std::size_t>(MAX_INT32)) refuse(prefix + ": it has too many nodes");
  try {
    Tree tree(parent, label);
    // Weights are stored by node number, so a renumbered tree would mix them up.
    if (!std::ranges::equal(tree.parents(), parent) || !std::ranges::equal(tree.labels(), label))
      refuse("nodes must be numbered breadth first, and none have one child");
    return tree;
  } catch (const std::invalid_argument& error) {
    refuse(prefix + ": " + error.what());
  }
}

std::size_t weight_bytes_of(SectionReader& section, const std::string& prefix, bool has_scale) {
  // Files from before 0.1.0 do not say it.
  if (!section.has_array(prefix + ".weight_bytes")) return has_scale ? 1 : 4;
  return section.numbers<uint8_t>(prefix + ".weight_bytes", 1)[0];
}

SiblingWeights read_weights(SectionReader& section, const std::string& prefix, const Tree& tree,
                            std::size_t n_features) {
  const auto scale = section.numbers<float>(prefix + ".scale");
  const WeightArrays arrays{.bias = section.numbers<float>(prefix + ".bias"),
                            .scale = scale,
                            .shift = section.numbers<uint8_t>(prefix + ".shift"),
                            .bucket_begin = section.numbers<int64_t>(prefix + ".bucket_begin"),
                            .byte_begin = section.numbers<int64_t>(prefix + ".byte_begin"),
                            .buckets = section.numbers<uint32_t>(prefix + ".buckets"),
                            .bytes = section.numbers<uint8_t>(prefix + ".bytes"),
                            .weight_bytes = weight_bytes_of(section, prefix, !scale.empty())};
  return {tree, arrays, n_features};
}

// Adds the name of what is read to a rule that it breaks.
template <class Read>
auto named(const std::string& prefix, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    refuse(prefix + ": " + error.what());
  }
}

}  // namespace

StoredModel::StoredModel(std::span<const uint8_t> file, bool verify) {
  const Sections sections = read_sections(file);
  check_sections(sections);
  if (verify) verify_arrays(sections);
  read(sections);
}

void StoredModel::read(const Sections& sections) {
  const bool normalize = read_estimator(sections);
  SectionReader model = take(sections, "model"), labels = take(sections, "labels");
  read_trees(model);
  if (auto section = find(sections, "calibration")) calibration_ = read_calibration(*section, trees_);
  const std::string loss = model.text("link");
  if (loss != "logistic" && loss != "squared_hinge")
    refuse("link must be one of logistic, squared_hinge, but is " + model.value("link").shown());
  make_models(model, loss);
  if (auto section = find(sections, "rankers")) read_rankers(*section);
  if (auto section = find(sections, "implications")) read_implications(*section);
  make_limits();
  auto scaling = find(sections, "row_scaling");
  read_scaling(scaling ? &*scaling : nullptr, normalize);
  names_ = LabelNames(labels, n_labels());
  labels.boolean("trees_have_names");
  labels.finish();
}

void StoredModel::read_trees(SectionReader& section) {
  const int32_t n_trees = section.integer("n_trees", static_cast<int64_t>(section.n_arrays()));
  n_features_ = static_cast<std::size_t>(section.integer("n_features", MAX_INT32));
  for (int32_t t = 0; t < n_trees; ++t) {
    trees_.push_back(read_tree(section, "tree" + std::to_string(t)));
    if (trees_.back().n_labels() != trees_.front().n_labels()) refuse("all trees must have the same labels");
  }
}

void StoredModel::make_models(SectionReader& section, const std::string& loss) {
  const bool has_root = section.boolean("has_root");
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const std::string prefix = "tree" + std::to_string(t);
    const Links links = links_of(calibration_, t, trees_[t], loss);
    named(prefix, [&] {
      return &models_.emplace_back(read_weights(section, prefix, trees_[t], n_features_), links.slope,
                                   links.intercept, has_root, calibration_.siblings);
    });
    views_.push_back(&models_.back());
  }
  section.finish();
}

void StoredModel::make_limits() {
  if (calibration_.weights.empty()) return;
  for (const Tree& tree : trees_)
    limit_views_.push_back(
        &limits_.emplace_back(tree, std::span<const float>(), calibration_.weights, implied_));
}

void StoredModel::read_rankers(SectionReader& section) {
  const auto slope = static_cast<float>(section.number("slope", -MAX_LINK, MAX_LINK));
  const auto intercept = static_cast<float>(section.number("intercept", -MAX_LINK, MAX_LINK));
  n_candidates_ = section.integer("n_candidates", MAX_INT32);
  const Tree& tree = trees_.front();
  named("rankers", [&] {
    return &rankers_.emplace(read_weights(section, "rankers", tree, n_features_),
                             std::vector<float>(tree.n_nodes(), slope),
                             std::vector<float>(tree.n_nodes(), intercept), true, SiblingSums::independent);
  });
  section.finish();
}

void StoredModel::read_implications(SectionReader& section) {
  implied_ = {section.numbers<int64_t>("implications.indptr", n_labels() + 1),
              section.numbers<int32_t>("implications.indices")};
  section.finish();
  named("implications", [&] {
    check_implied(implied_, n_labels());
    return 0;
  });
}

void StoredModel::read_scaling(SectionReader* section, bool normalize) {
  scaling_ = {.unit = normalize, .power = 1.0f, .weights = {}};
  if (section == nullptr) return;
  scaling_.unit = true;
  scaling_.power = static_cast<float>(section->number("power", 0.0, 2.0));
  scaling_.weights = section->numbers<float>("row_scaling.weights");
  if (section->has_array("row_scaling.pair_begin") || section->has_array("row_scaling.pair_partners"))
    read_pairs(*section);
  section->finish();
  if (!scaling_.weights.empty() && scaling_.weights.size() != n_features_)
    refuse("row_scaling has " + std::to_string(scaling_.weights.size()) + " weights, but there are " +
           std::to_string(n_features_) + " features");
  if (!std::ranges::all_of(scaling_.weights, [](float w) { return std::isfinite(w) && w > 0; }))
    refuse("weights of features must be finite and above 0");
}

void StoredModel::read_pairs(SectionReader& section) {
  FeaturePairs& pairs = scaling_.pairs;
  pairs.factor = static_cast<float>(section.number("pair_factor", 0.0, MAX_FACTOR));
  pairs.begin = section.numbers<int32_t>("row_scaling.pair_begin");
  pairs.partners = section.numbers<int32_t>("row_scaling.pair_partners");
  if (pairs.partners.empty() || pairs.begin.size() + pairs.partners.size() != n_features_ + 1)
    refuse("row_scaling has " + std::to_string(pairs.partners.size()) + " pairs of " +
           std::to_string(pairs.begin.size()) + " - 1 features, but the model has " +
           std::to_string(n_features_) + " features and pairs");
  named("row_scaling", [&] {
    check(pairs);
    return 0;
  });
  pair_filter_ = pair_filter(pairs);
  pairs.filter = pair_filter_;
}

BestLabels StoredModel::top_k(const QueryRow& row, int32_t k) const {
  const Stages stages{views_, rankers_ ? &*rankers_ : nullptr, n_candidates_, implied_};
  return best_labels(stages, limit_views_, row, k, 0, scaling_, calibration_.curve);
}

}  // namespace labeltree::file
