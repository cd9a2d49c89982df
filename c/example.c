/* Prints the most probable labels of rows.
 *
 *     labeltree_example model.lt [k]
 *
 * Each line of the standard input is a row: feature:value pairs with spaces between them, such as "3:0.5
 * 17:1". Each line of the output has the k labels of a row, 5 unless given, as name:probability pairs with
 * tabs between them.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "labeltree.h"

enum { MAX_LINE = 1 << 20, MAX_FEATURES = MAX_LINE / 4, MAX_K = 1000, MAX_NAME = 1000, MAX_ERROR = 500 };

static char line[MAX_LINE];
static int32_t features[MAX_FEATURES];
static float values[MAX_FEATURES];

/* Reads the pairs of a line; returns their number, or -1 if one is not a pair. */
static long read_row(const char* at) {
  long n = 0;
  for (;;) {
    char* end;
    long feature;
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') ++at;
    if (*at == '\0') return n;
    errno = 0;
    feature = strtol(at, &end, 10);
    if (end == at || *end != ':' || errno != 0 || feature < 0 || feature > INT32_MAX || n == MAX_FEATURES)
      return -1;
    at = end + 1;
    values[n] = strtof(at, &end);
    if (end == at) return -1;
    features[n++] = (int32_t)feature;
    at = end;
  }
}

static int print_labels(const labeltree_model* model, long n, size_t k) {
  static int32_t labels[MAX_K];
  static float probabilities[MAX_K];
  char name[MAX_NAME], error[MAX_ERROR];
  int64_t i, n_found;
  n_found =
      labeltree_top_k(model, features, values, (size_t)n, k, labels, probabilities, error, sizeof error);
  if (n_found < 0) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  for (i = 0; i < n_found; ++i) {
    labeltree_label_name(model, labels[i], name, sizeof name);
    printf("%s%s:%.9g", i == 0 ? "" : "\t", name, (double)probabilities[i]);
  }
  printf("\n");
  return 0;
}

int main(int argc, char** argv) {
  char error[MAX_ERROR];
  const long k = argc > 2 ? strtol(argv[2], NULL, 10) : 5;
  labeltree_model* model;
  int failed = 0;
  if (argc < 2 || argc > 3 || k < 1 || k > MAX_K) {
    fprintf(stderr, "usage: %s model.lt [k], with k from 1 to %d\n", argv[0], (int)MAX_K);
    return 2;
  }
  model = labeltree_open(argv[1], 0, error, sizeof error);
  if (model == NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  while (!failed && fgets(line, sizeof line, stdin) != NULL) {
    const long n = read_row(line);
    if (n < 0) fprintf(stderr, "a row must be feature:value pairs, but is %s", line);
    failed = n < 0 || print_labels(model, n, (size_t)k);
  }
  labeltree_close(model);
  return failed;
}
