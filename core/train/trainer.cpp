#include "train/trainer.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "data/walked_pages.hpp"
#include "train/pack_trainer.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

constexpr int32_t NONE = -1;
// Bytes of files by which a walk may exceed its limit: the system maps up to 2 MiB of each at once.
constexpr double PAGES_BEYOND = 8.0 * 1024.0 * 1024.0;
constexpr double MAX_SLICES = 8.0;
constexpr double ENTRY_BYTES = 8.0;  // of a feature and its value
// To begin a pack and to collect its weights takes as long as the solver with this many of its features, by
// measurement (benchmarks/pages/cost_model.py).
constexpr double ENDS = 8.0;
// Products of more rows than this would take more than 64 MiB.
constexpr double MAX_MULTIPLIED = 4096.0;
// A pack walks about this many times over the features of its rows, and over its rows where products are
// known: several passes, with scores and changes.
constexpr double WALKS = 10.0, STEPS = 5.0;
constexpr double MAX_SHARE = 0.67;  // of the time without products

// Time of packs of the same rows with the products of these rows, relative to that without. To multiply rows
// takes as long as half a walk for every sixteen of them, and to make weights of them takes two walks.
double share_with_products(double n_rows, double n_features, double n_packs) {
  if (n_rows > MAX_MULTIPLIED) return 1.0;
  const double multiplied = n_features * n_rows / (2.0 * N_LANES);
  const double with = multiplied + n_packs * (2.0 * n_features + STEPS * n_rows * n_rows);
  return with / std::max(n_packs * WALKS * n_features, 1.0);
}

}  // namespace

Trainer::Trainer(const Tree& tree, const TrainingRows& rows, const LossWeights& loss_weights,
                 const WarmStart& warm_start, const TrainSettings& settings)
    : tree_(tree),
      labels_(rows.labels),
      candidates_(rows.candidates),
      features_(rows.features),
      n_features_(rows.n_features),
      page_bytes_(rows.page_bytes),
      loss_weights_(loss_weights),
      warm_start_(warm_start),
      settings_(settings) {
  check_rows();
  read_features(!rows.is_estimate);
  if (is_warm()) check_warm_start();
  weights_.assign(rows.n_positive.begin(), rows.n_positive.end());
  if (weights_.empty()) weights_ = node_weights(tree, labels_);
  if (weights_.size() != tree.n_nodes())
    throw std::invalid_argument("there must be one count of positive rows for each node");
  const bool with_root = weights_[0] < static_cast<int64_t>(labels_.size());
  packs_ = has_candidates() ? make_leaf_packs(tree, weights_, N_LANES)
                            : make_packs(tree, weights_, with_root, N_LANES);
  n_slices_ = most_slices();
  if (n_slices_ > 1) packs_ = sliced(std::move(packs_), weights_, n_slices_, settings_.slice_positive);
  if (!rows.held.empty()) set_held(rows.held, with_root);
  index_rows();
  set_costs();
}

void Trainer::check_rows() const {
  check_pointers(features_.indptr, features_.indices.size());
  if (features_.values.size() != features_.indices.size())
    throw std::invalid_argument("every feature of a row has one value");
  check(labels_, tree_.n_labels());
  if (features_.size() != labels_.size() ||
      (!loss_weights_.row.empty() && loss_weights_.row.size() != labels_.size()))
    throw std::invalid_argument("labels, features and row weights must have equally many rows");
  if (has_candidates()) {
    check(candidates_, tree_.n_labels());
    if (candidates_.size() != labels_.size())
      throw std::invalid_argument("labels and candidates must have equally many rows");
  }
  if (loss_weights_.positive.size() != tree_.n_nodes() || loss_weights_.negative.size() != tree_.n_nodes())
    throw std::invalid_argument("there must be two loss weights for each node");
}

// One walk over all features, because they may be larger than memory.
void Trainer::read_features(bool with_squares) {
  WalkedPages pages(features_, page_bytes_);
  square_.assign(features_.size(), 0.0f);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const int64_t begin = features_.indptr[i], end = features_.indptr[i + 1];
    const auto row = features_.indices.subspan(at(begin), at(end - begin));
    const bool is_sorted = std::ranges::is_sorted(row);
    if (is_sorted && !row.empty()) check_columns(row.first(1), n_features_, "feature");
    check_columns(is_sorted && !row.empty() ? row.last(1) : row, n_features_, "feature");
    is_ascending_ = is_ascending_ && is_sorted;
    is_full_ = is_full_ && row.size() == n_features_ && is_ascending_ &&
               std::ranges::adjacent_find(row) == row.end();
    float square = 0.0f;
    for (int64_t e = begin; e < end && with_squares; ++e)
      square += features_.values[at(e)] * features_.values[at(e)];
    square_[i] = square;
    pages.visit(begin, end);
  }
  pages.release();
}

