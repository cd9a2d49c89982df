/* Predictions of labeltree models in C, without Python.
 *
 * A model is a file that `save` of PLTClassifier or HSMClassifier wrote. It is mapped read-only, so
 * processes that open the same file share its pages. Do not change a file in place while it is open; `save`
 * never does.
 *
 * Any number of threads may use a model at the same time, until one of them closes it. No function
 * prints or ends the process. Files of any content are refused with a sentence, or safe to use.
 *
 * Functions that can fail take a buffer for the reason: `error_size` bytes, of which the last one written
 * is 0. A reason that is too long is cut off. The buffer may be NULL if its size is 0. It is not changed on
 * success.
 */
#ifndef LABELTREE_H
#define LABELTREE_H

#include <stddef.h>
#include <stdint.h>

#define LABELTREE_VERSION "0.1.0"

#if defined(__GNUC__)
#define LABELTREE_API __attribute__((visibility("default")))
#else
#define LABELTREE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct labeltree_model labeltree_model;

/* For `options` of labeltree_open: do not compare the checksums of the arrays. This opens a file of any
 * size at once, but does not detect accidental damage. Everything else is always checked. */
#define LABELTREE_SKIP_CHECKSUMS 1u

/* Opens a model file. `options` is 0 or LABELTREE_SKIP_CHECKSUMS.
 *
 * Returns NULL, and the reason in `error`, if there is no such file, or if it is damaged, needs a later
 * release, or holds a TextTagger, whose texts this library cannot split into words. The state of online
 * learning is ignored. */
LABELTREE_API labeltree_model* labeltree_open(const char* path, unsigned options, char* error,
                                              size_t error_size);

/* Closes a model. Nothing happens if it is NULL. */
LABELTREE_API void labeltree_close(labeltree_model* model);

/* Number of labels. Labels are numbered from 0, as `classes_` in Python. */
LABELTREE_API int32_t labeltree_n_labels(const labeltree_model* model);

/* Number of features. Features are numbered from 0, as the columns of X in Python. */
LABELTREE_API int32_t labeltree_n_features(const labeltree_model* model);

/* Writes the name of a label into a buffer of `size` bytes, and a 0 after it; a name that is too long is
 * cut off.
 *
 * Returns the length of the whole name in bytes, without the 0, or -1 if there is no such label. The buffer
 * may be NULL if its size is 0. Text is in UTF-8, and may contain bytes of 0. If labels are numbers, their
 * names are decimals: integers as they are, others with the digits that a double needs. Booleans are "True"
 * and "False". */
LABELTREE_API int64_t labeltree_label_name(const labeltree_model* model, int32_t label, char* buffer,
                                           size_t size);

/* Finds the k most probable labels of one row, best first, as `top_k_row` does in Python, bit for bit.
 *
 * features, values   the features of the row that are not 0, and their values: `n` of each. Features may be
 *                    in any order, without duplicates. Values must be finite. Both may be NULL if n is 0.
 * k                  maximum number of labels, at least 1
 * labels             room for k numbers of labels, or for all if the model has fewer
 * probabilities      room for as many probabilities
 *
 * Returns the number of labels found: k, or the number of labels of the model if that is smaller. Returns
 * -1, and the reason in `error`, if the row breaks a rule or memory is short. */
LABELTREE_API int64_t labeltree_top_k(const labeltree_model* model, const int32_t* features,
                                      const float* values, size_t n, size_t k, int32_t* labels,
                                      float* probabilities, char* error, size_t error_size);

/* The release of the library, which is LABELTREE_VERSION if it belongs to this header. */
LABELTREE_API const char* labeltree_version(void);

#ifdef __cplusplus
}
#endif

#endif
