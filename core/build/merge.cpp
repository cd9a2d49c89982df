#include "build/merge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_set>
#include <utility>

#include "base/index.hpp"
#include "build/cluster_names.hpp"
#include "build/distinct_rows.hpp"

namespace labeltree {
namespace {

class Merger {
 public:
  // Which clusters are joined depends on numbers of rows, not on their order: equal rows are walked once.
  Merger(const LabelRows& rows, int32_t n_labels, Price price, const MergeLimits& limits,
         Similarity* similarity, Interrupt& interrupt)
      : Merger(distinct_rows(rows), longest_walked(rows), n_labels, price, limits, similarity, interrupt) {}

  Forest run() {
    join_never_positive();
    while (weight(peek()) < limits_.min_weight) {
      interrupt_.check();
      const int32_t a = pop();
      if (peek() < 0) break;
      join(a, best_partner(a));
    }
    return forest();
  }

 private:
  Merger(DistinctRows rows, int64_t longest, int32_t n_labels, Price price, const MergeLimits& limits,
         Similarity* similarity, Interrupt& interrupt)
      : interrupt_(interrupt),
        similarity_(similarity),
        price_(price),
        per_bit_(price.per_bit()),
        limits_(limits),
        begin_(rows.indptr.begin(), rows.indptr.end() - 1),
        end_(rows.indptr.begin() + 1, rows.indptr.end()),
        clusters_(std::move(rows.indices)),
        count_(std::move(rows.count)),
        long_rows_(count_.size()),
        members_(at(n_labels)),
        weight_(at(n_labels), 0),
        node_of_(at(n_labels)),
        names_(n_labels),
        common_(at(n_labels), 0),
        last_walk_(at(n_labels), 0) {
    for (std::size_t i = 0; i < count_.size(); ++i) {
      const auto first = clusters_.begin() + begin_[i], last = clusters_.begin() + end_[i];
      for (auto it = first; it != last; ++it) add_member(*it, static_cast<int32_t>(i));
      if (last - first > longest) long_rows_[i] = std::make_unique<Set>(first, last);
    }
    for (int32_t j = 0; j < n_labels; ++j) add_node(j, j);
  }

  using Set = std::unordered_set<int32_t>;
  // (Hamming weight, node): of equal weights the oldest goes first.
  using Entry = std::pair<int64_t, int32_t>;

  // Only of clusters that exist: that of a label before it was joined stays.
  int64_t weight(int32_t cluster) const { return weight_[at(cluster)]; }
  Entry entry(int32_t cluster) const { return {weight(cluster), node_of_[at(cluster)]}; }

  void add_member(int32_t cluster, int32_t row) {
    members_[at(cluster)].push_back(row);
    weight_[at(cluster)] += count_[at(row)];
  }

  void add_node(int32_t cluster, int32_t label) {
    node_of_[at(cluster)] = static_cast<int32_t>(tree_.parent.size());
    tree_.parent.push_back(-1);
    tree_.label.push_back(label);
    cluster_of_.push_back(cluster);
    heap_.push(entry(cluster));
  }

  // The smallest cluster, or -1 if there is none.
  int32_t peek() {
    while (!heap_.empty() && tree_.parent[at(heap_.top().second)] >= 0) heap_.pop();
    return heap_.empty() ? -1 : cluster_of_[at(heap_.top().second)];
  }
  int32_t pop() {
    const int32_t cluster = peek();
    heap_.pop();
    return cluster;
  }

  Forest forest() {
    Forest forest{std::move(tree_), {}};
    for (std::size_t v = 0; v < forest.nodes.parent.size(); ++v)
      if (forest.nodes.parent[v] < 0) forest.names.push_back(cluster_of_[v]);
    return forest;
  }

  void hang(int32_t a, int32_t node, int32_t cluster) {
    tree_.parent[at(node_of_[at(a)])] = node;
    names_.join(a, cluster);
  }

  // Labels without rows cost nothing wherever they sit; three to a node keeps them shallow.
  void join_never_positive() {
    while (true) {
      std::vector<int32_t> group;
      while (group.size() < 3 && peek() >= 0 && weight(peek()) == 0) group.push_back(pop());
      if (group.size() < 2) {
        for (const int32_t cluster : group) heap_.push(entry(cluster));
        return;
      }
      const auto node = static_cast<int32_t>(tree_.parent.size());
      for (const int32_t cluster : group) hang(cluster, node, group.front());
      add_node(group.front(), -1);
    }
  }

  // The clusters of a row, each once. What it finds it writes back, so that the next walk is shorter.
  std::span<const int32_t> clusters_of(int32_t row) {
    ++walk_;
    const auto begin = clusters_.begin() + begin_[at(row)];
    auto end = begin;
    for (auto it = begin; it != clusters_.begin() + end_[at(row)]; ++it) {
      const int32_t cluster = names_.find(*it);
      if (last_walk_[at(cluster)] == walk_) continue;
      last_walk_[at(cluster)] = walk_;
      *end++ = cluster;
    }
    end_[at(row)] = end - clusters_.begin();
    return {begin, end};
  }

