#include "data/shared_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 64;   // features that a thread takes at a time
constexpr std::size_t ENOUGH = 32;  // rows of a pair whose labels are compared
constexpr int64_t AHEAD = 8;        // rows that are fetched before they are read

// Counts the partners of one feature after the other. What it needs of the feature's rows is copied first, so
// that each row is read from memory once.
class PartnerCounter {
 public:
  PartnerCounter(std::size_t n_features, std::span<const int64_t> label_weights)
      : weights_(label_weights), partner_(n_features), n_labels_(label_weights.size(), 0) {}

  // A row: the features after the one that is counted, and the labels.
  void add(std::span<const int32_t> later, std::span<const int32_t> labels) {
    if (partners_.size() < n_partners_ + later.size()) partners_.resize(2 * n_partners_ + later.size());
    // Without a branch, because which partners are new cannot be predicted.
    for (const int32_t b : later) {
      partners_[n_partners_] = b;
      n_partners_ += partner_[at(b)].n_rows++ == 0;
    }
    later_.insert(later_.end(), later.begin(), later.end());
    later_end_.push_back(later_.size());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    labels_end_.push_back(labels_.size());
  }

  // After all rows are added.
  void finish(int32_t feature, int32_t min_rows, PairCounts& counts) {
    make_places(min_rows);
    place_rows();
    std::ranges::sort(frequent_);
    for (const int32_t b : frequent_) {
      const auto [n, begin] = partner_[at(b)];
      const int64_t shared = shared_labels(std::span(places_).subspan(begin, at(n)));
      if (shared == 0) continue;
      counts.first.push_back(feature);
      counts.second.push_back(b);
      counts.n_rows.push_back(n);
      counts.shared.push_back(shared);
    }
    clear();
  }

 private:
  struct Partner {
    int32_t n_rows = 0;  // with both
    uint32_t begin = 0;  // of their places
  };

  // Places for the rows of each partner that has enough. All others share places behind these, so that rows
  // are placed without a branch.
  void make_places(int32_t min_rows) {
    uint32_t n = 0;
    for (const int32_t b : partners()) {
      Partner& partner = partner_[at(b)];
      const auto n_rows = static_cast<uint32_t>(std::exchange(partner.n_rows, 0));
      partner.begin = n;
      if (n_rows < static_cast<uint32_t>(min_rows)) {
        rare_.push_back(b);
        continue;
      }
      n += n_rows;
      frequent_.push_back(b);
    }
    for (const int32_t b : rare_) partner_[at(b)].begin = n;
    if (places_.size() < n + at(min_rows)) places_.resize(n + at(min_rows));
  }

  void place_rows() {
    std::size_t e = 0;
    for (std::size_t row = 0; row < later_end_.size(); ++row)
      for (; e < later_end_[row]; ++e) {
        Partner& partner = partner_[at(later_[e])];
        places_[partner.begin + at(partner.n_rows++)] = static_cast<int32_t>(row);
      }
  }

  int64_t shared_labels(std::span<const int32_t> rows) {
    if (rows.size() <= ENOUGH) return shared_labels(rows, 1);
    const std::size_t step = (rows.size() + ENOUGH - 1) / ENOUGH;
    const auto n_pairs = [](std::size_t n) { return static_cast<double>(n) * static_cast<double>(n - 1); };
    const std::size_t n_used = (rows.size() + step - 1) / step;
    const double shared = static_cast<double>(shared_labels(rows, step));
    return std::llround(shared * n_pairs(rows.size()) / n_pairs(n_used));
  }

  // Of every row whose number is a multiple of `step`.
  int64_t shared_labels(std::span<const int32_t> rows, std::size_t step) {
    int64_t shared = 0;
    for (std::size_t i = 0; i < rows.size(); i += step)
      for (const int32_t label : labels_of(rows[i]))
        shared += 2 * weights_[at(label)] * n_labels_[at(label)]++;
    for (std::size_t i = 0; i < rows.size(); i += step)
      for (const int32_t label : labels_of(rows[i])) n_labels_[at(label)] = 0;
    return shared;
  }

  std::span<const int32_t> labels_of(int32_t row) const {
    const std::size_t first = row == 0 ? 0 : labels_end_[at(row) - 1];
    return std::span(labels_).subspan(first, labels_end_[at(row)] - first);
  }

  std::span<const int32_t> partners() const { return std::span(partners_).first(n_partners_); }

  void clear() {
    for (const int32_t b : partners()) partner_[at(b)] = {};
    n_partners_ = 0;
    for (auto* numbers : {&later_, &labels_, &frequent_, &rare_}) numbers->clear();
    for (auto* ends : {&later_end_, &labels_end_}) ends->clear();
  }

  std::span<const int64_t> weights_;
  std::vector<Partner> partner_;   // [feature]
  std::vector<int32_t> n_labels_;  // [label] of the rows of a pair
  std::vector<int32_t> partners_;  // of which the first n_partners_ count
  std::size_t n_partners_ = 0;
  std::vector<int32_t> frequent_, rare_, places_;
  std::vector<int32_t> later_, labels_;  // of all rows of the feature, one after the other
  std::vector<std::size_t> later_end_, labels_end_;
};

void append(PairCounts& to, const PairCounts& from) {
  const auto add = [](auto& all, const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
  add(to.first, from.first);
  add(to.second, from.second);
  add(to.n_rows, from.n_rows);
  add(to.shared, from.shared);
}

}  // namespace

SharedPairs::SharedPairs(const LabelRows& features, int32_t n_features, const LabelRows& labels,
                         std::span<const int64_t> label_weights, int64_t max_length)
    : features_(features),
      labels_(labels),
      label_weights_(label_weights),
      n_features_(n_features),
      max_length_(max_length) {
  check(features.indptr, features.indices, at(n_features), "feature");
  check(labels, label_weights.size());
  check_same_size(features.size(), labels.size());
  by_feature_ = rows_of_labels(features, n_features);
}

void SharedPairs::fetch(int32_t row) const {
  __builtin_prefetch(features_.indices.data() + features_.indptr[at(row)]);
  __builtin_prefetch(labels_.indices.data() + labels_.indptr[at(row)]);
}

PairCounts SharedPairs::of(int32_t first, int32_t last, int32_t min_rows, int n_threads,
                           Interrupt& interrupt) const {
  by_feature_.check_range(first, last);
  const std::size_t n_blocks = (at(last - first) + BLOCK - 1) / BLOCK;
  const PartnerCounter empty(at(n_features_), label_weights_);
  std::vector<PartnerCounter> counters(n_workers(n_blocks, n_threads), empty);
  std::vector<PairCounts> found(n_blocks);
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t worker) {
    const auto begin = first + static_cast<int32_t>(block * BLOCK);
    for (int32_t a = begin; a < std::min(last, begin + static_cast<int32_t>(BLOCK)); ++a) {
      interrupt.check();
      const auto from = by_feature_.begin[at(a)], to = by_feature_.begin[at(a) + 1];
      if (to - from < min_rows) continue;
      for (int64_t e = from; e < to; ++e) {
        if (e + AHEAD < to) fetch(by_feature_.rows[at(e + AHEAD)]);
        const auto row = at(by_feature_.rows[at(e)]);
        const std::span<const int32_t> own = features_[row];
        if (std::ssize(own) > max_length_) continue;
        const auto after = std::ranges::upper_bound(own, a);
        counters[worker].add(own.subspan(at(after - own.begin())), labels_[row]);
      }
      counters[worker].finish(a, min_rows, found[block]);
    }
  });
  PairCounts all;
  for (const PairCounts& some : found) append(all, some);
  return all;
}

}  // namespace labeltree
