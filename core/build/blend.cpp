#include "build/blend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "build/cluster.hpp"
#include "build/label_vectors.hpp"
#include "build/merge.hpp"
#include "build/similarity.hpp"

namespace labeltree {
namespace {

constexpr int32_t MAX_PART = 4096;       // items that are merged together
constexpr double MIN_SIMILARITY = 0.75;  // below it, labels of different parts are expensive to keep apart
constexpr int64_t SHRINK = 8;            // at least this many times fewer items are left
constexpr int32_t MAX_NEAR = 16;         // items of the smallest groups of neighbors
constexpr auto NO_LIMIT = std::numeric_limits<int32_t>::max();

void scale_to_length_1(std::span<Entry> vector) {
  double square = 0.0;
  for (const Entry& entry : vector)
    square += static_cast<double>(entry.value) * static_cast<double>(entry.value);
  const auto scale = static_cast<float>(square > 0.0 ? 1.0 / std::sqrt(square) : 0.0);
  for (Entry& entry : vector) entry.value *= scale;
}

NodeLists two_means(LabelVectors vectors, int32_t max_leaf_size, uint64_t seed, int n_threads,
                    Interrupt& interrupt) {
  const std::span entries(vectors.entries);
  for (std::size_t j = 0; j < vectors.size(); ++j)
    scale_to_length_1(entries.subspan(at(vectors.begin[j]), vectors[j].size()));
  return cluster(std::move(vectors),
                 {.arity = 2,
                  .max_leaf_size = max_leaf_size,
                  .balanced = true,
                  .max_depth = NO_LIMIT,
                  .seed = seed,
                  .n_threads = n_threads},
                 interrupt);
}

}  // namespace

void Selector::select(const LabelVectors& vectors, std::span<const int32_t> items, BlendPart& part) {
  for (const int32_t feature : used_) local_[at(feature)] = -1;
  used_.clear();
  part.vectors = {0, {0}, {}};
  for (const int32_t item : items) {
    for (const Entry& entry : vectors[at(item)]) {
      int32_t& local = local_[at(entry.feature)];
      if (local < 0) {
        local = static_cast<int32_t>(used_.size());
        used_.push_back(entry.feature);
      }
      part.vectors.entries.push_back({local, entry.value});
    }
    part.vectors.begin.push_back(static_cast<int64_t>(part.vectors.entries.size()));
  }
  part.vectors.n_features = static_cast<int32_t>(used_.size());
  part.features = used_;
}

JoinedPart join_part(const BlendPart& part, Price price, double n_rows, double share, int n_threads,
                     Interrupt& interrupt) {
  const auto n_items = static_cast<int32_t>(part.vectors.size());
  const NodeLists nodes = two_means(part.vectors, MAX_NEAR, part.seed, n_threads, interrupt);
  const Tree groups(nodes.parent, nodes.label);
  Similarity similarity(part.vectors, groups, share, MAX_ENTRIES);
  Forest forest =
      merge_similar({part.indptr, part.indices}, n_items, price,
                    {.n_rows = n_rows / static_cast<double>(part.step), .min_weight = part.min_weight},
                    similarity, interrupt);
  JoinedPart joined{std::move(forest.nodes.parent), {0, {0}, {}}};
  for (const int32_t name : forest.names) {
    for (const Entry& entry : similarity.take(name))
      joined.vectors.entries.push_back({part.features[at(entry.feature)], entry.value});
    joined.vectors.begin.push_back(static_cast<int64_t>(joined.vectors.entries.size()));
  }
  return joined;
}

Blending::Blending(LabelVectors vectors, const LabelRows& rows, const BlendSettings& settings)
    : settings_(settings),
      node_(vectors.size()),
      vectors_(std::move(vectors)),
      indptr_(rows.indptr.begin(), rows.indptr.end()),
      indices_(rows.indices.begin(), rows.indices.end()) {
  for (int32_t j = 0; j < n_items(); ++j) node_[at(j)] = add_node(j);
}

int32_t Blending::add_node(int32_t label) {
  tree_.parent.push_back(-1);
  tree_.label.push_back(label);
  return static_cast<int32_t>(tree_.parent.size()) - 1;
}

std::size_t Blending::split(Interrupt& interrupt) {
  const std::vector<int32_t> part_of = part_of_items(interrupt);
  parts_.assign(at(*std::ranges::max_element(part_of)) + 1, {});
  std::vector<int32_t> number(at(n_items()));  // in the part
  for (int32_t j = 0; j < n_items(); ++j) {
    Members& part = parts_[at(part_of[at(j)])];
    number[at(j)] = static_cast<int32_t>(part.items.size());
    part.items.push_back(j);
  }
  std::vector<std::size_t> last_row(parts_.size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t i = 0; i + 1 < indptr_.size(); ++i)
    for (int64_t e = indptr_[i]; e < indptr_[i + 1]; ++e) {
      const int32_t item = indices_[at(e)];
      const auto p = at(part_of[at(item)]);
      if (std::exchange(last_row[p], i) != i) parts_[p].indptr.push_back(parts_[p].indptr.back());
      parts_[p].indices.push_back(number[at(item)]);
      ++parts_[p].indptr.back();
    }
  return parts_.size();
}

// Similar items are in one part. Parts are numbered as items name them, because the order of nodes depends
// on the number of threads.
std::vector<int32_t> Blending::part_of_items(Interrupt& interrupt) const {
  if (n_items() <= MAX_PART || settings_.similarity < MIN_SIMILARITY)
    return std::vector<int32_t>(at(n_items()), 0);
  const uint64_t seed = stream(settings_.seed, level_);
  const NodeLists nodes = two_means(vectors_, MAX_PART, seed, settings_.n_threads, interrupt);
  std::vector<int32_t> part_of(at(n_items())), part_at(nodes.parent.size(), -1);
  for (std::size_t v = 0; v < nodes.parent.size(); ++v)
    if (nodes.label[v] >= 0) part_of[at(nodes.label[v])] = nodes.parent[v];
  int32_t n_parts = 0;
  for (int32_t& part : part_of) {
    int32_t& number = part_at[at(part)];
    if (number < 0) number = n_parts++;
    part = number;
  }
  return part_of;
}

std::vector<int32_t> Blending::order() const {
  std::vector<int32_t> order(parts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](int32_t p) { return parts_[at(p)].indices.size(); });
  return order;
}

