"""The training step of BenchmarkStep in PyTorch.

Prints the best time of a step in milliseconds, and the least processor time. The
arguments are the number of threads and for how many seconds to look for the best,
or "product" for the rate of a product in GFLOP/s.
"""

import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional

HIDDEN, LAYERS, HEADS, INNER, WORDS, PLACES = 384, 6, 12, 1536, 30522, 512
SEQUENCES, TOKENS, RATE = 32, 64, 0.1


class Layer(nn.Module):
    """A layer of BERT: attention and a perceptron, each with a way around it."""

    def __init__(self):
        super().__init__()
        self.mixed = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.attended = nn.Linear(HIDDEN, HIDDEN)
        self.attended_norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.inner = nn.Linear(HIDDEN, INNER)
        self.outer = nn.Linear(INNER, HIDDEN)
        self.outer_norm = nn.LayerNorm(HIDDEN, 1e-12)

    def forward(self, x):
        shape = (SEQUENCES, TOKENS, HEADS, HIDDEN // HEADS)
        q, k, v = (t.view(shape).transpose(1, 2) for t in self.mixed(x).split(HIDDEN, -1))
        scores = q @ k.transpose(2, 3) / math.sqrt(HIDDEN // HEADS)
        weights = functional.dropout(torch.softmax(scores, -1), RATE)
        joined = (weights @ v).transpose(1, 2).reshape(SEQUENCES, TOKENS, HIDDEN)
        x = self.attended_norm(x + functional.dropout(self.attended(joined), RATE))
        y = self.outer(functional.gelu(self.inner(x)))
        return self.outer_norm(x + functional.dropout(y, RATE))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, HIDDEN)
        self.places = nn.Embedding(PLACES, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(HIDDEN, 4)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(TOKENS)) + self.types(torch.zeros_like(ids))
        x = functional.dropout(self.norm(x), RATE)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean(1))


torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(1)
if sys.argv[2] == "product":
    a, b = torch.randn(2048, HIDDEN), torch.randn(HIDDEN, INNER)
    times = []
    for _ in range(50):
        before = time.process_time()
        a @ b
        times.append(time.process_time() - before)
    print("product", 2e-9 * 2048 * HIDDEN * INNER / min(times))
    sys.exit()
model = Encoder()
adam = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=0.01)
ids = torch.tensor([[1000 + 97 * i + 31 * j for j in range(TOKENS)] for i in range(SEQUENCES)])
labels = torch.arange(SEQUENCES) % 4


def step():
    adam.zero_grad()
    functional.cross_entropy(model(ids), labels).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    adam.step()


step()
best, least, start = math.inf, math.inf, time.perf_counter()
while time.perf_counter() - start < float(sys.argv[2]) or best == math.inf:
    before, spent = time.perf_counter(), time.process_time()
    step()
    best, least = min(best, time.perf_counter() - before), min(least, time.process_time() - spent)
print("step", 1000 * best)
print("cpu", 1000 * least)
