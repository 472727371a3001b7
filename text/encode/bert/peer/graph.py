"""Writes a model of the BERT family as an ONNX graph, without the onnx package.

The operators are the fused ones that ONNX Runtime's own optimiser makes of an
exported model, so that the peer runs as fast as it can. The arguments are the
folder of the model and the file to write.
"""

import array
import glob
import json
import struct
import sys

FLOAT, INT32 = 1, 6  # types of tensors
FUSED = "com.microsoft"


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def piece(field, value):
    """Returns a field with bytes, text or a message."""
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


class Weights:
    """The tensors of a file of half precision."""

    def __init__(self, path):
        self.file = open(path, "rb")
        (size,) = struct.unpack("<Q", self.file.read(8))
        self.header = json.loads(self.file.read(size))
        self.start = 8 + size

    def read(self, name):
        entry = self.header[name]
        assert entry["dtype"] == "F16", f"{name} is {entry['dtype']}, must be F16"
        begin, end = entry["data_offsets"]
        self.file.seek(self.start + begin)
        data = struct.unpack(f"<{(end - begin) // 2}e", self.file.read(end - begin))
        return array.array("f", data), entry["shape"]

    def transposed(self, name):
        data, (rows, cols) = self.read(name)
        out = array.array("f", bytes(4 * len(data)))
        for r in range(rows):
            out[r::rows] = data[r * cols : (r + 1) * cols]
        return out, [cols, rows]


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.tensors = weights, b"", b""

    def tensor(self, name, data, shape):
        dims = b"".join(number(1, d) for d in shape)
        self.tensors += piece(5, dims + number(2, FLOAT) + piece(8, name) + piece(9, data.tobytes()))
        return name

    def take(self, *names):
        return [self.tensor(n, *self.weights.read(n)) for n in names]

    def matrix(self, name):
        return self.tensor(name, *self.weights.transposed(name))

    def node(self, operator, inputs, outputs, domain="", **attributes):
        message = b"".join(piece(1, i) for i in inputs) + b"".join(piece(2, o) for o in outputs)
        message += piece(3, outputs[0]) + piece(4, operator)
        for key, value in attributes.items():
            if isinstance(value, float):
                body = varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
            elif isinstance(value, list):
                body = b"".join(number(8, v) for v in value) + number(20, 7)
            else:
                body = number(3, value) + number(20, 2)
            message += piece(5, piece(1, key) + body)
        self.nodes += piece(1, message + piece(7, domain))
        return outputs[0]

    def mixed(self, at, hidden):
        """Joins the weights of queries, keys and values side by side."""
        parts = [self.weights.transposed(at + n + ".weight")[0] for n in ("query", "key", "value")]
        rows = (p[r * hidden : (r + 1) * hidden] for r in range(hidden) for p in parts)
        joined = array.array("f", b"".join(r.tobytes() for r in rows))
        bias = sum((self.weights.read(at + n + ".bias")[0] for n in ("query", "key", "value")), array.array("f"))
        return [
            self.tensor(at + "weight", joined, [hidden, 3 * hidden]),
            self.tensor(at + "bias", bias, [3 * hidden]),
        ]

    def close(self, at, x, around, epsilon):
        """Adds bias and the connection around a layer, and normalises."""
        names = (at + "LayerNorm.weight", at + "LayerNorm.bias", at + "dense.bias")
        return self.node("SkipLayerNormalization", [x, around, *self.take(*names)], [at + "y"], FUSED, epsilon=epsilon)


def value(field, name, kind, dims):
    shape = b"".join(piece(1, piece(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return piece(field, piece(1, name) + piece(2, piece(1, number(1, kind) + piece(2, shape))))


def main(folder, out):
    with open(folder + "/config.json") as f:
        config = json.load(f)
    hidden, epsilon = config["hidden_size"], config["layer_norm_eps"]
    g = Graph(Weights(glob.glob(glob.escape(folder) + "/model*.safetensors")[0]))
    e = "embeddings."
    names = ("word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias")
    inputs = ["ids", "types", *g.take(*(e + n for n in names)), "mask"]
    x = g.node("EmbedLayerNormalization", inputs, ["x", "lengths"], FUSED, epsilon=epsilon)
    for i in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{i}."
        mixed = g.mixed(at + "attention.self.", hidden)
        a = g.node("Attention", [x, *mixed, "lengths"], [at + "a"], FUSED, num_heads=config["num_attention_heads"])
        a = g.node("MatMul", [a, g.matrix(at + "attention.output.dense.weight")], [at + "b"])
        x = g.close(at + "attention.output.", a, x, epsilon)
        a = g.node("MatMul", [x, g.matrix(at + "intermediate.dense.weight")], [at + "c"])
        a = g.node("BiasGelu", [a, *g.take(at + "intermediate.dense.bias")], [at + "d"], FUSED)
        a = g.node("MatMul", [a, g.matrix(at + "output.dense.weight")], [at + "e"])
        x = g.close(at + "output.", a, x, epsilon)
    g.node("ReduceMean", [x], ["mean"], axes=[1], keepdims=0)
    message = g.nodes + piece(2, "bert") + g.tensors
    for name in ("ids", "types", "mask"):
        message += value(11, name, INT32, ["texts", "tokens"])
    message += value(12, "mean", FLOAT, ["texts", hidden])
    with open(out, "wb") as f:
        f.write(number(1, 8) + piece(8, piece(1, "") + number(2, 13)) + piece(8, piece(1, FUSED) + number(2, 1)) + piece(7, message))


main(sys.argv[1], sys.argv[2])
