#include "build/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"

namespace labeltree {
namespace {

constexpr int MAX_ROUNDS = 20;
constexpr double MIN_GAIN = 1e-4;
constexpr std::size_t BLOCK = 256;        // labels that a thread takes at a time
constexpr std::size_t MIN_SHARED = 4096;  // labels that are worth starting threads for
constexpr std::size_t AHEAD = 4;          // labels whose entries are fetched before they are read

// Four sums, because one would wait for itself.
float dot(std::span<const Entry> sparse, const float* dense) {
  float sum[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  std::size_t e = 0;
  for (; e + 4 <= sparse.size(); e += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += sparse[e + k].value * dense[sparse[e + k].feature];
  for (; e < sparse.size(); ++e) sum[0] += sparse[e].value * dense[sparse[e].feature];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void add(std::span<const Entry> sparse, float factor, float* dense) {
  for (const Entry& entry : sparse) dense[entry.feature] += factor * entry.value;
}

double inverse_root(double square) {
  return square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
}

}  // namespace

ClusteredLabels::ClusteredLabels(LabelVectors&& vectors)
    : order(vectors.size()), length(vectors.size()), alone(vectors.size(), 0.0F), total_dot(vectors.size()) {
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t j = 0; j < vectors.size(); ++j)
    length[j] = static_cast<int32_t>(vectors.begin[j + 1] - vectors.begin[j]);
  begin = std::move(vectors.begin);
  entries = std::move(vectors.entries);
  std::vector<float> total(at(vectors.n_features), 0.0F);
  add(entries, 1.0F, total.data());
  for (std::size_t j = 0; j < order.size(); ++j)
    total_dot[j] = dot((*this)[static_cast<int32_t>(j)], total.data());
}

std::pair<Cluster, Cluster> Bisector::split(Cluster cluster, int32_t n_left) {
  renumber(cluster);
  const std::span order(labels_.order.data() + cluster.first, at(cluster.size()));
  const std::span members = order.first(put_empty_last(cluster));
  if (n_left == 0 && members.size() < 2) n_left = members.empty() ? cluster.size() / 2 : 1;
  if (n_left < static_cast<int32_t>(members.size())) {
    two_means(members, n_left, cluster);
    if (n_left == 0) n_left = static_cast<int32_t>(std::ranges::count(is_left_, true));
    std::vector<int32_t> right;
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (is_left_[i])
        members[n_kept++] = members[i];
      else
        right.push_back(members[i]);
    std::ranges::copy(right, members.begin() + static_cast<std::ptrdiff_t>(n_kept));
  }
  const int32_t middle = cluster.first + n_left;
  return {Cluster{cluster.first, middle, cluster.n_features, stream(cluster.seed, 0)},
          Cluster{middle, cluster.last, cluster.n_features, stream(cluster.seed, 1)}};
}

// A feature of a single label adds the same to that label's product with its own side's sum whatever its
// number is, so one number per label stands for all of them.
void Bisector::renumber(Cluster& cluster) {
  interrupt_.check();
  number_.assign(at(cluster.n_features), 0);
  for (int32_t i = cluster.first; i < cluster.last; ++i)
    for (const Entry& entry : labels_[labels_.order[at(i)]]) ++number_[at(entry.feature)];
  cluster.n_features = 0;
  for (int32_t& number : number_) number = number > 1 ? cluster.n_features++ : -1;

  for_all(std::span(labels_.order).subspan(at(cluster.first), at(cluster.size())),
          [&](int32_t label, std::size_t) {
            const std::span<Entry> vector = labels_[label];
            Entry* out = vector.data();
            for (const Entry entry : vector) {
              const int32_t number = number_[at(entry.feature)];
              if (number < 0)
                labels_.alone[at(label)] += entry.value * entry.value;
              else
                *out++ = {number, entry.value};
            }
            labels_.length[at(label)] = static_cast<int32_t>(out - vector.data());
          });
}

// Returns the number of labels that have features.
std::size_t Bisector::put_empty_last(const Cluster& cluster) {
  const std::span order(labels_.order.data() + cluster.first, at(cluster.size()));
  const auto empty = std::stable_partition(order.begin(), order.end(), [&](int32_t label) {
    return labels_.length[at(label)] > 0 || labels_.alone[at(label)] > 0.0F;
  });
  return at(empty - order.begin());
}

void Bisector::two_means(std::span<const int32_t> members, int32_t n_left, const Cluster& cluster) {
  Random random(cluster.seed);
  const auto n = static_cast<int32_t>(members.size());
  const int32_t one = random.below(n);
  const int32_t other = (one + 1 + random.below(n - 1)) % n;
  left_.assign(at(cluster.n_features), 0.0F);
  add(labels_[members[at(one)]], 1.0F, left_.data());
  add(labels_[members[at(other)]], -1.0F, left_.data());
  lean_.resize(members.size());
  dot_left(members, lean_);
  lean_[at(one)] += labels_.alone[at(members[at(one)])];
  lean_[at(other)] -= labels_.alone[at(members[at(other)])];

  double similarity = 0.0;
  for (int round = 0; round < MAX_ROUNDS; ++round) {
    choose_sides(n_left);
    move_centroid(members, round == 0);
    const double better = compare(members);
    if (better - similarity < MIN_GAIN) break;
    similarity = better;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    float& total_dot = labels_.total_dot[at(members[i])];
    total_dot = is_left_[i] ? left_dot_[i] : total_dot - left_dot_[i];
  }
}

void Bisector::choose_sides(int32_t n_left) {
  std::swap(is_left_, was_left_);
  is_left_.resize(lean_.size());
  if (n_left == 0) {
    for (std::size_t i = 0; i < lean_.size(); ++i) is_left_[i] = lean_[i] > 0.0F;
    const auto n_chosen = std::ranges::count(is_left_, true);
    if (n_chosen > 0 && n_chosen < std::ssize(is_left_)) return;
    n_left = static_cast<int32_t>(lean_.size() / 2);  // no side may be empty
  }
  ranked_.clear();
  for (std::size_t i = 0; i < lean_.size(); ++i) ranked_.emplace_back(-lean_[i], static_cast<int32_t>(i));
  const auto last_left = ranked_.begin() + n_left - 1;
  std::ranges::nth_element(ranked_, last_left);
  for (std::size_t i = 0; i < lean_.size(); ++i)
    is_left_[i] = std::pair(-lean_[i], static_cast<int32_t>(i)) <= *last_left;
}

// Only labels that change sides are added and taken away.
void Bisector::move_centroid(std::span<const int32_t> members, bool first_round) {
  if (first_round) {
    std::ranges::fill(left_, 0.0F);
    was_left_.assign(members.size(), false);
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    if (is_left_[i] != was_left_[i]) add(labels_[members[i]], is_left_[i] ? 1.0F : -1.0F, left_.data());
}

// Calls body(label, i) for each label with its place, perhaps on several threads.
template <class Body>
void Bisector::for_all(std::span<const int32_t> members, Body body) {
  const int n_threads = members.size() < MIN_SHARED ? 1 : n_threads_;
  parallel_for((members.size() + BLOCK - 1) / BLOCK, n_threads, interrupt_,
               [&](std::size_t block, std::size_t) {
                 for (std::size_t i = block * BLOCK; i < std::min(members.size(), (block + 1) * BLOCK); ++i) {
                   if (i + AHEAD < members.size()) labels_.prefetch(members[i + AHEAD]);
                   body(members[i], i);
                 }
               });
}

void Bisector::dot_left(std::span<const int32_t> members, std::vector<float>& dots) {
  dots.resize(members.size());
  for_all(members, [&](int32_t label, std::size_t i) { dots[i] = dot(labels_[label], left_.data()); });
}

// Sets how much nearer each label is to the left centroid; returns the mean cosine of labels and centroids.
// The right sum is the total less the left one, so its products need no pass of their own.
double Bisector::compare(std::span<const int32_t> members) {
  dot_left(members, left_dot_);
  double left_square = 0.0, left_total = 0.0, total_square = 0.0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto total_dot = static_cast<double>(labels_.total_dot[at(members[i])]);
    if (is_left_[i]) {
      left_dot_[i] += labels_.alone[at(members[i])];
      left_square += static_cast<double>(left_dot_[i]);
      left_total += total_dot;
    }
    total_square += total_dot;
  }
  const double right_square = total_square - 2.0 * left_total + left_square;
  const auto by_left = static_cast<float>(inverse_root(left_square));
  const auto by_right = static_cast<float>(inverse_root(right_square));
  for (std::size_t i = 0; i < members.size(); ++i)
    lean_[i] = left_dot_[i] * by_left - (labels_.total_dot[at(members[i])] - left_dot_[i]) * by_right;
  return (std::sqrt(std::max(left_square, 0.0)) + std::sqrt(std::max(right_square, 0.0))) /
         static_cast<double>(members.size());
}

}  // namespace labeltree
