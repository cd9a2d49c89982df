#include "search/rerank.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/index.hpp"
#include "search/collect.hpp"
#include "search/found.hpp"
#include "search/query_rows.hpp"

namespace labeltree {
namespace {

constexpr std::size_t MAX_CHUNK = 1024;  // rows whose labels go to the rankers together

// Multiplies probabilities of labels by the estimates of their rankers. Rows that need rankers of the same
// family get them one after the other, while its weights are in the cache.
class RankerEstimates {
 public:
  explicit RankerEstimates(const TreeModel& rankers) : rankers_(rankers) {}

  // Probabilities of the labels of each row of the chunk, in the order of labels.indices.
  void multiply(const QueryRows& rows, const LabelRows& labels, std::span<float> probabilities) {
    collect_requests(labels);
    for (std::size_t i = 0; i < requests_.size();) {
      const Request request = requests_[i];
      fetch(i, rows);
      const auto estimates = rankers_.child_probabilities(request.parent, rows[request.row], space_);
      for (; i < requests_.size() && is_same(requests_[i], request); ++i)
        probabilities[requests_[i].entry] *= estimates[at(requests_[i].leaf - first_sibling(request.parent))];
    }
  }

 private:
  struct Request {
    int32_t parent, leaf;
    uint32_t row;
    std::size_t entry;
  };

  static bool is_same(const Request& a, const Request& b) { return a.parent == b.parent && a.row == b.row; }

  int32_t first_sibling(int32_t parent) const { return parent < 0 ? 0 : rankers_.tree().first_child(parent); }

  void collect_requests(const LabelRows& labels) {
    requests_.clear();
    const auto first = at(labels.indptr.front());
    for (std::size_t row = 0; row < labels.size(); ++row)
      for (auto e = at(labels.indptr[row]); e < at(labels.indptr[row + 1]); ++e) {
        const int32_t leaf = rankers_.tree().leaf(labels.indices[e]);
        requests_.push_back({rankers_.tree().parent(leaf), leaf, static_cast<uint32_t>(row), e - first});
      }
    std::ranges::sort(requests_, [](const Request& a, const Request& b) {
      if (a.parent != b.parent) return a.parent < b.parent;
      return a.row < b.row || (a.row == b.row && a.entry < b.entry);
    });
  }

  // The weights of the next family come from memory while one is evaluated.
  void fetch(std::size_t request, const QueryRows& rows) const {
    std::size_t next = request + 1;
    while (next < requests_.size() && is_same(requests_[next], requests_[request])) ++next;
    if (next < requests_.size())
      rankers_.weights().fetch_buckets(requests_[next].parent, rows[requests_[next].row]);
  }

  const TreeModel& rankers_;
  std::vector<Request> requests_;
  QuerySpace space_;
};

// Rows of labels first .. last - 1, as a view.
LabelRows part_of(const LabelRows& labels, std::size_t first, std::size_t last) {
  return {labels.indptr.subspan(first, last - first + 1), labels.indices};
}

class Reranker {
 public:
  Reranker(const TreeModel& rankers, const LabelLimits* limits, const Query& query)
      : tree_(rankers.tree()), limits_(limits), query_(query), estimates_(rankers) {}

  // Ranks what the trees found for rows first .. last - 1.
  void run(const FeatureRows& rows, std::size_t first, std::size_t last, const SearchResults& found,
           Collected& results) {
    rows_.set(rows, first, last, query_.scaling);
    const auto begin = at(found.indptr[first]), end = at(found.indptr[last]);
    probabilities_.assign(found.probabilities.begin() + static_cast<std::ptrdiff_t>(begin),
                          found.probabilities.begin() + static_cast<std::ptrdiff_t>(end));
    estimates_.multiply(rows_, part_of({found.indptr, found.labels}, first, last), probabilities_);
    for (std::size_t row = first; row < last; ++row) {
      ranked_.clear();
      for (auto e = at(found.indptr[row]); e < at(found.indptr[row + 1]); ++e)
        offer(found.labels[e], probabilities_[e - begin]);
      finish_row(results);
      results.n_calls.push_back(found.n_calls[row]);
    }
  }

