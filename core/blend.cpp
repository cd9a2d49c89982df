#include "blend.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "cluster.hpp"
#include "label_vectors.hpp"
#include "likeness.hpp"
#include "merge.hpp"

namespace labeltree {
namespace {

constexpr int32_t MAX_GROUP = 16;  // labels of the smallest groups in which neighbours are sought

Tree like_labels_near(const LabelVectors& vectors, const BlendOptions& options, Interrupt& interrupt) {
  const ClusterOptions two_means{.arity = 2,
                                 .max_leaf = MAX_GROUP,
                                 .balanced = true,
                                 .max_depth = std::numeric_limits<int32_t>::max(),
                                 .seed = options.seed,
                                 .n_threads = options.n_threads};
  const NodeLists nodes = cluster(vectors, two_means, interrupt);
  return Tree(nodes.parent, nodes.label);
}

}  // namespace

NodeLists blend(const FeatureRows& features, int32_t n_features, const LabelRows& rows, int32_t n_labels,
                Price price, const BlendOptions& options, Interrupt& interrupt) {
  if (!(options.likeness >= 0.0 && options.likeness <= 1.0))
    throw std::invalid_argument("likeness must lie in 0..1, but is " + std::to_string(options.likeness));
  LabelVectors vectors = label_vectors(features, n_features, rows, n_labels, options.n_threads, interrupt);
  const Tree groups = like_labels_near(vectors, options, interrupt);
  Likeness likeness(std::move(vectors), groups, options.likeness);
  return merge(rows, n_labels, price, interrupt, &likeness);
}

}  // namespace labeltree
