// SPDX-License-Identifier: Apache-2.0
#include "config/field_tables.h"

namespace ringside {
namespace {

// clang-format off
constexpr ConfigField kParallelFields[] = {
    choice("parallel.strategy", RINGSIDE_CHOICE(parallel.strategy),
        "How training is distributed over the ranks. ddp: every rank has the whole model and its own samples, and "
        "gradients are averaged. data_parallel: one process scatters each batch over its devices, as "
        "torch.nn.DataParallel. fsdp: as ddp, but each rank keeps only a part of the parameters. pipeline: the layers "
        "are split over the ranks, which process micro-batches concurrently. model_parallel: as pipeline, with the "
        "batch in one piece."),
    integer("parallel.world_size", RINGSIDE_SLOT(parallel.worldSize), Within{1, 4096},
        "Number of ranks that train together, one process each (one GPU each, or a share of the CPU). The global batch "
        "grows with it."),
    boolean("parallel.find_unused_parameters", RINGSIDE_SLOT(parallel.findUnusedParameters),
        "Strategy ddp only: if a step skips layers, such as a residual with skip, their gradients count as zero. If "
        "this is off, which is the default in PyTorch, such a step is an error."),
    integer("parallel.devices", RINGSIDE_SLOT(parallel.devices), Within{0, 64},
        "Strategy data_parallel only: number of devices over which the one process scatters each batch; on the CPU "
        "each device is a thread. 0: as many as parallel.world_size."),
    choice("parallel.backend", RINGSIDE_CHOICE(parallel.backend),
        "Transport of the gradients between ranks. shm: shared memory on one computer. gloo: TCP between hosts, and "
        "shared memory within each host. mpi: MPI, for ranks started by mpirun. nccl: between GPUs. auto: chosen for "
        "this machine; the log contains the reason."),
    choice("parallel.device", RINGSIDE_CHOICE(parallel.device),
        "Device on which the ranks compute. auto: GPUs if there is one for each rank, otherwise the CPU; the log "
        "contains the reason."),
    real("parallel.bucket_cap_mb", RINGSIDE_SLOT(parallel.bucketCapMb), AboveUpTo{0, 65536},
        "Size of a gradient bucket in MiB. Small buckets start their all-reduce early; large ones need fewer round "
        "trips."),
    integer("parallel.threads_per_rank", RINGSIDE_SLOT(parallel.threadsPerRank), Within{0, 256},
        "Number of CPU threads with which each rank computes. 0: the number of CPUs of the host divided by the number "
        "of its ranks. The results are bit-identical for any number."),
    real("parallel.first_bucket_mb", RINGSIDE_SLOT(parallel.firstBucketMb), AboveUpTo{0, 65536},
        "Size in MiB of the bucket that is reduced first: small, so that communication starts early in the backward "
        "pass."),
    real("parallel.timeout_seconds", RINGSIDE_SLOT(parallel.timeoutSeconds), Within{1, 86400},
        "Seconds without progress after which a rank counts as hung. The run then ends and names that rank."),
    text("parallel.interface", RINGSIDE_SLOT(parallel.interface),
        "Network interface, such as eth0, that ranks use for TCP. Empty: the loopback address if all ranks are on one "
        "host, otherwise the interface that reaches rank 0."),
    integer("parallel.max_restarts", RINGSIDE_SLOT(parallel.maxRestarts), Within{0, 1000},
        "Maximum number of times that all ranks are restarted from the last checkpoint after a rank died, hung or lost "
        "its connection."),
    integer("parallel.min_ranks", RINGSIDE_SLOT(parallel.minRanks), Within{0, 4096},
        "Minimum number of ranks with which a run on several hosts continues if a host does not return after a "
        "failure. The samples are then assigned again, from the last complete epoch. 0: wait for all ranks."),
    real("parallel.memory_limit_mb", RINGSIDE_SLOT(parallel.memoryLimitMb), Within{0, 1e9},
        "Maximum memory in MiB that a rank may use for parameters, gradients, optimizer state, activations and "
        "gathered tensors. 0: no limit except that of the machine."),
    boolean("parallel.share_gpu", RINGSIDE_SLOT(parallel.shareGpu),
        "Lets several ranks share a GPU when there are more ranks than GPUs. They compute in turn, so use it for "
        "teaching, not for timing."),
    real("parallel.pace.gflops", RINGSIDE_SLOT(parallel.throttle.gflops), Within{0, 1e6},
        "Throttle: each phase takes as long as on a device of this many GFLOP/s. The rank computes at full speed and "
        "then sleeps for the remaining time, so losses are bit-identical. 0 is off."),
    real("parallel.pace.gbit_per_s", RINGSIDE_SLOT(parallel.throttle.gbitPerSecond), Within{0, 1e5},
        "Throttle: collectives take as long as a ring over links of this many Gbit/s. 0 is off."),
    real("parallel.pace.latency_us", RINGSIDE_SLOT(parallel.throttle.latencyUs), Within{0, 1e5},
        "Throttle: microseconds that each message of the ring takes in addition to its bytes. 0 is off."),

    choice("sampler.kind", RINGSIDE_CHOICE(sampler.kind),
        "How samples are assigned to ranks. distributed: one sample to each rank in turn, as "
        "torch.utils.data.DistributedSampler. batch_sharded: one batch to each rank in turn. contiguous: one block to "
        "each rank. unpadded: as distributed, but nothing is repeated; for evaluation. distributed_weighted, "
        "class_balanced: rare classes occur more often. subset: a part of the data. sequential, random and weighted do "
        "not shard: every rank gets every sample."),
    boolean("sampler.shuffle", RINGSIDE_SLOT(sampler.shuffle),
        "Shuffles the samples in every epoch. If this is off, every epoch has the samples in the order of the file."),
    integer("sampler.seed", RINGSIDE_SLOT(sampler.seed),
        "Seed of the shuffle; epoch e uses seed + e. All ranks must use the same seed, otherwise shards overlap and "
        "samples are missed."),
    boolean("sampler.drop_last", RINGSIDE_SLOT(sampler.dropLast),
        "If the number of samples is not a multiple of the number of ranks: true drops the remainder, false repeats a "
        "few samples. Both give all ranks the same number of samples."),
    boolean("sampler.set_epoch", RINGSIDE_SLOT(sampler.setEpoch),
        "Calls sampler.set_epoch(epoch) before each epoch. A script that omits this call is a common mistake: every "
        "epoch then has the same order."),
    integer("sampler.num_samples", RINGSIDE_SLOT(sampler.numSamples), Within{0, kMaxInt32},
        "Samplers weighted, distributed_weighted and class_balanced only: number of samples drawn per epoch: by each "
        "rank for weighted, by all ranks together for the other two. 0: the size of the data set."),
    integerList("sampler.class_weights", RINGSIDE_SLOT(sampler.classWeights), Within{0, 1e9},
        "Samplers weighted and distributed_weighted only: relative weight of each class, one number per class. "
        "Empty: 1 / the number of samples of the class, so that all classes are drawn equally often."),
    real("sampler.subset_fraction", RINGSIDE_SLOT(sampler.subsetFraction), AboveUpTo{0, 1},
        "Sampler subset only: fraction of the samples that is used. These samples are chosen at random once."),
    integer("sampler.subset_seed", RINGSIDE_SLOT(sampler.subsetSeed),
        "Sampler subset only: seed of the random choice. The choice is the same in all epochs."),
    integerList("sampler.subset_indices", RINGSIDE_SLOT(sampler.subsetIndices), Within{0, kMaxInt32},
        "Sampler subset only: indices of the samples to use instead of a random part. Each index may occur once."),

    boolean("pitfalls.seed_per_rank", RINGSIDE_SLOT(pitfalls.seedPerRank),
        "A deliberate mistake: every rank shuffles with seed + rank. Shards then overlap, and samples are missed."),
    boolean("pitfalls.double_sharding", RINGSIDE_SLOT(pitfalls.doubleSharding),
        "A deliberate mistake: the data is split by rank, and the sampler splits each part again. With N ranks, each "
        "epoch uses only about 1/N of the samples."),
    integer("pitfalls.wrong_rank", RINGSIDE_SLOT(pitfalls.wrongRank), Within{-1, 4095},
        "A deliberate mistake: every process passes this rank to the sampler, so all get the same shard. -1 is off."),
    integer("pitfalls.wrong_world_size", RINGSIDE_SLOT(pitfalls.wrongWorldSize), Within{0, 4096},
        "A deliberate mistake: num_replicas is hard-coded. If it is too large, samples are missed; if it is too small, "
        "PyTorch raises an error. 0 is off."),
    boolean("pitfalls.shuffle_with_sampler", RINGSIDE_SLOT(pitfalls.shuffleWithSampler),
        "A deliberate mistake: shuffle=True is passed to the DataLoader together with a sampler. PyTorch raises an "
        "error."),
    integer("pitfalls.slow_rank", RINGSIDE_SLOT(stepPitfalls.slowRank), Within{-1, 4095},
        "A deliberate fault: this rank takes longer in every step, and all other ranks wait for it. -1 is off."),
    choice("pitfalls.slow_phase", RINGSIDE_CHOICE(stepPitfalls.slowPhase),
        "Phase of the step in which the slow rank takes longer."),
    real("pitfalls.slow_ms", RINGSIDE_SLOT(stepPitfalls.slowMs), Within{0, 1e6},
        "Milliseconds that the slow rank takes longer in every step."),
    boolean("pitfalls.early_exit", RINGSIDE_SLOT(stepPitfalls.earlyExit),
        "A deliberate fault: the last rank stops one step before the other ranks, as with uneven data. The other ranks "
        "wait for it in their next collective until parallel.timeout_seconds have passed."),
    boolean("pitfalls.sum_gradients", RINGSIDE_SLOT(stepPitfalls.sumGradients),
        "A deliberate mistake: gradients are summed over the ranks and not divided by their number. With sgd, this acts "
        "like a learning rate multiplied by the world size; with adam and adamw, the updates hardly change."),
    boolean("pitfalls.local_metrics", RINGSIDE_SLOT(stepPitfalls.localMetrics),
        "A deliberate mistake: validation results are not summed over the ranks, so each rank reports the accuracy of "
        "its own shard."),

    integer("loader.batch_size", RINGSIDE_SLOT(loader.batchSize), Within{1, kMaxInt32},
        "Number of samples per step and per rank. The global batch is this number times the world size."),
    boolean("loader.drop_last", RINGSIDE_SLOT(loader.dropLast),
        "Drops each rank's last batch if it is not full. This is not the sampler's drop_last."),
    integer("loader.num_workers", RINGSIDE_SLOT(loader.numWorkers), Within{0, 128},
        "Threads of each rank that load batches ahead of the computation. 0: the rank loads its batches without extra "
        "threads. The batches are the same for any number of threads.").refusedAs("num_workers option should be "
        "non-negative"),
    integer("loader.prefetch_factor", RINGSIDE_SLOT(loader.prefetchFactor), Within{1, 128},
        "If loader.num_workers is above 0: number of batches that each worker loads ahead. A larger number "
        "compensates for slow samples and uses more memory.").refusedAs("prefetch_factor option should be "
        "non-negative").orNull(),
    boolean("loader.pin_memory", RINGSIDE_SLOT(loader.pinMemory),
        "Loads into page-locked memory, from which copies to a GPU are faster. No effect when the ranks compute on the "
        "CPU."),
    boolean("loader.persistent_workers", RINGSIDE_SLOT(loader.persistentWorkers),
        "If loader.num_workers is above 0: keeps the threads from epoch to epoch instead of starting new ones."),
    integer("loader.random_crop_padding", RINGSIDE_SLOT(loader.randomCropPadding), Within{0, 4096},
        "Images only, in training: pads each side with this many black pixels and crops the original size at a random "
        "position (torchvision's RandomCrop). 0 is off; 4 is usual for CIFAR-10."),
    boolean("loader.horizontal_flip", RINGSIDE_SLOT(loader.horizontalFlip),
        "Images only, in training: mirrors images with probability 0.5 (RandomHorizontalFlip). Not for digits or "
        "letters."),
    boolean("loader.normalize", RINGSIDE_SLOT(loader.normalize),
        "Images only: shifts and scales each channel to mean 0 and standard deviation 1 over the training samples "
        "(Normalize). Validation images use the same numbers."),
};
// clang-format on

}  // namespace

std::span<const ConfigField> parallelFields() {
    return kParallelFields;
}

}  // namespace ringside
