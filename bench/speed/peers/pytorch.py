"""The training step in PyTorch on the processor.

Reads one JSON object with the case and its inputs (see inputs.ts), writes the version, then takes a
step for every line that it reads and writes the loss before it.
"""
import json
import sys

import torch
import torch.nn.functional as F

case = json.loads(sys.stdin.readline())
shape, optimizer, objective = case["shape"], case["optimizer"], case["objective"]
sequences, length = case["sequences"], case["length"]
width, heads, layers = shape["width"], shape["heads"], shape["layers"]
head_dim = width // heads


def tensor(matrix):
    return torch.tensor(matrix["values"], dtype=torch.float32).reshape(matrix["shape"])


p = {name: tensor(m).requires_grad_() for name, m in case["weights"].items()}
tokens = tensor(case["tokens"]).argmax(-1)
targets = tensor(case["targets"]).argmax(-1)
behaviour, advantages, weights = (
    tensor(case[name]) for name in ("behaviourLogps", "advantages", "lossWeights")
)
# (1, 1, length, head dimensions)
cos, sin = (tensor(case[name]).permute(0, 2, 1, 3) for name in ("cos", "sin"))

adamw = torch.optim.AdamW(
    [
        {"params": [w for w in p.values() if w.dim() > 1], "weight_decay": optimizer["weightDecay"]},
        {"params": [w for w in p.values() if w.dim() == 1], "weight_decay": 0.0},
    ],
    lr=optimizer["learningRate"],
    betas=(optimizer["beta1"], optimizer["beta2"]),
    eps=optimizer["epsilon"],
)


def norm(x, gain):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * gain


def apart(x):
    """(tokens, width) to (sequences, heads, length, head dimensions)."""
    return x.reshape(sequences, length, heads, head_dim).transpose(1, 2)


def rotate(x):
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((high, low), -1) * sin


def loss_of():
    x = F.embedding(tokens, p["embedding"])
    for l in range(layers):
        w = {name: p[f"layers.{l}.{name}"] for name in case["blockWeights"]}
        h = norm(x, w["attention_norm"])
        q, k, v = (apart(h @ w[name]) for name in ("query", "key", "value"))
        mixed = F.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True)
        x = x + mixed.transpose(1, 2).reshape(sequences * length, width) @ w["attention_output"]
        g = norm(x, w["feed_forward_norm"])
        x = x + (F.silu(g @ w["gate"]) * (g @ w["up"])) @ w["down"]
    logits = norm(x, p["final_norm"]) @ p["head"]
    logps = logits.log_softmax(-1).gather(-1, targets[:, None])[:, 0]
    ratio = (logps - behaviour).exp()
    clipped = ratio.clamp(objective["clipLow"], objective["clipHigh"])
    return -(torch.minimum(ratio * advantages, clipped * advantages) * weights).sum()


def step():
    adamw.zero_grad(set_to_none=True)
    loss = loss_of()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(p.values(), optimizer["maxGradNorm"])
    adamw.step()
    return loss.item()


print(json.dumps({"version": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
for _ in sys.stdin:
    print(step(), flush=True)