void Trainer::check_warm_start() const {
  const bool fits = warm_start_.indptr.size() == tree_.n_nodes() + 1 && warm_start_.indptr.front() == 0 &&
                    std::ranges::is_sorted(warm_start_.indptr) &&
                    at(warm_start_.indptr.back()) == warm_start_.features.size() &&
                    warm_start_.values.size() == warm_start_.features.size() &&
                    warm_start_.bias.size() == tree_.n_nodes();
  if (!fits) throw std::invalid_argument("a warm start must have weights for each node of the tree");
  for (const int32_t feature : warm_start_.features)
    if (feature < 0 || at(feature) >= n_features_)
      throw std::invalid_argument("a warm start must have features below the columns of X");
}

void Trainer::set_held(std::span<const int32_t> held, bool with_root) {
  if (has_candidates()) throw std::invalid_argument("no rows are held back where rankers are trained");
  held_of_.assign(labels_.size(), NONE);
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> labels;
  int32_t last = NONE;
  for (const int32_t row : held) {
    if (row <= last || at(row) >= labels_.size())
      throw std::invalid_argument("rows that are held back must be ascending numbers of rows");
    held_of_[at(row)] = static_cast<int32_t>(indptr.size()) - 1;
    labels.insert(labels.end(), labels_[at(row)].begin(), labels_[at(row)].end());
    indptr.push_back(static_cast<int64_t>(labels.size()));
    last = row;
  }
  held_pairs_ = PathPairs(tree_, {indptr, labels}, with_root);
}

// Calls visit(row, top) once for every row of every top; some of these tops have no pack.
template <class Visit>
void Trainer::visit_tops(Visit visit) const {
  if (!has_candidates()) {
    for (std::size_t i = 0; i < labels_.size(); ++i) visit(i, NONE);
    visit_inner(tree_, labels_, visit);
    return;
  }
  std::vector<int32_t> top_of(tree_.n_labels(), NONE);
  for (const Pack& pack : packs_)
    for (const int32_t v : pack.nodes) top_of[at(tree_.label(v))] = pack.top;
  std::vector<int64_t> last_row(tree_.n_nodes(), NONE);
  for (std::size_t i = 0; i < labels_.size(); ++i)
    for (const auto& named : {labels_[i], candidates_[i]})
      for (const int32_t j : named) {
        const int32_t top = top_of[at(j)];
        if (top == NONE || last_row[at(top)] == static_cast<int64_t>(i)) continue;
        last_row[at(top)] = static_cast<int64_t>(i);
        visit(i, top);
      }
}

// Slices of the rows of the root, from counts alone: the same on every machine.
int32_t Trainer::most_slices() const {
  if (settings_.slice_entries <= 0.0 || has_candidates() || is_warm()) return 1;
  const double by_entries = static_cast<double>(features_.values.size()) / settings_.slice_entries;
  const double enough_rows = std::max(settings_.slice_rows * static_cast<double>(n_features_), 1.0);
  const double by_rows = static_cast<double>(weights_[0]) / enough_rows;
  return static_cast<int32_t>(std::clamp(std::min(by_entries, by_rows), 1.0, MAX_SLICES));
}

// Gives tops of packs, and slices of them, their slots, and returns how many there are.
std::size_t Trainer::number_slots() {
  slot_.assign(tree_.n_nodes() + 1, NONE);
  for (const Pack& pack : packs_)
    (pack.n_slices > 1 ? sliced_slot_[pack.top + 1] : slot_[at(pack.top + 1)]) = 0;
  int32_t n_slots = 0;
  for (int32_t& slot : slot_)
    if (slot != NONE) slot = n_slots++;
  for (int32_t& slot : sliced_slot_)
    if (slot != NONE) slot = std::exchange(n_slots, n_slots + n_slices_);
  return at(n_slots);
}

// Sets begin_[slot + 1] to the rows of each slot. Those of a node are as many as it has positive rows.
void Trainer::count_rows() {
  for (std::size_t v = 0; v < slot_.size(); ++v)
    if (slot_[v] != NONE)
      begin_[at(slot_[v]) + 1] = v == 0 ? static_cast<int64_t>(labels_.size()) : weights_[v - 1];
  for (int32_t top = NONE; top <= 0; ++top)
    if (const int32_t first = sliced_slot_[top + 1]; first != NONE)
      for (std::size_t row = 0; row < labels_.size(); ++row)
        if (top == NONE || !labels_[row].empty()) ++begin_[at(first) + row % at(n_slices_) + 1];
}

