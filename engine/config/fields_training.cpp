// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "config/field_tables.h"

namespace ringside {
namespace {

using std::string_view;

constexpr std::array<string_view, 3> kOptimizers = {"sgd", "adam", "adamw"};
constexpr std::array<string_view, 2> kScalings = {"none", "linear"};
constexpr std::array<string_view, 3> kSchedules = {"constant", "step", "cosine"};
constexpr std::array<string_view, 3> kLosses = {"auto", "cross_entropy", "mse"};
constexpr std::array<string_view, 3> kPrecisions = {"fp32", "bf16", "fp16"};
constexpr std::array<string_view, 2> kValidations = {"exact", "padded"};
constexpr std::array<string_view, 3> kRecompute = {"none", "blocks", "all"};
constexpr std::array<string_view, 2> kReductions = {"rank", "canonical"};
constexpr std::array<string_view, 2> kNonFinite = {"stop", "continue"};

}  // namespace

std::vector<ConfigField> trainingFields() {
    using enum FieldType;
    return {
        {"optimizer.kind", kChoice,
         "The update rule. sgd: stochastic gradient descent, with momentum if you like; adam, adamw: a step length for "
         "each "
         "weight, which likes a learning rate near 0.001.",
         RINGSIDE_SLOT(optimizer.kind), kOptimizers},
        {"optimizer.lr",
         kReal,
         "Learning rate: the length of each step. With k times the global batch, try k times the rate.",
         RINGSIDE_SLOT(optimizer.lr),
         {},
         0,
         1e6,
         true},
        {"optimizer.momentum",
         kReal,
         "sgd only: how much of the last step goes on into this one, 0 to below 1. 0.9 averages over about ten steps.",
         RINGSIDE_SLOT(optimizer.momentum),
         {},
         0,
         0.999999},
        {"optimizer.dampening",
         kReal,
         "sgd only: how much of the new gradient momentum leaves out; almost always 0.",
         RINGSIDE_SLOT(optimizer.dampening),
         {},
         0,
         1},
        {"optimizer.weight_decay",
         kReal,
         "Pulls weights towards zero, against overfitting; 0 is off, 1e-4 is common. sgd and adam add it to the "
         "gradient, "
         "adamw shrinks the weights themselves (PyTorch's default there: 0.01).",
         RINGSIDE_SLOT(optimizer.weightDecay),
         {},
         0,
         1e6},
        {"optimizer.nesterov", kBoolean,
         "sgd only: Nesterov's momentum, look ahead along the last step. Needs momentum.",
         RINGSIDE_SLOT(optimizer.nesterov)},
        {"optimizer.beta1",
         kReal,
         "adam and adamw: how slowly the mean of the gradients follows them.",
         RINGSIDE_SLOT(optimizer.beta1),
         {},
         0,
         0.999999},
        {"optimizer.beta2",
         kReal,
         "adam and adamw: how slowly the mean of their squares follows them.",
         RINGSIDE_SLOT(optimizer.beta2),
         {},
         0,
         0.999999999},
        {"optimizer.eps",
         kReal,
         "adam and adamw: added to the divisor, so that tiny gradients do not make huge steps.",
         RINGSIDE_SLOT(optimizer.eps),
         {},
         0,
         1},
        {"optimizer.clip_grad_norm",
         kReal,
         "A gradient longer than this is shortened to it (torch.nn.utils.clip_grad_norm_), after the all-reduce; 0 is "
         "off.",
         RINGSIDE_SLOT(optimizer.clipGradNorm),
         {},
         0,
         1e9},
        {"optimizer.scale_lr", kChoice,
         "linear: the learning rate is multiplied by the global batch over scale_base_batch, so that it follows the "
         "world size. none: it is taken as it stands.",
         RINGSIDE_SLOT(optimizer.scaleLr), kScalings},
        {"optimizer.scale_base_batch",
         kInteger,
         "With scale_lr linear: the global batch that the learning rate was chosen for.",
         RINGSIDE_SLOT(optimizer.scaleBaseBatch),
         {},
         1,
         kMaxInt32},

        {"schedule.kind", kChoice,
         "How the learning rate goes on from epoch to epoch. step: cut every few epochs (StepLR); cosine: down along "
         "half a wave (CosineAnnealingLR).",
         RINGSIDE_SLOT(schedule.kind), kSchedules},
        {"schedule.step_size",
         kInteger,
         "step only: epochs from one cut to the next.",
         RINGSIDE_SLOT(schedule.stepSize),
         {},
         1,
         1e6},
        {"schedule.gamma",
         kReal,
         "step only: what the learning rate is multiplied by at a cut.",
         RINGSIDE_SLOT(schedule.gamma),
         {},
         0,
         1,
         true},
        {"schedule.t_max",
         kInteger,
         "cosine only: epochs from the full rate down to eta_min; 0 takes all epochs of the training.",
         RINGSIDE_SLOT(schedule.tMax),
         {},
         0,
         1e6},
        {"schedule.eta_min",
         kReal,
         "cosine only: the learning rate at the bottom of the wave.",
         RINGSIDE_SLOT(schedule.etaMin),
         {},
         0,
         1e6},
        {"schedule.warmup_epochs",
         kInteger,
         "Epochs in which the rate climbs linearly to its full value (LinearLR); 0 is off. Large batches need it.",
         RINGSIDE_SLOT(schedule.warmupEpochs),
         {},
         0,
         1e6},
        {"schedule.warmup_start",
         kReal,
         "With warm-up: the part of the learning rate used in the first epoch.",
         RINGSIDE_SLOT(schedule.warmupStart),
         {},
         0,
         1,
         true},

        {"training.epochs",
         kInteger,
         "How many times every training sample is used.",
         RINGSIDE_SLOT(training.epochs),
         {},
         1,
         1e6},
        {"training.accumulate_steps",
         kInteger,
         "Micro-batches whose gradients are added up before they are all-reduced and one step is made. Each loss is "
         "divided by this number, also in a shorter group at the end of an epoch.",
         RINGSIDE_SLOT(training.accumulateSteps),
         {},
         1,
         1e6},
        {"training.max_steps",
         kInteger,
         "At most so many optimizer steps, however long the epochs are; 0 trains all epochs to their end.",
         RINGSIDE_SLOT(training.maxSteps),
         {},
         0,
         kMaxInt32},
        {"training.recompute", kChoice,
         "What is computed once more on the way back instead of kept in memory. blocks: the inside of each residual "
         "block; all: everything but the values between groups of layers. The result is the same to the bit.",
         RINGSIDE_SLOT(training.recompute), kRecompute},
        {"training.reduction", kChoice,
         "The order in which gradients are added. rank: each rank sums its batch, then the ranks are added up, so that "
         "another world size rounds otherwise; canonical: fixed leaves of the global batch in one fixed tree, so that "
         "every strategy and world size ends with the same bits, at some cost in speed. CPU only.",
         RINGSIDE_SLOT(training.reduction), kReductions},
        {"training.leaves",
         kInteger,
         "canonical only: into how many leaves the global batch is dealt, one position after the other. A power of "
         "two, "
         "and at least the ranks that read samples.",
         RINGSIDE_SLOT(training.leaves),
         {},
         1,
         4096},
        {"training.seed", kInteger,
         "Seed of the initial weights, as torch.manual_seed before the model is built. All ranks start from rank 0's.",
         RINGSIDE_SLOT(training.seed)},
        {"training.loss", kChoice, "What is minimised; auto takes cross_entropy for classes and mse for numbers.",
         RINGSIDE_SLOT(training.loss), kLosses},
        {"training.precision", kChoice,
         "Numbers that matrix products and convolutions take in. fp32: 32 bits; bf16 and fp16, on GPUs only: 16 bits, "
         "faster; weights and sums stay in 32. fp16 scales the loss so that small gradients survive.",
         RINGSIDE_SLOT(training.precision), kPrecisions},
        {"training.tf32", kBoolean,
         "GPUs only: fp32 products may round what they take in to 10 bits, which is faster. Off is PyTorch's default "
         "for products.",
         RINGSIDE_SLOT(training.tf32)},
        {"training.winograd", kBoolean,
         "CPU only: the gradients of 3x3 convolutions of 32 channels or more by Winograd's algorithm, which takes "
         "about "
         "half the time. The forward pass, whose rounding decides how near the losses stay to PyTorch's, is direct "
         "either way.",
         RINGSIDE_SLOT(training.winograd)},
        {"training.validate", kChoice,
         "The validation figure shown first. exact counts each sample once; padded also counts the repeated ones, as "
         "most "
         "scripts do.",
         RINGSIDE_SLOT(training.validate), kValidations},
        {"training.log_every",
         kInteger,
         "Steps between two points of the charts.",
         RINGSIDE_SLOT(training.logEvery),
         {},
         1,
         1e9},
        {"training.checkpoint_every",
         kInteger,
         "Epochs between checkpoints; 0 keeps only the final weights.",
         RINGSIDE_SLOT(training.checkpointEvery),
         {},
         0,
         1e6},
        {"training.checkpoint_seconds",
         kInteger,
         "Seconds after which the weights are saved again, whatever the epoch; of these checkpoints the latest is "
         "kept. "
         "A save that takes long is made less often. 0 is off.",
         RINGSIDE_SLOT(training.checkpointSeconds),
         {},
         0,
         1e6},
        {"training.keep_checkpoints",
         kInteger,
         "How many of the checkpoints that training.checkpoint_every writes are kept, the latest ones; 0 keeps all.",
         RINGSIDE_SLOT(training.keepCheckpoints),
         {},
         0,
         1e6},
        {"training.resume", kText,
         "What to go on from: a run directory (its newest checkpoint), a checkpoint in it, or a safetensors file, "
         "which "
         "gives the first weights only. Empty starts anew.",
         RINGSIDE_SLOT(training.resume)},
        {"training.on_non_finite", kChoice,
         "What a loss that is infinite or no number does. stop: the run ends, naming step and rank, and keeps its "
         "checkpoints; continue: training goes on as a PyTorch script would, and such batches are counted.",
         RINGSIDE_SLOT(training.onNonFinite), kNonFinite},
    };
}

}  // namespace ringside
