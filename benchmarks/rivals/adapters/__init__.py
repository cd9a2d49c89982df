"""One file for each system, with the same functions.

read(files)
    Return the training data: matrices, or the path of a text file if the system reads it itself.
    Not timed. `files` maps "X", "Y" and "text" to paths of the training rows.
train(data, model_path, threads, **settings)
    Train and write the model. Both are timed, because some systems write while they train.
compile(model_path, target)
    Optional: write the model again in the layout for predictions. Not timed.
load(model_path, threads)
    Load the model; load(model_path, threads, layout) if the system has several layouts.
prepare(X)
    Return the rows of a csr_matrix in the format of the system. Not timed.
predict(model, rows, k)
    Return the top k labels of all rows in the format of the system, without any conversion.
ranking(found, k)
    Return (n_rows, k) labels, best first, -1 if there are fewer, and their scores. Not timed.
query(row)
    Return a row, a csr_matrix with one row, in the fastest format of the system for one row.
    Not timed.
predict_one(model, query, k)
    Return the top k labels of one row in the format of the system.

The systems and their settings are listed in `benchmarks.rivals.systems`.
"""
