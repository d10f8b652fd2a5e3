"""Small Llama checkpoints with byte-pair tokenizers, made by Hugging Face's own libraries.

    pip install torch transformers tokenizers
    python elsewhere.py make FOLDER          # KIND.zip: a checkpoint, token ids of texts, and probabilities
    PALESTRA_ELSEWHERE=FOLDER npx vitest run src/exchange/elsewhere    # compares, and exports to FOLDER/KIND
    python elsewhere.py compare FOLDER       # loads these exports, and compares again

The weights are random; the merges are learned from the few sentences below. With --small, few texts and
contexts are kept beside each checkpoint, as in the two zips that are always tested.
"""

import json
import random
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SENTENCES = """Your goal is at position 8, 6. Your current position is at position 3, 4. There are walls to your left and above you.
move left. move right. move up. move down. move up move down move left move right. You cannot go there.
The small robot walks along the wall, turns right, and finds the goal behind the second door.
Go forward, pick up the red key, open the red door, and put the blue ball next to the grey box.
A student reads the curve; the teacher asks why it falls. Because the agent learned to move up, it said.
It's the agent's turn; they'll see, we've won, I'm done. Green, yellow, grey: crane, slate, audio.
Craft 4 oak planks using 1 oak log. Inventory: [oak log] (3), [stick] (2). Got 1 stick. 12 345 6789.""".split("\n")
ODD = ["", " ", "  two  spaces ", "\ttab\nnew line\r\n", "naïve café — “quoted”", "東京 ☂ 🚀", "x" * 300, "a</s>b", "<pad> <unk>", "1234567"]
BYTES = [f"<0x{i:02X}>" for i in range(256)]
LLAMA_3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def learned(tokenizer, size, special=()):
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special), show_progress=False,
                                  initial_alphabet=[] if special else pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(SENTENCES * 4, trainer)
    return tokenizer


def begins_with(tokenizer, token):
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{token} $A", special_tokens=[(token, tokenizer.token_to_id(token))])


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    learned(tokenizer, 338)
    tokenizer.add_special_tokens(["<|begin|>", "<|end|>"])
    return tokenizer, {"bos_token": "<|begin|>", "eos_token": "<|end|>"}


def llama_3():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA_3), "isolated", False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    learned(tokenizer, 420)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>"])
    begins_with(tokenizer, "<|begin_of_text|>")
    return tokenizer, {"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}


def with_byte_tokens(tokenizer, size):
    """Byte tokens are part of the vocabulary, not added tokens, as in Llama 2 checkpoints."""
    learned(tokenizer, size, ["<unk>", "<s>", "</s>", *BYTES])
    described = json.loads(tokenizer.to_str())
    described["added_tokens"] = [token for token in described["added_tokens"] if token["id"] < 3]
    return described


def llama_2():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    described = with_byte_tokens(tokenizer, 420)
    described["pre_tokenizer"] = None  # Needed only to train the merges.
    tokenizer = Tokenizer.from_str(json.dumps(described))
    begins_with(tokenizer, "<s>")
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


def metaspace():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first")])
    return Tokenizer.from_str(json.dumps(with_byte_tokens(tokenizer, 420))), {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}


KINDS = {"byte-level": byte_level, "llama-3": llama_3, "llama-2": llama_2, "metaspace": metaspace}


def save(kind, folder):
    torch.manual_seed(7)
    tokenizer, special = KINDS[kind]()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=8, intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=512, rms_norm_eps=1e-5,
        tie_word_embeddings=kind != "llama-2", initializer_range=0.7, pad_token_id=None,
        bos_token_id=tokenizer.token_to_id(special["bos_token"]), eos_token_id=tokenizer.token_to_id(special["eos_token"]))
    LlamaForCausalLM(config).half().save_pretrained(folder)


def with_special_tokens(folder):
    """Adds missing special tokens with the mean of the embeddings, as an import does."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    missing = [name for name, has in [("<pad>", tokenizer.pad_token), ("<unk>", tokenizer.unk_token), ("<obs>", None), ("<act>", None)] if has is None]
    tokenizer.add_tokens(missing, special_tokens=True)
    olds = [layer.weight.detach().clone() for layer in (model.get_input_embeddings(), model.get_output_embeddings())]
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    with torch.no_grad():
        for layer, old in zip((model.get_input_embeddings(), model.get_output_embeddings()), olds):
            layer.weight[len(old):] = old.double().mean(0).float()
    return tokenizer, model.eval()


def ids_behind_observation(tokenizer, text):
    return tokenizer("<obs>" + text, add_special_tokens=False)["input_ids"][1:]


def probabilities(model, ids):
    with torch.no_grad():
        return torch.softmax(model(torch.tensor([ids])).logits[0, -1].double(), -1)


def texts(count):
    draw = random.Random(5)
    words = " ".join(SENTENCES).split(" ")
    marks = list(" .,;:'()[]<>-_/\\\n\t0123456789éß東🚀")
    made = [*SENTENCES, *ODD]
    while len(made) < count:
        joined = " ".join(draw.choice(words) for _ in range(draw.randint(1, 12)))
        cut = draw.randint(0, len(joined))
        made.append(joined[:cut] + "".join(draw.choice(marks) for _ in range(draw.randint(0, 3))) + joined[cut:])
    return made[:count]


def make(target, small):
    target.mkdir(parents=True, exist_ok=True)
    for kind in ["byte-level", "llama-2"] if small else KINDS:
        with TemporaryDirectory() as folder:
            save(kind, folder)
            tokenizer, model = with_special_tokens(folder)
            read = [{"text": text, "ids": ids_behind_observation(tokenizer, text)} for text in texts(24 if small else 5000)]
            obs, act = tokenizer.convert_tokens_to_ids(["<obs>", "<act>"])
            contexts = [[obs, *row["ids"][:120], act] for row in (read[:2] if small else read[:200])]
            said = [{"ids": ids, "probabilities": [round(p, 6 if small else 9) for p in probabilities(model, ids).tolist()]} for ids in contexts]
            Path(folder, "expected.json").write_text(json.dumps({"texts": read, "contexts": said}, ensure_ascii=False))
            with zipfile.ZipFile(target / f"{kind}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for file in sorted(Path(folder).iterdir()):
                    archive.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED, 9)
            print(f"{kind}: {len(read)} texts, {len(said)} contexts, {(target / f'{kind}.zip').stat().st_size} bytes")


def compare(target):
    for kind in KINDS:
        expected = json.loads(zipfile.ZipFile(target / f"{kind}.zip").read("expected.json"))
        tokenizer = AutoTokenizer.from_pretrained(target / kind)
        model = AutoModelForCausalLM.from_pretrained(target / kind, dtype=torch.float32).eval()
        other = sum(ids_behind_observation(tokenizer, row["text"]) != row["ids"] for row in expected["texts"])
        worst = max(float((probabilities(model, row["ids"]) - torch.tensor(row["probabilities"], dtype=torch.double)).abs().max()) for row in expected["contexts"])
        print(f"{kind}: {other} of {len(expected['texts'])} texts read otherwise; largest difference of a probability {worst:.1e}")


if __name__ == "__main__":
    command, place, *rest = sys.argv[1:]
    make(Path(place), "--small" in rest) if command == "make" else compare(Path(place))
