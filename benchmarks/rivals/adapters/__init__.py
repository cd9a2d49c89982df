"""One file for each system, with the same four functions.

read(files)
    What training starts from: matrices, or the path of a text file where the system reads those
    itself. Not timed. `files` maps "X", "Y" and "text" to paths of the training rows.
train(data, model_path, threads, **settings)
    Train and write the model. Both are timed, because some systems write while they train.
load(model_path, threads)
    Open the model for queries.
predict(model, X, k)
    (n_rows, k) labels, best first, -1 where there are fewer; and their scores.

The systems and their settings are listed in `benchmarks.rivals.systems`.
"""
