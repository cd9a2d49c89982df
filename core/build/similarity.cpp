#include "build/similarity.hpp"

#include <algorithm>
#include <iterator>

#include "base/index.hpp"

namespace labeltree {
namespace {

constexpr std::size_t ENOUGH = 16;  // clusters in the smallest group to be looked at
constexpr std::size_t MOST = 32;    // clusters to be looked at

double square(const std::vector<Entry>& vector) {
  double sum = 0.0;
  for (const Entry& entry : vector)
    sum += static_cast<double>(entry.value) * static_cast<double>(entry.value);
  return sum;
}

}  // namespace

Similarity::Similarity(const LabelVectors& vectors, const Tree& groups, double share, std::size_t max_entries)
    : share_(share),
      max_entries_(max_entries),
      groups_(groups),
      clusters_(groups.n_nodes()),
      last_walk_(groups.n_labels(), 0),
      from_(static_cast<std::size_t>(vectors.n_features), 0.0F) {
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    home_.push_back(groups.parent(groups.leaf(static_cast<int32_t>(j))));
    vectors_.emplace_back(vectors[j].begin(), vectors[j].end());
    squares_.push_back(square(vectors_.back()));
  }
}

// What it finds it writes back, so that the next walk is shorter.
const std::vector<int32_t>& Similarity::clusters_of(int32_t group, ClusterNames& names) {
  std::vector<int32_t>& clusters = clusters_[at(group)];
  if (clusters.empty()) {
    for (int32_t v = groups_.first_child(group); v < groups_.first_child(group + 1); ++v) {
      if (groups_.degree(v) == 0)
        clusters.push_back(groups_.label(v));
      else
        std::ranges::copy(clusters_of(v, names), std::back_inserter(clusters));
    }
  }
  ++walk_;
  std::size_t n_kept = 0;
  for (const int32_t member : clusters) {
    const int32_t cluster = names.find(member);
    if (last_walk_[at(cluster)] == walk_) continue;
    last_walk_[at(cluster)] = walk_;
    clusters[n_kept++] = cluster;
  }
  clusters.resize(n_kept);
  return clusters;
}

void Similarity::look_from(int32_t a, ClusterNames& names, std::vector<int32_t>& near) {
  scatter(a);
  int32_t group = home_[at(a)];
  while (clusters_of(group, names).size() < 2 && group > 0) group = groups_.parent(group);
  home_[at(a)] = group;
  std::size_t n_near = 0;
  for (bool last = false; !last; group = groups_.parent(group)) {
    const std::vector<int32_t>& clusters = clusters_of(group, names);
    last = group == 0 || clusters.size() > ENOUGH;
    if (!last && clusters_of(groups_.parent(group), names).size() <= ENOUGH) continue;
    const std::size_t n = std::min(clusters.size(), MOST - n_near);
    near.insert(near.end(), clusters.begin(), clusters.begin() + static_cast<std::ptrdiff_t>(n));
    n_near += n;
  }
}

void Similarity::scatter(int32_t a) {
  if (looking_from_ >= 0)
    for (const Entry& entry : vectors_[at(looking_from_)]) from_[at(entry.feature)] = 0.0F;
  for (const Entry& entry : vectors_[at(a)]) from_[at(entry.feature)] = entry.value;
  looking_from_ = a;
}

double Similarity::cosine(int32_t c) const {
  const double lengths = std::sqrt(squares_[at(looking_from_)] * squares_[at(c)]);
  if (lengths <= 0.0) return 0.0;
  float sum[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  const std::vector<Entry>& vector = vectors_[at(c)];
  std::size_t e = 0;
  for (; e + 4 <= vector.size(); e += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += vector[e + k].value * from_[at(vector[e + k].feature)];
  for (; e < vector.size(); ++e) sum[0] += vector[e].value * from_[at(vector[e].feature)];
  return std::min(1.0, static_cast<double>((sum[0] + sum[1]) + (sum[2] + sum[3])) / lengths);
}

void Similarity::join(int32_t a, int32_t c) {
  scatter(a);
  std::vector<Entry>& both = vectors_[at(c)];
  for (Entry& entry : both) {
    entry.value += from_[at(entry.feature)];
    from_[at(entry.feature)] = 0.0F;
  }
  for (const Entry& entry : vectors_[at(a)])
    if (from_[at(entry.feature)] != 0.0F) {
      both.push_back(entry);
      from_[at(entry.feature)] = 0.0F;
    }
  if (both.size() > 2 * max_entries_) keep_heaviest(both, 0, max_entries_);
  squares_[at(c)] = square(both);
  vectors_[at(a)] = std::vector<Entry>();  // {} would keep its memory
  looking_from_ = -1;
}

}  // namespace labeltree
