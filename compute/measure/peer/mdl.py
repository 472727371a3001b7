# Makes the rows that the description length is compared on, or times it with
# scikit-learn's perceptron, the probe that the published tables were made with:
#
#   mdl.py make DIR     16,000 rows of 300 numbers, of which a few tell the label
#   mdl.py time DIR     seconds and bits of the block code, eleven cuts
import sys
import time
import warnings

import numpy
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

ROWS, COLUMNS = 16000, 300
SHARES = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1]
command, folder = sys.argv[1:]

if command == "make":
    rng = numpy.random.default_rng(1)
    z = rng.integers(0, 2, ROWS)
    x = rng.standard_normal((ROWS, COLUMNS)).astype(numpy.float32)
    x[:, :8] += (0.5 * (2 * z[:, None] - 1)).astype(numpy.float32)
    x.tofile(folder + "/x")
    z.astype(numpy.uint8).tofile(folder + "/z")
    sys.exit()

x = numpy.fromfile(folder + "/x", numpy.float32).reshape(ROWS, COLUMNS)
z = numpy.fromfile(folder + "/z", numpy.uint8)
warnings.simplefilter("ignore")
began = time.perf_counter()
bits, last = float(int(SHARES[0] * ROWS)), int(SHARES[0] * ROWS)
for share in SHARES[1:]:
    cut = int(share * ROWS)
    if len(set(z[:last])) < 2:
        bits += cut - last
    else:
        scaler = StandardScaler().fit(x[:last])
        probe = MLPClassifier(alpha=1, max_iter=1000, random_state=1).fit(scaler.transform(x[:last]), z[:last])
        p = probe.predict_proba(scaler.transform(x[last:cut]))[numpy.arange(cut - last), z[last:cut]]
        bits -= numpy.log2(numpy.maximum(p, 2.0**-40)).sum()
    last = cut
print("seconds", time.perf_counter() - began)
print("kbit", bits / 1024)
