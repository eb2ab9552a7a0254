"""The made-up model that upstream is configured with where no real one is needed: two layers, written to a folder."""

import json
import os
from typing import Any

from annotator.probes.contract import Context

TINY_LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "vocab_size": 1024,
    "torch_dtype": "float32",
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def model_directory(context: Context, **changes: Any) -> str:
    """Writes the model's configuration, without weights or tokenizer, and says where."""
    folder = os.path.join(context.folder, "model")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({**TINY_LLAMA, **changes}, file)
    return folder


def inspect_models_here(context: Context) -> None:
    """Has upstream look at the model's class in this process: starting another one takes as long as the whole probe."""
    from vllm.model_executor.models import registry

    if hasattr(registry, "_run_in_subprocess"):
        registry._run_in_subprocess = lambda function: function()
        context.adapted("the model class is inspected in the probe's own process")
