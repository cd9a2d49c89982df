"""The results of the paper as functions, each in its corrected form.

Busa-Fekete, Dembczyński, Golovnev, Jasinska, Kuznetsov, Sviridenko, Xu: On the computational
complexity of the probabilistic label tree algorithms.

==================================================  ===========================================
Proposition 1, 7 (node probability intervals)       `node_interval`, `within_intervals`
Theorem 1 (errors of estimates)                     `estimation_regret`, `weighted_errors`
Proposition 2 (cost of a row, of a matrix)          `row_cost_upper_bound`,
                                                    `training_cost_upper_bound`
Proposition 3, 5 (cost as a sum over nodes)         `labeltree.cost.training_cost`,
                                                    `cost_of_probabilities`
Proposition 4 (Hamming weight intervals)            `node_interval`, `within_intervals`,
                                                    `is_label_covering`, `is_multiclass`
Proposition 6 (expected cost)                       `expected_cost_upper_bound`
Proposition 8 (concentration)                       `concentration`
Theorem 2 (NP-completeness)                         `clique_instance`, `reduce_clique`
Lemma 1 (binary trees)                              `binary_ratio`, `merging_cost`,
                                                    `cost_of_merging`
Theorem 3 (complete ternary trees)                  `ternary_ratio`, `ternary_upper_bound`,
                                                    `simple_lower_bound`
Proposition 9 (entropy)                             `entropy`, `entropy_upper_bound`
Lemma 2 (multi-class lower bound)                   `entropy_lower_bound`
Theorem 4 (Shannon and Huffman trees)               `huffman_upper_bound`,
                                                    `k_sparse_upper_bound`
Lemma 3 (form of multi-class optima)                `is_multiclass_form`
Lemmas 4, 5, Theorem 5 (nested labels)              `is_nested_form`, `nested_optimum`
Theorem 6 (threshold queries)                       `prediction_cost`, `normalize_estimates`,
                                                    `normalized_products`,
                                                    `threshold_cost_bound`,
                                                    `estimated_mass_bound`
Theorem 7, Proposition 10 and corollary             `expected_prediction_cost_bound`,
                                                    `exact_prediction_cost_bound`
==================================================  ===========================================
"""

from labeltree.bounds.hardness import CliqueInstance, clique_instance, reduce_clique
from labeltree.bounds.nodes import (
    estimation_regret,
    is_label_covering,
    is_multiclass,
    node_interval,
    weighted_errors,
    within_intervals,
)
from labeltree.bounds.optimum import (
    binary_ratio,
    cost_of_merging,
    entropy,
    entropy_lower_bound,
    entropy_upper_bound,
    huffman_upper_bound,
    is_multiclass_form,
    is_nested_form,
    k_sparse_upper_bound,
    merging_cost,
    nested_optimum,
    simple_lower_bound,
    ternary_ratio,
    ternary_upper_bound,
)
from labeltree.bounds.prediction import (
    estimated_mass_bound,
    exact_prediction_cost_bound,
    expected_prediction_cost_bound,
    normalize_estimates,
    normalized_products,
    prediction_cost,
    threshold_cost_bound,
)
from labeltree.bounds.training import (
    concentration,
    cost_of_probabilities,
    expected_cost_upper_bound,
    row_cost_upper_bound,
    training_cost_upper_bound,
)
from labeltree.bounds.walks import path_products

__all__ = [
    "CliqueInstance",
    "binary_ratio",
    "clique_instance",
    "concentration",
    "cost_of_merging",
    "cost_of_probabilities",
    "entropy",
    "entropy_lower_bound",
    "entropy_upper_bound",
    "estimated_mass_bound",
    "estimation_regret",
    "exact_prediction_cost_bound",
    "expected_cost_upper_bound",
    "expected_prediction_cost_bound",
    "huffman_upper_bound",
    "is_label_covering",
    "is_multiclass",
    "is_multiclass_form",
    "is_nested_form",
    "k_sparse_upper_bound",
    "merging_cost",
    "nested_optimum",
    "node_interval",
    "normalize_estimates",
    "normalized_products",
    "path_products",
    "prediction_cost",
    "reduce_clique",
    "row_cost_upper_bound",
    "simple_lower_bound",
    "ternary_ratio",
    "ternary_upper_bound",
    "threshold_cost_bound",
    "training_cost_upper_bound",
    "weighted_errors",
    "within_intervals",
]
