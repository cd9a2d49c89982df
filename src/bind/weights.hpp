// Trained weights and their layout as arrays.
#pragma once

#include "arrays.hpp"
#include "model/layout.hpp"
#include "model/node_weights.hpp"

namespace labeltree::bind {

inline auto give(Layout&& layout) {
  return std::tuple(give(std::move(layout.bias)), give(std::move(layout.scale)),
                    give(std::move(layout.shift)), give(std::move(layout.bucket_begin)),
                    give(std::move(layout.byte_begin)), give(std::move(layout.buckets)),
                    give(std::move(layout.bytes)),
                    give(std::vector<uint8_t>{static_cast<uint8_t>(layout.weight_bytes)}));
}

inline auto give(NodeWeights&& weights) {
  return std::tuple(give(std::move(weights.nodes)), give(std::move(weights.indptr)),
                    give(std::move(weights.features)), give(std::move(weights.values)),
                    give(std::move(weights.bias)), weights.n_visits);
}

}  // namespace labeltree::bind
