"""The training step in PyTorch: `pytorch.py processor`, `pytorch.py cuda` or `pytorch.py cuda-graph`.

Reads one JSON object with the case and its inputs (see inputs.ts) and writes the version and the device
name, or null if there is no such device. Then, for every line that it reads, it takes a step and writes
the loss before that step. A CUDA graph captures all kernels of a step once and launches them together, so
that Python and individual kernel launches cost nothing.
"""
import json
import sys

import torch
import torch.nn.functional as F

where = sys.argv[1]
on_gpu = where.startswith("cuda")
if on_gpu and not torch.cuda.is_available():
    print("null", flush=True)
    sys.exit()
torch.set_default_device("cuda" if on_gpu else "cpu")
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
behavior, advantages, weights = (
    tensor(case[name]) for name in ("behaviorLogps", "advantages", "lossWeights")
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
    fused=on_gpu,
    capturable=on_gpu,
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
    ratio = (logps - behavior).exp()
    clipped = ratio.clamp(objective["clipLow"], objective["clipHigh"])
    return -(torch.minimum(ratio * advantages, clipped * advantages) * weights).sum()


def queue_step():
    """A whole step except reading the loss."""
    loss = loss_of()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(p.values(), optimizer["maxGradNorm"])
    adamw.step()
    return loss


def step():
    adamw.zero_grad(set_to_none=True)
    return queue_step().item()


def recorded_step():
    """A step as a CUDA graph. The warm-up steps are undone."""
    start = {name: w.detach().clone() for name, w in p.items()}
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            adamw.zero_grad(set_to_none=True)
            queue_step()
    torch.cuda.current_stream().wait_stream(aside)
    with torch.no_grad():
        for name, w in p.items():
            w.copy_(start[name])
        for state in adamw.state.values():
            for moment in state.values():
                moment.zero_()
    graph = torch.cuda.CUDAGraph()
    # Gradients are None when capture begins, so each replay overwrites them instead of accumulating.
    adamw.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = queue_step()

    def replay():
        graph.replay()
        return loss.item()

    return replay


def place():
    if on_gpu:
        return torch.cuda.get_device_name() + (", CUDA graph" if where == "cuda-graph" else "")
    threads = torch.get_num_threads()
    return "1 thread" if threads == 1 else f"{threads} threads"


take = recorded_step() if where == "cuda-graph" else step
print(json.dumps({"version": torch.__version__, "place": place()}), flush=True)
for _ in sys.stdin:
    print(take(), flush=True)