// Every n-th row: the last clusters have many rows each, and a sample of these is enough.
void Blending::take_rows(const Members& members, BlendPart& part) {
  if (part.step == 1) {
    part.indptr = members.indptr;
    part.indices = members.indices;
    return;
  }
  part.indptr = {0};
  for (std::size_t i = 0; i + 1 < members.indptr.size(); i += at(part.step)) {
    const auto items = std::span(members.indices)
                           .subspan(at(members.indptr[i]), at(members.indptr[i + 1] - members.indptr[i]));
    part.indices.insert(part.indices.end(), items.begin(), items.end());
    part.indptr.push_back(static_cast<int64_t>(part.indices.size()));
  }
}

// Merging stops where clusters are large enough to look for partners in other parts.
BlendPart Blending::part(std::size_t number, Selector& selector) const {
  const Members& members = parts_.at(number);
  BlendPart part{{}, {}, {}, {}, std::numeric_limits<int64_t>::max(), 0};
  const auto n_rows = static_cast<int64_t>(members.indptr.size()) - 1;
  if (parts_.size() == 1 && level_ > 0)
    part.step = std::max<int64_t>(1, (n_rows + settings_.max_top_rows - 1) / settings_.max_top_rows);
  take_rows(members, part);
  if (parts_.size() > 1) part.min_weight = 1 + static_cast<int64_t>(indices_.size()) * SHRINK / n_items();
  part.seed = stream(stream(settings_.seed, level_), number);
  selector.select(vectors_, members.items, part);
  return part;
}