 private:
  void offer(int32_t label, float p) {
    const int32_t leaf = tree_.leaf(label);
    const float least = limits_ == nullptr ? 0.0f : limits_->threshold(leaf);
    if (p < query_.threshold || p < least) return;
    ranked_.push_back({limits_ == nullptr ? p : query_.curve(p) * limits_->weight(leaf), p, label});
  }

  void finish_row(Collected& results) {
    std::ranges::stable_sort(ranked_, std::ranges::greater(), &Found::rank);
    if (query_.k > 0) ranked_.resize(std::min(ranked_.size(), at(query_.k)));
    for (const Found& found : ranked_) results.push(found.index(), found.probability);
    results.end_row();
  }

  const Tree& tree_;
  const LabelLimits* limits_;
  const Query& query_;
  RankerEstimates estimates_;
  QueryRows rows_;
  std::vector<float> probabilities_;
  std::vector<Found> ranked_;
};

void check_rankers(const Stages& stages) {
  const TreeModel& one = *stages.trees.front();
  if (stages.rankers->tree().n_labels() != one.tree().n_labels() ||
      stages.rankers->weights().n_features() != one.weights().n_features())
    throw std::invalid_argument("rankers must have the features and labels of the trees");
}

SearchResults search_trees(const Stages& stages, std::span<const LabelLimits* const> limits,
                           std::span<const HeldScores* const> held, const FeatureRows& rows,
                           const Query& query, Interrupt& interrupt) {
  if (stages.trees.size() == 1)
    return search(*stages.trees.front(), limits.empty() ? nullptr : limits.front(),
                  held.empty() ? nullptr : held.front(), rows, query, interrupt);
  return search_forest(stages.trees, limits, held, rows, query, interrupt);
}

}  // namespace

SearchResults search_ranked(const Stages& stages, std::span<const LabelLimits* const> limits,
                            std::span<const HeldScores* const> held, const FeatureRows& rows,
                            const Query& query, Interrupt& interrupt) {
  if (stages.rankers == nullptr) return search_trees(stages, limits, held, rows, query, interrupt);
  check_rankers(stages);
  Query wide = query;
  const auto n_labels = static_cast<int32_t>(stages.rankers->tree().n_labels());
  if (query.k > 0) wide.k = std::min(std::max(query.k, stages.n_candidates), n_labels);
  const SearchResults found = search_trees(stages, limits, held, rows, wide, interrupt);
  const LabelLimits* const first_limits = limits.empty() ? nullptr : limits.front();
  return collect(rows.size(), MAX_CHUNK, query.n_threads, interrupt, [&] {
    return [&, reranker = std::make_unique<Reranker>(*stages.rankers, first_limits, query)](
               std::size_t first, std::size_t last, Collected& results) {
      interrupt.check();
      reranker->run(rows, first, last, found, results);
    };
  });
}

std::vector<float> ranked_probabilities_of(const Stages& stages, const FeatureRows& rows,
                                           const LabelRows& labels, const RowScaling& scaling, int n_threads,
                                           Interrupt& interrupt) {
  auto found = probabilities_of(stages.trees, rows, labels, scaling, n_threads, interrupt);
  if (stages.rankers == nullptr) return found;
  check_rankers(stages);
  const std::size_t n_chunks = (rows.size() + MAX_CHUNK - 1) / MAX_CHUNK;
  parallel_for(n_chunks, n_threads, interrupt, [&](std::size_t chunk, std::size_t) {
    const std::size_t first = chunk * MAX_CHUNK, last = std::min(rows.size(), first + MAX_CHUNK);
    QueryRows part;
    part.set(rows, first, last, scaling);
    const auto begin = at(labels.indptr[first]);
    RankerEstimates(*stages.rankers)
        .multiply(part, part_of(labels, first, last),
                  std::span(found).subspan(begin, at(labels.indptr[last]) - begin));
  });
  return found;
}

}  // namespace labeltree
