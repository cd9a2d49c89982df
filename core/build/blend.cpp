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

// What is to be joined: labels at first, then clusters of them.
struct Items {
  std::vector<int32_t> node;    // [item] in the tree made so far
  LabelVectors vectors;         // sums of the labels' vectors
  std::vector<int64_t> indptr;  // items of each row
  std::vector<int32_t> indices;

  int32_t size() const { return static_cast<int32_t>(node.size()); }
};

// Items that are joined with each other only.
struct Part {
  std::vector<int32_t> items;
  std::vector<int64_t> indptr{0};  // items of each row that has some, by their numbers in the part
  std::vector<int32_t> indices;

  int32_t size() const { return static_cast<int32_t>(items.size()); }
};

// What has become of a part.
struct Clusters {
  Forest forest;  // over the items by their numbers in the part
  std::vector<std::vector<Entry>> vectors;
};

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

// Renumbers the features of some items, so that what is kept for each feature lies close together.
class Selector {
 public:
  explicit Selector(int32_t n_features) : local_(at(n_features), -1) {}

  LabelVectors select(const LabelVectors& vectors, std::span<const int32_t> items) {
    for (const int32_t feature : global_) local_[at(feature)] = -1;
    global_.clear();
    LabelVectors some{0, {0}, {}};
    for (const int32_t item : items) {
      for (const Entry& entry : vectors[at(item)]) {
        int32_t& local = local_[at(entry.feature)];
        if (local < 0) {
          local = static_cast<int32_t>(global_.size());
          global_.push_back(entry.feature);
        }
        some.entries.push_back({local, entry.value});
      }
      some.begin.push_back(static_cast<int64_t>(some.entries.size()));
    }
    some.n_features = static_cast<int32_t>(global_.size());
    return some;
  }

  int32_t feature(int32_t local) const { return global_[at(local)]; }

 private:
  std::vector<int32_t> local_, global_;  // [feature] or -1, [local feature]
};

class Blender {
 public:
  Blender(Price price, double n_rows, const BlendSettings& settings, Interrupt& interrupt)
      : price_(price), n_rows_(n_rows), settings_(settings), interrupt_(interrupt) {}

  NodeLists run(Items items) {
    for (int32_t j = 0; j < items.size(); ++j) items.node[at(j)] = add_node(j);
    for (uint64_t level = 0; items.size() > 1; ++level)
      items = join_within_parts(items, stream(settings_.seed, level));
    return std::move(tree_);
  }

 private:
  int32_t add_node(int32_t label) {
    tree_.parent.push_back(-1);
    tree_.label.push_back(label);
    return static_cast<int32_t>(tree_.parent.size()) - 1;
  }