void Blending::join(std::span<const JoinedPart> joined) {
  LabelVectors vectors{vectors_.n_features, {0}, {}};
  std::vector<int32_t> next, cluster_of(at(n_items()));
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    graft(parts_[p], joined[p].parent, next, cluster_of);
    const LabelVectors& own = joined[p].vectors;
    const auto shift = static_cast<int64_t>(vectors.entries.size());
    vectors.entries.insert(vectors.entries.end(), own.entries.begin(), own.entries.end());
    for (std::size_t c = 1; c < own.begin.size(); ++c) vectors.begin.push_back(own.begin[c] + shift);
  }
  name_clusters(cluster_of);
  node_ = std::move(next);
  vectors_ = std::move(vectors);
  ++level_;
}

// Puts clusters in the place of the items of each row.
void Blending::name_clusters(std::span<const int32_t> cluster_of) {
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> indices;
  for (std::size_t i = 0; i + 1 < indptr_.size(); ++i) {
    for (int64_t e = indptr_[i]; e < indptr_[i + 1]; ++e) indices.push_back(cluster_of[at(indices_[at(e)])]);
    const auto begin = indices.begin() + indptr.back();
    std::sort(begin, indices.end());
    indices.erase(std::unique(begin, indices.end()), indices.end());
    indptr.push_back(static_cast<int64_t>(indices.size()));
  }
  indptr_ = std::move(indptr);
  indices_ = std::move(indices);
}

// Adds the nodes of a part to the tree and its clusters to the next items.
void Blending::graft(const Members& part, std::span<const int32_t> parents, std::vector<int32_t>& next,
                     std::vector<int32_t>& cluster_of) {
  std::vector<int32_t> number, cluster(parents.size());
  for (std::size_t v = 0; v < parents.size(); ++v) {
    number.push_back(v < part.items.size() ? node_[at(part.items[v])] : add_node(-1));
    if (parents[v] >= 0) continue;
    cluster[v] = static_cast<int32_t>(next.size());
    next.push_back(number[v]);
  }
  for (std::size_t v = parents.size(); v-- > 0;) {  // parents come after their children
    if (const int32_t p = parents[v]; p >= 0) {
      tree_.parent[at(number[v])] = number[at(p)];
      cluster[v] = cluster[at(p)];
    }
    if (v < part.items.size()) cluster_of[at(part.items[v])] = cluster[v];
  }
}

NodeLists blend(const FeatureRows& features, int32_t n_features, const LabelRows& rows, int32_t n_labels,
                Price price, const BlendSettings& settings, Interrupt& interrupt) {
  if (!(settings.similarity >= 0.0 && settings.similarity <= 1.0))
    throw std::invalid_argument("similarity must lie in 0..1, but is " + std::to_string(settings.similarity));
  Blending blending(short_label_vectors(features, n_features, rows, n_labels, settings.n_threads, interrupt),
                    rows, settings);
  const auto n_rows = static_cast<double>(rows.size());
  while (!blending.is_done()) {
    const std::size_t n_parts = blending.split(interrupt);
    const std::vector<int32_t> order = blending.order();
    const int n_threads = n_parts > 1 ? 1 : settings.n_threads;  // of each part
    std::vector<Selector> selectors(n_workers(n_parts, settings.n_threads), Selector(n_features));
    std::vector<JoinedPart> joined(n_parts);
    parallel_for(n_parts, settings.n_threads, interrupt, [&](std::size_t i, std::size_t worker) {
      const auto p = at(order[i]);
      joined[p] = join_part(blending.part(p, selectors[worker]), price, n_rows, settings.similarity,
                            n_threads, interrupt);
    });
    blending.join(joined);
  }
  return blending.finish();
}

}  // namespace labeltree
