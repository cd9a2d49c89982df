"""One file for each system, with the same functions.

read(files)
    What training starts from: matrices, or the path of a text file where the system reads those
    itself. Not timed. `files` maps "X", "Y" and "text" to paths of the training rows.
train(data, model_path, threads, **settings)
    Train and write the model. Both are timed, because some systems write while they train.
compile(model_path, target)
    Optional: write the model once more as the system wants it for predictions. Not timed.
load(model_path, threads)
    Open the model; load(model_path, threads, layout) where the system has several.
prepare(X)
    The rows of a csr_matrix in the form that the system's own calls take. Not timed.
predict(model, rows, k)
    The best k labels of all rows as the system gives them: its own calls and nothing else.
ranking(found, k)
    (n_rows, k) labels, best first, -1 where there are fewer; and their scores. Not timed.
query(row)
    A row, a csr_matrix of height 1, in the form that the system's own call for one row takes best.
    Not timed.
predict_one(model, query, k)
    The best k labels of one row as the system gives them.

The systems and their settings are listed in `benchmarks.rivals.systems`.
"""
