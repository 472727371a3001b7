"""The training step of BenchmarkStep in PyTorch, and its largest product.

Prints the best time of a step in milliseconds, and the best rate of the product
in GFLOP/s. The number of threads is the first argument.
"""

import sys
import time

import torch
from torch import nn

ROWS, WORDS, WIDTH, TIMES = 2000, 2304, 300, 30


class Reverse(torch.autograd.Function):
    """Passes its input on and reverses the gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


def best(f):
    """Returns the best of a few times, in seconds."""
    times = []
    for _ in range(TIMES + 2):  # the first two allocate
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times[2:])


torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(1)
encoder = nn.Sequential(nn.Linear(WORDS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
classifier = nn.Linear(WIDTH, 2)
adversary = nn.Sequential(
    nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 2)
)
parameters = [*encoder.parameters(), *classifier.parameters(), *adversary.parameters()]
adam = torch.optim.Adam(parameters, 1e-3)
noise = torch.distributions.Laplace(0.0, 0.25)  # ε = 8
loss = nn.CrossEntropyLoss()
x = torch.randn(ROWS, WORDS)
labels, protected = (x[:, 0] > 0).long(), (x[:, 1] > 0).long()


def step():
    h = encoder(x)
    z = h / h.abs().sum(1, keepdim=True) + noise.sample((ROWS, WIDTH))
    total = loss(classifier(z), labels) + loss(adversary(Reverse.apply(z)), protected)
    adam.zero_grad()
    total.backward()
    adam.step()


weights = torch.randn(WORDS, WIDTH)
print("step", 1e3 * best(step))
with torch.no_grad():
    print("product", 2 * ROWS * WORDS * WIDTH / best(lambda: x @ weights) / 1e9)