void Trainer::index_rows() {
  begin_.assign(number_slots() + 1, 0);
  const auto visit_slots = [&](auto visit) {
    visit_tops([&](std::size_t row, int32_t top) {
      if (slot_[at(top + 1)] != NONE) visit(row, at(slot_[at(top + 1)]));
      if (top <= 0 && sliced_slot_[top + 1] != NONE)
        visit(row, at(sliced_slot_[top + 1]) + row % at(n_slices_));
    });
  };
  if (has_candidates())
    visit_slots([&](std::size_t, std::size_t slot) { ++begin_[slot + 1]; });
  else
    count_rows();
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  rows_.resize(at(begin_.back()));
  std::vector<int64_t> next(begin_.begin(), begin_.end() - 1);
  visit_slots(
      [&](std::size_t row, std::size_t slot) { rows_[at(next[slot]++)] = static_cast<int32_t>(row); });
}

std::size_t Trainer::slot_of(const Pack& pack) const {
  if (pack.n_slices == 1) return at(slot_[at(pack.top + 1)]);
  return at(sliced_slot_[pack.top + 1] + pack.slice);
}

void Trainer::set_costs() {
  std::vector<double> features(begin_.size() - 1, 0.0);  // [slot] of all rows of a top, summed
  std::vector<int32_t> n_packs(begin_.size() - 1, 0);    // [slot]
  for (const Pack& pack : packs_) ++n_packs[slot_of(pack)];
  for (std::size_t slot = 0; slot + 1 < begin_.size(); ++slot)
    for (auto e = at(begin_[slot]); e < at(begin_[slot + 1]); ++e) {
      const auto row = at(rows_[e]);
      features[slot] += 1.0 + static_cast<double>(features_.indptr[row + 1] - features_.indptr[row]);
    }
  const bool can_multiply = !is_full_ && !is_warm() && !has_candidates() && is_ascending_;
  product_share_.assign(features.size(), 1.0);
  for (std::size_t slot = 0; slot < features.size() && can_multiply; ++slot)
    product_share_[slot] = share_with_products(static_cast<double>(begin_[slot + 1] - begin_[slot]),
                                               features[slot], static_cast<double>(n_packs[slot]));
  const auto cost = [&](const Pack& pack) {
    const double walked = features[slot_of(pack)];
    const double share = is_multiplied(pack) ? product_share_[slot_of(pack)] : 1.0;
    return share * walked + ENDS * std::min(walked, static_cast<double>(n_features_));
  };
  std::ranges::stable_sort(packs_, std::greater<>(), cost);
  for (const Pack& pack : packs_) costs_.push_back(cost(pack));
}

std::span<const int32_t> Trainer::rows_of(const Pack& pack) const {
  const auto slot = slot_of(pack);
  const auto begin = static_cast<std::size_t>(begin_[slot]);
  return std::span(rows_).subspan(begin, static_cast<std::size_t>(begin_[slot + 1]) - begin);
}

// Copied rows are few: their products would cost more than they save, and their features do not ascend.
bool Trainer::is_multiplied(const Pack& pack) const {
  const auto slot = slot_of(pack);
  return product_share_[slot] < MAX_SHARE && !is_copied(at(begin_[slot + 1] - begin_[slot]));
}

// What `multiply` makes for the rows of a pack, unless it was made last.
Trainer::Products Trainer::products_of(const Pack& pack, const std::function<void(Block&)>& multiply) const {
  const std::lock_guard lock(products_mutex_);
  if (products_slot_ != slot_of(pack)) {
    auto products = std::make_shared<Block>();
    multiply(*products);
    products_ = std::move(products);
    products_slot_ = slot_of(pack);
  }
  return products_;
}

bool Trainer::is_copied(std::size_t n_rows) const {
  return !is_full_ && static_cast<double>(n_rows) <= MAX_COPIED * static_cast<double>(labels_.size());
}

std::vector<double> Trainer::costs() const {
  return costs_;
}

std::vector<int64_t> Trainer::n_rows() const {
  std::vector<int64_t> n_rows;
  for (const Pack& pack : packs_) n_rows.push_back(static_cast<int64_t>(rows_of(pack).size()));
  return n_rows;
}

std::vector<int32_t> Trainer::n_slices() const {
  std::vector<int32_t> n_slices(tree_.n_nodes(), 0);
  for (const Pack& pack : packs_)
    for (const int32_t v : pack.nodes) n_slices[at(v)] = pack.n_slices;
  return n_slices;
}

