"""scikit-learn's random forest, as what package forest is held against.

oracle.py small FOLDER          writes a small table, how it is split, and the area that
                                scikit-learn's default forest reaches on it over seeds
oracle.py fit TABLE TRAIN SEEDS prints the area, one a seed, of forests on the first
                                TRAIN rows of a table, judged on the others
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from scipy.sparse import csr_matrix


def areas(x, y, train, seeds, leaf=1):
    for seed in range(seeds):
        forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=leaf, random_state=seed)
        forest.fit(x[:train], y[:train])
        yield roc_auc_score(y[train:], forest.predict_proba(x[train:])[:, 1])


def small(folder):
    rng = np.random.default_rng(5)
    rows, columns, train = 360, 40, 240
    x = (rng.random((rows, columns)) < 0.15) * rng.integers(1, 4, (rows, columns)) / rng.integers(4, 12, (rows, 1))
    x[:, 0] = rng.integers(1, 30, rows)  # one that every row has
    x[:, 1] -= (rng.random(rows) < 0.1) * 0.25  # and one below 0
    score = 0.06 * (x[:, 0] - 15) + 2.5 * x[:, 1:6].sum(axis=1) - 1.2
    y = (score + rng.normal(0, 1, rows) > 0).astype(int)
    x = csr_matrix(np.round(x, 6))
    dump_svmlight_file(x, y, folder + "/small.svm", zero_based=True)
    out = {"train": train, "columns": columns, "scikit_learn": sklearn.__version__, "forests": []}
    for leaf in (1, 5):
        a = np.array(list(areas(x, y, train, 60, leaf)))
        out["forests"].append({"min_leaf": leaf, "seeds": len(a), "mean": a.mean(), "sd": a.std(ddof=1)})
    with open(folder + "/small.json", "w") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    if sys.argv[1] == "small":
        small(sys.argv[2])
    else:
        x, y = load_svmlight_file(sys.argv[2], zero_based=True)
        for a in areas(x, y, int(sys.argv[3]), int(sys.argv[4])):
            print(a)
