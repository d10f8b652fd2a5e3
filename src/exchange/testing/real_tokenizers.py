"""Token ids by Hugging Face's tokenizers (Rust) and chats by Jinja2, as transformers sets it up.

Reads a JSON object from standard input: `tokenizer` (path of a tokenizer.json), `texts`, `template`,
`variables` and `chats` (lists of messages). Prints `ids` and `decoded`, one for each text, and `rendered`,
one for each chat.
"""

import json
import sys

from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

given = json.load(sys.stdin)
tokenizer = Tokenizer.from_file(given["tokenizer"])
ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in given["texts"]]
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
template = environment.from_string(given["template"])
json.dump(
    {
        "ids": ids,
        "decoded": [tokenizer.decode(one, skip_special_tokens=False) for one in ids],
        "rendered": [
            template.render(messages=chat, **given["variables"]) for chat in given["chats"]
        ],
    },
    sys.stdout,
)