  double still_to_pay(double rows) const {
    return rows > 0 ? per_bit_ * rows * std::log2(limits_.n_rows / rows) : 0.0;
  }

  double score(int32_t a, int32_t c) const {
    const auto size = static_cast<double>(weight(c));
    const double both = size + static_cast<double>(weight(a) - common_[at(c)]);
    return price_.node(both, 2.0) + still_to_pay(both) - still_to_pay(size);
  }

  int32_t best_partner(int32_t a) {
    seen_.clear();
    for (const int32_t row : members_[at(a)]) {
      if (long_rows_[at(row)]) continue;
      for (const int32_t c : clusters_of(row))
        if (c != a && std::exchange(common_[at(c)], common_[at(c)] + count_[at(row)]) == 0)
          seen_.push_back(c);
    }
    const int32_t best = similarity_ ? best_blend(a) : cheapest(a);
    for (const int32_t c : seen_) common_[at(c)] = 0;
    return best;
  }

  int32_t cheapest(int32_t a) {
    return least(seen_, [&](int32_t c) { return score(a, c); });
  }

  int32_t best_blend(int32_t a) {
    const auto is_cheaper = [&](int32_t c, int32_t d) {
      return std::pair(score(a, c), entry(c)) < std::pair(score(a, d), entry(d));
    };
    near_.assign(seen_.begin(), seen_.end());
    if (near_.size() > MAX_LOOKS) {
      std::ranges::nth_element(near_, near_.begin() + MAX_LOOKS, is_cheaper);
      near_.resize(MAX_LOOKS);
    }
    similarity_->look_from(a, names_, near_);
    std::ranges::sort(near_);
    near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
    std::erase(near_, a);
    return least(near_, [&](int32_t c) { return similarity_->blend(score(a, c), similarity_->cosine(c)); });
  }

  // The cluster of the smallest score among some and the next smallest; of equals the smallest.
  template <class Score>
  int32_t least(const std::vector<int32_t>& clusters, Score score_of) {
    int32_t best = peek();
    double best_score = score_of(best);
    for (const int32_t c : clusters) {
      const double c_score = score_of(c);
      if (c_score > best_score || (c_score == best_score && entry(c) >= entry(best))) continue;
      best = c;
      best_score = c_score;
    }
    return best;
  }

  // Whether a row of a is one of c too; in the row, c now stands for both.
  bool take_over(int32_t row, int32_t a, int32_t c) {
    if (Set* set = long_rows_[at(row)].get()) {
      set->erase(a);
      return !set->insert(c).second;
    }
    const auto clusters = clusters_of(row);
    return std::ranges::find(clusters, c) != clusters.end();
  }

  // a is the smaller one, so only its rows move.
  void join(int32_t a, int32_t c) {
    for (const int32_t row : members_[at(a)])
      if (!take_over(row, a, c)) add_member(c, row);
    members_[at(a)] = std::vector<int32_t>();  // {} would keep its memory
    if (similarity_) similarity_->join(a, c);
    const auto node = static_cast<int32_t>(tree_.parent.size());
    hang(a, node, c);
    hang(c, node, c);
    add_node(c, -1);
  }

  // Clusters with common rows whose similarity is computed.
  static constexpr std::ptrdiff_t MAX_LOOKS = 16;

  Interrupt& interrupt_;
  Similarity* similarity_;
  Price price_;
  double per_bit_;
  MergeLimits limits_;
  std::vector<int64_t> begin_, end_;             // [row] where its clusters lie
  std::vector<int32_t> clusters_;                // of each row, perhaps under a former name
  std::vector<int64_t> count_;                   // [row] how many rows of the data it stands for
  std::vector<std::unique_ptr<Set>> long_rows_;  // [row] its clusters, where it is too long to walk
  std::vector<std::vector<int32_t>> members_;    // [cluster] its rows
  std::vector<int64_t> weight_;                  // [cluster] rows of the data
  std::vector<int32_t> node_of_;                 // [cluster]
  ClusterNames names_;
  std::vector<int64_t> common_;     // [cluster] rows shared with the cluster at hand
  std::vector<int64_t> last_walk_;  // [cluster]
  int64_t walk_ = 0;
  std::vector<int32_t> seen_, near_;
  std::vector<int32_t> cluster_of_;  // [node]
  NodeLists tree_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace

NodeLists merge(const LabelRows& rows, int32_t n_labels, Price price, Interrupt& interrupt) {
  if (n_labels < 1) throw std::invalid_argument("a tree needs at least one label, but there is none");
  check(rows, static_cast<std::size_t>(n_labels));
  const MergeLimits none{static_cast<double>(rows.size()), std::numeric_limits<int64_t>::max()};
  return Merger(rows, n_labels, price, none, nullptr, interrupt).run().nodes;
}

Forest merge_similar(const LabelRows& rows, int32_t n_labels, Price price, const MergeLimits& limits,
                     Similarity& similarity, Interrupt& interrupt) {
  return Merger(rows, n_labels, price, limits, &similarity, interrupt).run();
}

}  // namespace labeltree
