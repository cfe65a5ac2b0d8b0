// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {
namespace {

// clang-format off
constexpr ConfigField kTrainingFields[] = {
    choice("optimizer.kind", RINGSIDE_CHOICE(optimizer.kind),
        "Update rule. sgd: stochastic gradient descent, optionally with momentum. adam, adamw: an adaptive step size "
        "for each weight, usually with a learning rate near 0.001."),
    real("optimizer.lr", RINGSIDE_SLOT(optimizer.lr), AboveUpTo{0, 1e6},
        "Learning rate: the step size. If the global batch is k times as large, try k times the rate."),
    real("optimizer.momentum", RINGSIDE_SLOT(optimizer.momentum), Within{0, 0.999999},
        "Optimizer sgd only: weight of the previous gradients, from 0 to below 1. 0.9 averages over about ten steps."),
    real("optimizer.dampening", RINGSIDE_SLOT(optimizer.dampening), Within{0, 1},
        "Optimizer sgd only: fraction of the new gradient that is left out of the momentum; almost always 0."),
    real("optimizer.weight_decay", RINGSIDE_SLOT(optimizer.weightDecay), Within{0, 1e6},
        "Pulls weights towards zero, against overfitting. 0 is off; 1e-4 is common. sgd and adam add it to the "
        "gradient; adamw shrinks the weights themselves (PyTorch's default there: 0.01)."),
    boolean("optimizer.nesterov", RINGSIDE_SLOT(optimizer.nesterov),
        "Optimizer sgd only: Nesterov's momentum. It needs optimizer.momentum above 0."),
    real("optimizer.beta1", RINGSIDE_SLOT(optimizer.beta1), Within{0, 0.999999},
        "Optimizers adam and adamw only: decay rate of the running mean of the gradients."),
    real("optimizer.beta2", RINGSIDE_SLOT(optimizer.beta2), Within{0, 0.999999999},
        "Optimizers adam and adamw only: decay rate of the running mean of the squared gradients."),
    real("optimizer.eps", RINGSIDE_SLOT(optimizer.eps), Within{0, 1},
        "Optimizers adam and adamw only: number that is added to the divisor, so that tiny gradients do not cause huge "
        "steps."),
    real("optimizer.clip_grad_norm", RINGSIDE_SLOT(optimizer.clipGradNorm), Within{0, 1e9},
        "Largest norm of the gradient over all parameters; larger gradients are scaled down to this norm after the "
        "all-reduce (torch.nn.utils.clip_grad_norm_). 0 is off."),
    choice("optimizer.scale_lr", RINGSIDE_CHOICE(optimizer.scaleLr),
        "linear: the learning rate is multiplied by global batch / optimizer.scale_base_batch, so that it follows the "
        "world size. none: the learning rate is used without a factor."),
    integer("optimizer.scale_base_batch", RINGSIDE_SLOT(optimizer.scaleBaseBatch), Within{1, kMaxInt32},
        "With optimizer.scale_lr linear: the global batch for which the learning rate was chosen."),

    choice("schedule.kind", RINGSIDE_CHOICE(schedule.kind),
        "How the learning rate changes from epoch to epoch. constant: it does not change. step: it is reduced every "
        "few epochs (StepLR). cosine: it falls along half a cosine wave (CosineAnnealingLR)."),
    integer("schedule.step_size", RINGSIDE_SLOT(schedule.stepSize), Within{1, 1e6},
        "Schedule step only: number of epochs between two reductions of the learning rate."),
    real("schedule.gamma", RINGSIDE_SLOT(schedule.gamma), AboveUpTo{0, 1},
        "Schedule step only: factor by which the learning rate is multiplied at each reduction."),
    integer("schedule.t_max", RINGSIDE_SLOT(schedule.tMax), Within{0, 1e6},
        "Schedule cosine only: number of epochs in which the learning rate falls from its full value to "
        "schedule.eta_min. 0: all epochs of the training."),
    real("schedule.eta_min", RINGSIDE_SLOT(schedule.etaMin), Within{0, 1e6},
        "Schedule cosine only: smallest learning rate, at the end of the wave."),
    integer("schedule.warmup_epochs", RINGSIDE_SLOT(schedule.warmupEpochs), Within{0, 1e6},
        "Number of epochs in which the learning rate rises linearly to its full value (LinearLR), which large "
        "batches need. 0 is off."),
    real("schedule.warmup_start", RINGSIDE_SLOT(schedule.warmupStart), AboveUpTo{0, 1},
        "If schedule.warmup_epochs is above 0: fraction of the learning rate that is used in the first epoch."),

    integer("training.epochs", RINGSIDE_SLOT(training.epochs), Within{1, 1e6},
        "Number of passes over the training samples."),
    integer("training.accumulate_steps", RINGSIDE_SLOT(training.accumulateSteps), Within{1, 1e6},
        "Number of micro-batches whose gradients are added before one all-reduce and one optimizer step. Each loss is "
        "divided by this number, also in a shorter group at the end of an epoch."),
    integer("training.max_steps", RINGSIDE_SLOT(training.maxSteps), Within{0, kMaxInt32},
        "Maximum number of optimizer steps. 0: no limit, all epochs are trained to their end."),
    choice("training.recompute", RINGSIDE_CHOICE(training.recompute),
        "Activations that are recomputed in the backward pass instead of kept in memory. blocks: the inside of each "
        "residual block. all: all activations except those between groups of layers. The results are bit-identical."),
    choice("training.reduction", RINGSIDE_CHOICE(training.reduction),
        "Order in which gradients are added. rank: each rank sums the gradients of its batch, then the sums of the "
        "ranks are added. A different world size therefore rounds differently. canonical: the gradients of fixed parts "
        "of the global batch are added in one fixed tree. Every strategy and world size then gives the same bits on "
        "devices of one kind, but training is slower."),
    integer("training.leaves", RINGSIDE_SLOT(training.leaves), Within{1, 4096},
        "Reduction canonical only: number of parts (leaves of the tree) into which the global batch is split, one "
        "sample to each in turn. It must be a power of two and at least the number of ranks that read samples."),
    integer("training.seed", RINGSIDE_SLOT(training.seed),
        "Seed of the initial weights, as torch.manual_seed before the model is built. All ranks start with rank 0's "
        "weights."),
    choice("training.loss", RINGSIDE_CHOICE(training.loss),
        "Loss function that is minimised. auto: cross_entropy for classes, mse for numbers."),
    choice("training.precision", RINGSIDE_CHOICE(training.precision),
        "Number format of the inputs of matrix products and convolutions. fp32: 32 bits. bf16 and fp16 (GPUs only): 16 "
        "bits, faster, with weights and sums in 32 bits. fp16 scales the loss so that small gradients do not vanish."),
    boolean("training.tf32", RINGSIDE_SLOT(training.tf32),
        "GPUs only: matrix products and convolutions in fp32 may round their inputs to 10 bits of mantissa, which is "
        "faster. Off is the default in PyTorch for matrix products."),
    boolean("training.winograd", RINGSIDE_SLOT(training.winograd),
        "CPU only: computes the gradients of 3x3 convolutions with 32 channels or more by Winograd's algorithm, in "
        "about half the time. The forward pass is direct in both cases, because its rounding decides how close the "
        "losses stay to PyTorch's."),
    choice("training.validate", RINGSIDE_CHOICE(training.validate),
        "Validation result that is shown first. exact: each sample counts once. padded: repeated samples count again, "
        "as in most scripts."),
    integer("training.log_every", RINGSIDE_SLOT(training.logEvery), Within{1, 1e9},
        "Number of steps between two points of the charts."),
    integer("training.checkpoint_every", RINGSIDE_SLOT(training.checkpointEvery), Within{0, 1e6},
        "Number of epochs between checkpoints. 0: only the final weights are saved."),
    integer("training.checkpoint_seconds", RINGSIDE_SLOT(training.checkpointSeconds), Within{0, 1e6},
        "Seconds after which the weights are saved again within an epoch. Only the latest of these checkpoints is "
        "kept. If saving is slow, these checkpoints are less frequent. 0 is off."),
    integer("training.keep_checkpoints", RINGSIDE_SLOT(training.keepCheckpoints), Within{0, 1e6},
        "Number of checkpoints of training.checkpoint_every that are kept: the latest ones. 0: all are kept."),
    file("training.resume", RINGSIDE_SLOT(training.resume),
        "Checkpoint from which the run continues: a run directory (its newest checkpoint), a checkpoint in it, or a "
        "safetensors file, which provides the initial weights only. Empty: start from the beginning."),
    choice("training.on_non_finite", RINGSIDE_CHOICE(training.onNonFinite),
        "Reaction to a loss that is infinite or not a number. stop: the run ends, reports the step and the rank, and "
        "keeps its checkpoints. continue: training continues, as in a PyTorch script, and the run counts such "
        "batches."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> trainingFields() {
    return kTrainingFields;
}

}  // namespace ringside
