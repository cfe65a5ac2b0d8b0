// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/checks.h"

#include <algorithm>
#include <array>

#include "watch/findings/judges.h"

namespace ringside {
namespace {

using enum Severity;

// clang-format off
constexpr std::array kChecks{
    Check{"no-process-group", "Processes train one common model", kMistake,
          "Call torch.distributed.init_process_group() in each process, and wrap the model in DistributedDataParallel.",
          "", judgeProcessGroup},
    Check{"unused-parameters", "Each parameter gets a gradient", kMistake,
          "Use all parameters in forward(), or pass find_unused_parameters=True to DistributedDataParallel.",
          "", judgeUnusedParameters},
    Check{"sampler-rank", "Rank and number of ranks of the sampler", kMistake,
          "Create DistributedSampler after init_process_group() and without num_replicas and rank, or pass "
          "dist.get_world_size() and dist.get_rank().",
          "no-process-group", judgeSamplerRank},
    Check{"sampler-seed", "Equal seeds of the samplers", kMistake,
          "Pass the same seed to DistributedSampler on all ranks. The sampler gives each rank a part of one shuffled order.",
          "sampler-rank", judgeSamplerSeed},
    Check{"data-set-differs", "Equal data sets on all ranks", kMistake,
          "Build the same data set on all ranks: sort file lists, and pass a generator with a fixed seed to random_split().",
          "sampler-rank", judgeDataSetDiffers},
    Check{"every-rank-reads-everything", "Each rank reads its own part of the data set", kMistake,
          "Pass sampler=DistributedSampler(dataset) to the DataLoader instead of shuffle=True.",
          "no-process-group sampler-rank", judgeEveryRankReadsAll},
    Check{"shards-overlap", "No sample is read by two ranks", kMistake,
          "Derive the part of each rank from one order that is equal on all ranks, as DistributedSampler does. Give a sampler "
          "that draws with replacement another seed on each rank.",
          "no-process-group sampler-rank sampler-seed data-set-differs every-rank-reads-everything", judgeOverlap},
    Check{"samples-never-seen", "Each sample comes once per epoch", kMistake,
          "Make num_replicas times the number of samples of a rank equal to the length of the data set.",
          "sampler-rank sampler-seed data-set-differs shards-overlap", judgeSamplesNeverSeen},
    Check{"workers-repeat-samples", "Workers divide an IterableDataset", kMistake,
          "Divide the stream in __iter__() by torch.utils.data.get_worker_info().",
          "", judgeWorkerCopies},
    Check{"set-epoch-missing", "set_epoch() is called for each epoch", kMistake,
          "Call sampler.set_epoch(epoch) at the start of each epoch.",
          "", judgeSetEpoch},
    Check{"order-repeats", "Each epoch has a new shuffled order", kNote,
          "To get a new order in each epoch, do not set the same seed again before the epoch.",
          "set-epoch-missing", judgeRepeatedOrder},
    Check{"resume-not-exact", "Each sample of a resumed epoch comes once", kMistake,
          "Save the position in the epoch with the checkpoint, and skip the batches that were trained before it.",
          "sampler-rank sampler-seed data-set-differs every-rank-reads-everything shards-overlap samples-never-seen", judgeResume},
    Check{"trained-on-validation", "Validation samples are held out", kMistake,
          "Split the data set once, with the same seed on all ranks, and train on one part only.",
          "data-set-differs", judgeTrainedOnValidation},
    Check{"model-not-wrapped", "The model is wrapped", kMistake,
          "Wrap the model: model = DistributedDataParallel(model), before the training loop.",
          "no-process-group", judgeModelNotWrapped},
    Check{"different-start", "Equal initial parameters on all ranks", kMistake,
          "Broadcast the parameters from rank 0 before the first step, or set the same seed before the model is built.",
          "model-not-wrapped", judgeDifferentStart},
    Check{"learning-rates-differ", "Equal learning rates on all ranks", kMistake,
          "Give the scheduler a value that is equal on all ranks: all-reduce the metric before scheduler.step(metric).",
          "model-not-wrapped", judgeLearningRateDiffers},
    Check{"parameters-outside-ddp", "All optimized parameters are wrapped", kMistake,
          "Put all trained modules into the module that DistributedDataParallel wraps, or wrap them as well.",
          "learning-rates-differ", judgeOutsideDdp},
    Check{"forward-around-ddp", "Forward passes go through the wrapper", kMistake,
          "Call the wrapped model, not model.module, in each training step, and leave no_sync() before the last "
          "micro-batch.",
          "learning-rates-differ", judgeForwardAroundDdp},
    Check{"replicas-differ", "Replicas stay equal", kMistake,
          "Do not replace, convert or move parameters after wrapping, and change them on all ranks in the same way.",
          "unused-parameters model-not-wrapped different-start learning-rates-differ parameters-outside-ddp forward-around-ddp",
          judgeReplicasDiffer},
    Check{"batch-norm-differs", "Equal batch normalisation statistics on all ranks", kMistake,
          "Use broadcast_buffers=True (forward_sync_buffers=True since PyTorch 2.15), convert the model with "
          "SyncBatchNorm.convert_sync_batchnorm(), or average the statistics before each evaluation.",
          "model-not-wrapped replicas-differ forward-around-ddp", judgeBatchNorm},
    Check{"optimizer-without-gradients", "The optimizer updates the model", kMistake,
          "Create the optimizer after the model is moved, sharded or wrapped, and do not clear gradients before step().",
          "", judgeOptimizerWithoutGradients},
    Check{"parameters-not-optimized", "Each trained parameter is in an optimizer", kMistake,
          "Pass all parameters of the model to the optimizer, or set requires_grad=False on those that must not change.",
          "optimizer-without-gradients", judgeNotOptimized},
    Check{"clipped-before-unscaling", "Gradients are unscaled before they are clipped", kMistake,
          "Call scaler.unscale_(optimizer) before the gradients are clipped.",
          "", judgeClippedScaled},
    Check{"gradients-never-cleared", "Gradients are cleared after each optimizer step", kMistake,
          "Call optimizer.zero_grad() once per optimizer step.",
          "", judgeNeverCleared},
    Check{"cleared-before-step", "Gradients are used before they are cleared", kNote,
          "To accumulate gradients, call optimizer.zero_grad() only after optimizer.step(). If the script leaves out bad batches "
          "on purpose, no change is needed.",
          "gradients-never-cleared", judgeClearedUnused},
    Check{"accumulation-undivided", "The loss is divided by the number of micro-batches", kMistake,
          "Divide the loss by the number of micro-batches before backward().",
          "", judgeUndividedLoss},
    Check{"scheduler-too-often", "Schedulers step once per optimizer step", kMistake,
          "Call scheduler.step() once per optimizer step or once per epoch, in the unit of the scheduler's lengths.",
          "", judgeScheduler},
    Check{"loss-not-finite", "Finite losses", kMistake,
          "Examine the first step whose loss is not finite: lower the learning rate, clip gradients, or check the "
          "samples of that step.",
          "", judgeLossNotFinite},
    Check{"uneven-steps", "Equal numbers of steps on all ranks", kMistake,
          "Give each rank equally many batches (DistributedSampler does), or train inside model.join().",
          "sampler-rank", judgeUnevenSteps},
    Check{"hang", "All ranks make progress", kMistake,
          "Make all ranks of a group call the same collectives in the same order: search for "
          "a collective that only some ranks reach.",
          "uneven-steps", judgeHang},
    Check{"metrics-not-combined", "Metrics combine the results of all ranks", kMistake,
          "All-reduce the sums and counts of the evaluation before the metric is computed.",
          "no-process-group", judgeLocalMetrics},
    Check{"validation-everywhere", "Evaluation is shared among ranks", kCost,
          "Evaluate a part on each rank and all-reduce the counts, or evaluate on rank 0 only.",
          "trained-on-validation", judgeValidationEverywhere},
    Check{"sync-every-micro-batch", "Gradients are reduced once per optimizer step", kCost,
          "Run all micro-batches except the last one inside model.no_sync().",
          "", judgeSyncEveryMicroBatch},
    Check{"find-unused-needless", "No unnecessary search for unused parameters", kCost,
          "Leave out find_unused_parameters=True.",
          "", judgeFindUnusedNeedless},
    Check{"straggler", "No rank delays the other ranks", kCost,
          "Check the device, disk, CPUs and batches of the slow rank in the phase that takes longer.",
          "hang", judgeStraggler},
    Check{"loader-slow", "Batches arrive in time", kCost,
          "Raise num_workers, make transforms cheaper, or read from a faster disk.",
          "straggler", judgeLoaderSlow},
    Check{"steps-skipped", "GradScaler skips few steps", kCost,
          "Find the first infinite gradient, lower the learning rate, or train in bfloat16.",
          "loss-not-finite", judgeSkippedSteps},
    Check{"validation-padded", "Each sample is evaluated once", kNote,
          "For an exact metric, leave out the repeated samples at the end of the ranks' lists.",
          "data-set-differs", judgeValidationPadding},
    Check{"gathered-without-gradient", "Gathered features have gradients", kNote,
          "If the gradient of the whole batch is wanted, gather with a function that has a gradient, such as "
          "torch.distributed.nn.functional.all_gather().",
          "no-process-group", judgeGatheredFeatures},
    Check{"gradients-left-over", "Each gradient is used by an optimizer step", kNote,
          "Call optimizer.step() for the last micro-batches too, or accept that they are left out.",
          "", judgeLeftOverGradients},
    Check{"effective-batch", "Samples per optimizer step", kNote,
          "Choose the learning rate for this number of samples per step.",
          "no-process-group", judgeEffectiveBatch},
};
// clang-format on

}  // namespace

std::span<const Check> allChecks() {
    return kChecks;
}

std::string_view titleOf(std::string_view code) {
    const auto found = std::ranges::find(kChecks, code, &Check::code);
    return found == kChecks.end() ? code : found->title;
}

}  // namespace ringside
