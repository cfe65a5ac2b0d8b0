# SPDX-License-Identifier: Apache-2.0
"""The settings that are tested under every strategy, and the run whose bits each must equal.

A new feature of the experiment needs one more line in the list below. A reader is a data-parallel rank: it gets its own
samples.
"""
import pathlib
from dataclasses import dataclass

MICRO_BATCHES = 4
BATCH = 16  # batch size of one reader
LEFT_OUT = "layers left out"
STEPS = 4
BASE = ["dataset.kind=synthetic", "dataset.shape=blobs", "dataset.size=320", "model.hidden=[13,9,7]", "loader.batch_size=16",
        f"training.max_steps={STEPS}", "training.epochs=2", "parallel.device=cpu", "parallel.timeout_seconds=20"]


@dataclass(frozen=True)
class Strategy:
    name: str
    ranks: int
    settings: tuple
    readers: int          # number of data-parallel ranks, which get different samples
    micro_batches: int = 1

    def all_settings(self):
        return [f"parallel.world_size={self.ranks}", *self.settings]

    def twin(self):
        """Returns the settings of the twin: a DDP run with as many ranks as the strategy has readers, which divides a
        batch into the same micro-batches. Empty if no run has the same bits.
        """
        if self.name == "data_parallel":
            return []  # close to ddp, and equal only with a canonical reduction
        twin = ["parallel.strategy=ddp", f"parallel.world_size={self.readers}", f"loader.batch_size={BATCH // self.micro_batches}"]
        if self.micro_batches > 1:
            twin.append(f"training.accumulate_steps={self.micro_batches}")
        return twin


def pipeline(name, ranks, schedule, *more, readers=1):
    return Strategy(name, ranks, ("parallel.strategy=pipeline", f"pipeline.schedule={schedule}",
                                  f"pipeline.micro_batches={MICRO_BATCHES}", *more), readers, MICRO_BATCHES)


STRATEGIES = [
    Strategy("ddp", 2, ("parallel.strategy=ddp",), 2),
    Strategy("data_parallel", 2, ("parallel.strategy=data_parallel",), 1),
    Strategy("fsdp:optimizer", 2, ("parallel.strategy=fsdp", "fsdp.shard=optimizer"), 2),
    Strategy("fsdp:gradients", 2, ("parallel.strategy=fsdp", "fsdp.shard=gradients"), 2),
    Strategy("fsdp:parameters", 2, ("parallel.strategy=fsdp", "fsdp.shard=parameters"), 2),
    Strategy("fsdp:4 ranks", 4, ("parallel.strategy=fsdp", "fsdp.unit=layer"), 4),
    Strategy("fsdp:layer,none", 2, ("parallel.strategy=fsdp", "fsdp.unit=layer", "fsdp.prefetch=none"), 2),
    Strategy("fsdp:whole,offload", 2, ("parallel.strategy=fsdp", "fsdp.unit=whole", "fsdp.cpu_offload=true"), 2),
    Strategy("hsdp", 4, ("parallel.strategy=fsdp", "mesh.replicate=2"), 4),
    Strategy("model_parallel", 2, ("parallel.strategy=model_parallel",), 1),
    pipeline("pipeline:gpipe", 2, "gpipe"),
    pipeline("pipeline:1f1b", 2, "1f1b"),
    pipeline("pipeline:interleaved", 2, "interleaved", "pipeline.stages_per_rank=2"),
    pipeline("pipeline:zero_bubble", 2, "zero_bubble"),
    pipeline("replicas_of_pipelines", 4, "1f1b", "mesh.replicate=2", readers=2),
    pipeline("sharded_stages", 4, "1f1b", "mesh.shard=2", readers=2),
]


@dataclass(frozen=True)
class Feature:
    """A setting of the experiment that every strategy must support or refuse."""
    name: str
    settings: tuple
    equal: bool = True        # true if the result equals that of the twin to the last bit
    # False if the twin, whose batch size differs, assigns other samples. This concerns several readers that accumulate.
    same_samples: bool = True
    fails: str = ""           # text of the failure with which every strategy must end; empty: success

    def is_equal_for(self, strategy):
        return self.equal and (self.same_samples or strategy.micro_batches == 1 or strategy.readers == 1)


def models(scratch):
    text = pathlib.Path(scratch, "text.txt")
    text.write_text(" ".join(f"ring {i * i} side" for i in range(120)))
    on_text = ("dataset.kind=text", f"dataset.path={text}", "dataset.context_length=8", "model.kind=transformer", "model.width=8",
               "model.heads=2", "model.depth=2")
    images = ("dataset.kind=digits",)
    listed = '[{"kind":"linear","out":12},{"kind":"gelu"},{"kind":"layer_norm"},{"kind":"dropout","p":0.2},' \
             '{"kind":"residual","layers":[{"kind":"linear","out":9},{"kind":"relu"},{"kind":"linear","out":12}],' \
             '"shortcut":[{"kind":"linear","out":12}]},{"kind":"linear"}]'
    return [
        Feature("mlp", ()),
        Feature("regression", ("dataset.shape=regression",)),
        Feature("toy_linear", ("model.kind=toy_linear", "dataset.shape=regression")),
        Feature("simple_cnn", (*images, "model.kind=simple_cnn", "training.max_steps=2")),
        Feature("residual_cnn", (*images, "model.kind=residual_cnn", "model.width=4", "model.depth=1", "training.max_steps=2")),
        Feature("residual_cnn, recompute all", (*images, "model.kind=residual_cnn", "model.width=4", "model.depth=1",
                                                "training.max_steps=2", "training.recompute=all")),
        Feature("transformer", on_text),
        Feature("transformer, dropout", (*on_text, "model.dropout=0.1")),
        Feature("transformer, dropout, recompute blocks", (*on_text, "model.dropout=0.1", "training.recompute=blocks")),
        Feature("list of layers with dropout", ("model.kind=layers", f"model.layers={listed}")),
        Feature(LEFT_OUT, ("model.kind=layers", "model.layers=" + listed.replace('"residual",', '"residual","skip":0.5,'))),
    ]


