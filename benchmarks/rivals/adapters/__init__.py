"""One file for each system, with the same functions.

read(files)
    What training starts from: matrices, or the path of a text file where the system reads those
    itself. Not timed. `files` maps "X", "Y" and "text" to paths of the training rows.
train(data, model_path, threads, **settings)
    Train and write the model. Both are timed, because some systems write while they train.
compile(model_path, target)
    Optional: write the model once more as the system wants it for queries. Not timed.
load(model_path, threads)
    Open the model for queries; load(model_path, threads, layout) where the system has several.
predict(model, X, k)
    (n_rows, k) labels, best first, -1 where there are fewer; and their scores.
query(row)
    A row, a csr_matrix of height 1, in the form that the system's own call for one row takes best.
    Not timed.
ask(model, query, k)
    The answer to one row as the system gives it.

The systems and their settings are listed in `benchmarks.rivals.systems`.
"""