std::vector<uint8_t> Trainer::is_trained() const {
  std::vector<uint8_t> is_trained(tree_.n_nodes(), 0);
  for (const Pack& pack : packs_)
    for (const int32_t v : pack.nodes) is_trained[at(v)] = 1;
  return is_trained;
}

double Trainer::thread_bytes(double window_bytes) const {
  constexpr double lane_bytes = 4.0 * N_LANES;
  double n_rows = 0.0;
  for (const Pack& pack : packs_) n_rows = std::max(n_rows, static_cast<double>(rows_of(pack).size()));
  // A window also has the numbers of its rows.
  const double copied = window_bytes > 0.0
                            ? window_bytes + 4.0 * n_rows + PAGES_BEYOND + static_cast<double>(page_bytes_)
                        : is_full_ ? 0.0
                                   : MAX_COPIED * ENTRY_BYTES * static_cast<double>(features_.values.size());
  double n_multiplied = 0.0;
  for (const Pack& pack : packs_)
    if (is_multiplied(pack)) n_multiplied = std::max(n_multiplied, static_cast<double>(rows_of(pack).size()));
  return static_cast<double>(n_features_) * (lane_bytes + 12.0) + n_rows * (lane_bytes + 28.0) + copied +
         4.0 * n_multiplied * n_multiplied + lane_bytes * 2.0 * n_multiplied;
}

double Trainer::shared_bytes() const {
  return 4.0 * static_cast<double>(rows_.size() + square_.size()) +
         40.0 * static_cast<double>(tree_.n_nodes());
}

double Trainer::min_window_bytes() const {
  int64_t most = 0;  // entries of rows that are multiplied, which must be there together
  std::size_t slot = begin_.size();
  for (const Pack& pack : packs_) {
    if (slot_of(pack) == slot || !is_multiplied(pack)) continue;
    slot = slot_of(pack);
    int64_t n_entries = 0;
    for (const int32_t row : rows_of(pack))
      n_entries += features_.indptr[at(row) + 1] - features_.indptr[at(row)];
    most = std::max(most, n_entries);
  }
  return ENTRY_BYTES *
         std::max(static_cast<double>(RowWindow::min_entries(features_)), static_cast<double>(most));
}

NodeWeights Trainer::train(std::size_t first, std::size_t last, int n_threads, double window_bytes,
                           Interrupt& interrupt) const {
  if (window_bytes > 0.0 && window_bytes < min_window_bytes())
    throw std::invalid_argument("a window must hold the rows that are visited at once");
  const WindowLimits limits{static_cast<std::size_t>(window_bytes / ENTRY_BYTES),
                            window_bytes > 0.0 ? page_bytes_ : 0};
  last = std::min(last, packs_.size());
  first = std::min(first, last);
  std::vector<NodeWeights> parts(last - first);
  std::vector<std::unique_ptr<PackTrainer>> trainers(n_workers(parts.size(), n_threads));
  parallel_for(parts.size(), n_threads, interrupt, [&](std::size_t i, std::size_t worker) {
    if (!trainers[worker]) trainers[worker] = std::make_unique<PackTrainer>(*this, limits);
    parts[i] = trainers[worker]->train(packs_[first + i], interrupt);
  });
  NodeWeights all;
  for (NodeWeights& part : parts) {
    const auto shift = static_cast<int64_t>(all.features.size());
    all.nodes.insert(all.nodes.end(), part.nodes.begin(), part.nodes.end());
    for (std::size_t i = 1; i < part.indptr.size(); ++i) all.indptr.push_back(part.indptr[i] + shift);
    all.features.insert(all.features.end(), part.features.begin(), part.features.end());
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
    all.bias.insert(all.bias.end(), part.bias.begin(), part.bias.end());
    all.held_pairs.insert(all.held_pairs.end(), part.held_pairs.begin(), part.held_pairs.end());
    all.held_scores.insert(all.held_scores.end(), part.held_scores.begin(), part.held_scores.end());
    all.n_visits += part.n_visits;
    all.n_passes = std::max(all.n_passes, part.n_passes);
    all.n_far_pairs += part.n_far_pairs;
    part = {};
  }
  return all;
}

double training_work(const Tree& tree, const LabelRows& labels, const FeatureRows& features,
                     std::size_t n_features) {
  const std::vector<float> loss_weights(tree.n_nodes(), 1.0f);
  TrainingRows rows{labels, features, n_features, {}, {}};
  rows.is_estimate = true;
  const Trainer trainer(tree, rows, {loss_weights, loss_weights, {}}, {}, {});
  const std::vector<double> costs = trainer.costs();
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

}  // namespace labeltree