  // Merging stops where clusters are large enough to look for partners in other parts.
  Items join_within_parts(const Items& items, uint64_t seed) {
    const std::vector<Part> parts = parts_of(items, seed);
    MergeLimits limits{.n_rows = n_rows_, .min_weight = std::numeric_limits<int64_t>::max()};
    if (parts.size() > 1)
      limits.min_weight = 1 + static_cast<int64_t>(items.indices.size()) * SHRINK / items.size();

    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t p) { return parts[p].indices.size(); });
    std::vector<Selector> selectors(n_workers(parts.size(), settings_.n_threads),
                                    Selector(items.vectors.n_features));
    std::vector<Clusters> joined(parts.size());
    const int n_threads = parts.size() > 1 ? 1 : settings_.n_threads;  // of each part
    parallel_for(parts.size(), settings_.n_threads, interrupt_, [&](std::size_t i, std::size_t worker) {
      const std::size_t p = order[i];
      joined[p] = join(items.vectors, parts[p], limits, stream(seed, p), n_threads, selectors[worker]);
    });
    return next_items(items, parts, joined);
  }

  std::vector<Part> parts_of(const Items& items, uint64_t seed) {
    const std::vector<int32_t> part_of = part_of_items(items, seed);
    std::vector<Part> parts(at(*std::ranges::max_element(part_of)) + 1);
    std::vector<int32_t> number(at(items.size()));  // in the part
    for (int32_t j = 0; j < items.size(); ++j) {
      Part& part = parts[at(part_of[at(j)])];
      number[at(j)] = part.size();
      part.items.push_back(j);
    }
    std::vector<std::size_t> last_row(parts.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i + 1 < items.indptr.size(); ++i)
      for (int64_t e = items.indptr[i]; e < items.indptr[i + 1]; ++e) {
        const int32_t item = items.indices[at(e)];
        const auto p = at(part_of[at(item)]);
        if (std::exchange(last_row[p], i) != i) parts[p].indptr.push_back(parts[p].indptr.back());
        parts[p].indices.push_back(number[at(item)]);
        ++parts[p].indptr.back();
      }
    return parts;
  }

  // Similar items are in one part. Parts are numbered as items name them, because the order of nodes depends
  // on the number of threads.
  std::vector<int32_t> part_of_items(const Items& items, uint64_t seed) {
    if (items.size() <= MAX_PART || settings_.similarity < MIN_SIMILARITY)
      return std::vector<int32_t>(at(items.size()), 0);
    const NodeLists nodes = two_means(items.vectors, MAX_PART, seed, settings_.n_threads, interrupt_);
    std::vector<int32_t> part_of(at(items.size())), part_at(nodes.parent.size(), -1);
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

  Clusters join(const LabelVectors& vectors, const Part& part, const MergeLimits& limits, uint64_t seed,
                int n_threads, Selector& selector) {
    const LabelVectors own = selector.select(vectors, part.items);
    const NodeLists nodes = two_means(own, MAX_NEAR, seed, n_threads, interrupt_);
    const Tree groups(nodes.parent, nodes.label);
    Similarity similarity(own, groups, settings_.similarity, MAX_ENTRIES);
    Clusters clusters;
    clusters.forest =
        merge_similar({part.indptr, part.indices}, part.size(), price_, limits, similarity, interrupt_);
    for (const int32_t name : clusters.forest.names) {
      clusters.vectors.push_back(similarity.take(name));
      for (Entry& entry : clusters.vectors.back()) entry.feature = selector.feature(entry.feature);
    }
    return clusters;
  }

  // Clusters are what is joined next.
  Items next_items(const Items& items, const std::vector<Part>& parts, const std::vector<Clusters>& joined) {
    Items next;
    next.vectors = {items.vectors.n_features, {0}, {}};
    std::vector<int32_t> cluster_of(at(items.size()));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      graft(items, parts[p], joined[p].forest.nodes, next, cluster_of);
      for (const std::vector<Entry>& vector : joined[p].vectors) {
        next.vectors.entries.insert(next.vectors.entries.end(), vector.begin(), vector.end());
        next.vectors.begin.push_back(static_cast<int64_t>(next.vectors.entries.size()));
      }
    }
    next.indptr.push_back(0);
    for (std::size_t i = 0; i + 1 < items.indptr.size(); ++i) {
      for (int64_t e = items.indptr[i]; e < items.indptr[i + 1]; ++e)
        next.indices.push_back(cluster_of[at(items.indices[at(e)])]);
      const auto begin = next.indices.begin() + next.indptr.back();
      std::sort(begin, next.indices.end());
      next.indices.erase(std::unique(begin, next.indices.end()), next.indices.end());
      next.indptr.push_back(static_cast<int64_t>(next.indices.size()));
    }
    return next;
  }

  // Adds the nodes of a part to the tree and its clusters to the next items.
  void graft(const Items& items, const Part& part, const NodeLists& nodes, Items& next,
             std::vector<int32_t>& cluster_of) {
    std::vector<int32_t> number, cluster(nodes.parent.size());
    for (std::size_t v = 0; v < nodes.parent.size(); ++v) {
      number.push_back(v < part.items.size() ? items.node[at(part.items[v])] : add_node(-1));
      if (nodes.parent[v] >= 0) continue;
      cluster[v] = next.size();
      next.node.push_back(number[v]);
    }
    for (std::size_t v = nodes.parent.size(); v-- > 0;) {  // parents come after their children
      if (const int32_t p = nodes.parent[v]; p >= 0) {
        tree_.parent[at(number[v])] = number[at(p)];
        cluster[v] = cluster[at(p)];
      }
      if (v < part.items.size()) cluster_of[at(part.items[v])] = cluster[v];
    }
  }

  Price price_;
  double n_rows_;
  BlendSettings settings_;
  Interrupt& interrupt_;
  NodeLists tree_;
};

}  // namespace

NodeLists blend(const FeatureRows& features, int32_t n_features, const LabelRows& rows, int32_t n_labels,
                Price price, const BlendSettings& settings, Interrupt& interrupt) {
  if (!(settings.similarity >= 0.0 && settings.similarity <= 1.0))
    throw std::invalid_argument("similarity must lie in 0..1, but is " + std::to_string(settings.similarity));
  Items labels;
  labels.vectors =
      label_vectors(features, n_features, rows, n_labels, MAX_ENTRIES, settings.n_threads, interrupt);
  labels.node.resize(at(n_labels));
  labels.indptr.assign(rows.indptr.begin(), rows.indptr.end());
  labels.indices.assign(rows.indices.begin(), rows.indices.end());
  return Blender(price, static_cast<double>(rows.size()), settings, interrupt).run(std::move(labels));
}

}  // namespace labeltree