FEATURES = [
    Feature("sgd with momentum", ("optimizer.kind=sgd", "optimizer.momentum=0.9", "optimizer.weight_decay=0.01")),
    Feature("nesterov", ("optimizer.kind=sgd", "optimizer.momentum=0.9", "optimizer.nesterov=true")),
    Feature("adam", ("optimizer.kind=adam", "optimizer.lr=0.01")),
    Feature("adamw", ("optimizer.kind=adamw", "optimizer.lr=0.01", "optimizer.weight_decay=0.1")),
    Feature("clipping", ("optimizer.clip_grad_norm=0.1",)),
    Feature("clipping of odd shapes", ("optimizer.clip_grad_norm=0.05", "model.hidden=[60,50,40]", "training.max_steps=10")),
    Feature("clipping with adam", ("optimizer.clip_grad_norm=0.1", "optimizer.kind=adam")),
    Feature("shuffle off", ("sampler.shuffle=false",)),
    Feature("drop_last of the sampler", ("sampler.drop_last=true",)),
    Feature("drop_last of the loader", ("loader.drop_last=true",)),
    Feature("a last batch that is smaller", ("dataset.size=330", "training.max_steps=0"), same_samples=False),
    Feature("no set_epoch", ("sampler.set_epoch=false",)),
    *(Feature(f"sampler {kind}", (f"sampler.kind={kind}",), same_samples=kind not in ("batch_sharded", "class_balanced"))
      for kind in ("sequential", "random", "batch_sharded", "contiguous", "unpadded", "weighted", "distributed_weighted",
                   "class_balanced", "subset")),
    Feature("workers", ("loader.num_workers=2", "loader.persistent_workers=true")),
    Feature("padded validation", ("training.validate=padded", "training.max_steps=0")),
    Feature("step schedule", ("schedule.kind=step", "schedule.step_size=1", "training.max_steps=0")),
    Feature("cosine schedule with warm-up", ("schedule.kind=cosine", "schedule.warmup_epochs=1", "training.max_steps=0")),
    Feature("recompute all", ("training.recompute=all",)),
    Feature("recompute blocks", ("training.recompute=blocks",)),
    Feature("traced layers", ("telemetry.trace=layers",)),
    Feature("not finite, stop", ("dataset.shape=regression", "optimizer.lr=1e6", "training.max_steps=0"),
            fails="lower optimizer.lr"),
    Feature("not finite, continue", ("dataset.shape=regression", "optimizer.lr=1e6", "training.on_non_finite=continue"), equal=False),
    Feature("restarts", ("parallel.max_restarts=2",)),
    Feature("a checkpoint each epoch", ("training.max_steps=0", "training.checkpoint_every=1", "training.keep_checkpoints=1")),
]

# With canonical reduction, every strategy has the bits of one rank with the same global batch.
CANONICAL = Feature("canonical", ("training.reduction=canonical",))
ACCUMULATE = Feature("accumulate", ())
TRANSPORTS = ["shm", "gloo", "hosts"]


@dataclass(frozen=True)
class Cell:
    strategy: Strategy
    feature: Feature
    transport: str = "shm"

    @property
    def name(self):
        return f"{self.strategy.name}; {self.feature.name}; {self.transport}"

    def settings(self):
        over = ["parallel.backend=shm" if self.transport == "shm" else "parallel.backend=gloo"]
        own = ["training.accumulate_steps=2"] if self.feature is ACCUMULATE else self.unused(self.strategy.name == "ddp")
        return [*BASE, *self.feature.settings, *self.strategy.all_settings(), *own, *over]

    def unused(self, is_ddp):
        """Returns the setting for parameters without gradients, which only DDP needs."""
        return ["parallel.find_unused_parameters=true"] if is_ddp and self.feature.name == LEFT_OUT else []

    def twin(self):
        """Settings of the run that ends with the same bits; empty: there is none."""
        if self.feature is CANONICAL:
            return [*BASE, *self.feature.settings, "parallel.world_size=1", f"loader.batch_size={BATCH * self.strategy.readers}",
                    "parallel.backend=shm"]
        # Gloo's ring adds in another order, and over hosts, each host adds first. The bits are equal only if nothing is
        # averaged.
        if not self.feature.is_equal_for(self.strategy) or self.feature.fails:
            return []
        if self.transport != "shm" and self.strategy.readers > 1:
            return []
        twin = self.strategy.twin()
        if twin and self.feature is ACCUMULATE:
            twin = [one for one in twin if "accumulate" not in one]
            twin.append(f"training.accumulate_steps={2 * self.strategy.micro_batches}")
        return [*BASE, *self.feature.settings, *twin, *self.unused(True), "parallel.backend=shm"] if twin else []


def all_cells(scratch):
    features = [*models(scratch), *FEATURES, ACCUMULATE, CANONICAL]
    return [Cell(strategy, feature, transport) for transport in TRANSPORTS for feature in features for strategy in STRATEGIES]
