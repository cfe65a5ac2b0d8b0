// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "config/field_tables.h"
#include "config/sampler_kind.h"

namespace ringside {
namespace {

using std::string_view;

constexpr std::array<string_view, 5> kStrategies = {"ddp", "data_parallel", "model_parallel", "pipeline", "fsdp"};
constexpr std::array<string_view, 4> kSlowPhases = {"data", "forward", "backward", "optimizer"};
constexpr std::array<string_view, 5> kBackends = {"auto", "shm", "gloo", "mpi", "nccl"};
constexpr std::array<string_view, 3> kDevices = {"auto", "cpu", "cuda"};

}  // namespace

std::vector<ConfigField> parallelFields() {
    using enum FieldType;
    return {
        {"parallel.strategy", kChoice,
         "How a step is spread over the ranks. ddp: every rank has the whole model and its own samples; gradients are "
         "averaged. data_parallel: one process that deals each batch to its devices, as torch.nn.DataParallel. fsdp: "
         "so too, but each keeps only a part of the parameters. pipeline: the layers are split over "
         "the ranks, which take parts of each batch in turn; model_parallel: the same with the batch in one piece.",
         RINGSIDE_SLOT(parallel.strategy), kStrategies},
        {"parallel.world_size",
         kInteger,
         "How many ranks train together, one process each (one GPU each, or a share of the CPU). The global batch "
         "grows "
         "with it.",
         RINGSIDE_SLOT(parallel.worldSize),
         {},
         1,
         4096},
        {"parallel.find_unused_parameters", kBoolean,
         "ddp only: where ranks leave out layers, such as a residual with skip, gradients that do not come count as "
         "zeros. Off, as PyTorch's default, such a step is an error.",
         RINGSIDE_SLOT(parallel.findUnusedParameters)},
        {"parallel.devices",
         kInteger,
         "data_parallel only: how many devices the one process deals each batch to; on the CPU each is a thread. 0: as "
         "many as world_size says.",
         RINGSIDE_SLOT(parallel.devices),
         {},
         0,
         64},
        {"parallel.backend", kChoice,
         "What carries the gradients between ranks. shm: shared memory on one computer; gloo: TCP, "
         "and shared memory within each host where there are several; mpi: MPI, for ranks that mpirun has started; "
         "nccl: "
         "between GPUs; auto chooses and "
         "says "
         "why.",
         RINGSIDE_SLOT(parallel.backend), kBackends},
        {"parallel.device", kChoice,
         "What the ranks compute on; auto takes GPUs when each rank gets one of its own, else the CPU, and says why.",
         RINGSIDE_SLOT(parallel.device), kDevices},
        {"parallel.bucket_cap_mb",
         kReal,
         "Gradients travel in buckets of about this many MiB. Small buckets start early, large ones cost fewer round "
         "trips.",
         RINGSIDE_SLOT(parallel.bucketCapMb),
         {},
         0,
         65536,
         true},
        {"parallel.threads_per_rank",
         kInteger,
         "Threads that each rank computes with on the CPU; 0: the host's CPUs divided by its ranks. The "
         "results do not depend on it, to the last bit.",
         RINGSIDE_SLOT(parallel.threadsPerRank),
         {},
         0,
         256},
        {"parallel.first_bucket_mb",
         kReal,
         "Size in MiB of the bucket that is reduced first: small, so that communication starts early in backward.",
         RINGSIDE_SLOT(parallel.firstBucketMb),
         {},
         0,
         65536,
         true},
        {"parallel.timeout_seconds",
         kReal,
         "A rank that is silent for so long has hung, and the run ends with a verdict instead of waiting forever.",
         RINGSIDE_SLOT(parallel.timeoutSeconds),
         {},
         1,
         86400},
        {"parallel.interface", kText,
         "Through which network interface, such as eth0, ranks talk over TCP. Empty: on one host the loopback address, "
         "which no other host reaches; between hosts the one that reaches rank 0.",
         RINGSIDE_SLOT(parallel.interface)},
        {"parallel.max_restarts",
         kInteger,
         "How often all ranks are started again from the last checkpoint after one of them died, hung or lost its "
         "connection.",
         RINGSIDE_SLOT(parallel.maxRestarts),
         {},
         0,
         1000},
        {"parallel.min_ranks",
         kInteger,
         "With ranks on several hosts: where a host stays away after a failure, so many ranks go on without it, with "
         "the samples dealt anew from the last whole epoch. 0 waits for all.",
         RINGSIDE_SLOT(parallel.minRanks),
         {},
         0,
         4096},
        {"parallel.memory_limit_mb",
         kReal,
         "The most MiB that a rank may take for parameters, gradients, optimizer, activations and what it gathers; 0 "
         "is no limit but the machine's.",
         RINGSIDE_SLOT(parallel.memoryLimitMb),
         {},
         0,
         1e9},
        {"parallel.share_gpu", kBoolean,
         "More ranks than GPUs: let several ranks share one. They take turns on it, so this is for teaching, not for "
         "timing.",
         RINGSIDE_SLOT(parallel.shareGpu)},
        {"parallel.pace.gflops",
         kReal,
         "Paced: each phase lasts as long as on a device of so many GFLOP/s, however fast this one is. The arithmetic "
         "is real, the rest is slept, and losses stay the same to the last bit. 0 is off.",
         RINGSIDE_SLOT(parallel.pace.gflops),
         {},
         0,
         1e6},
        {"parallel.pace.gbit_per_s",
         kReal,
         "Paced: collectives last as long as a ring over links of so many Gbit/s. 0 is off.",
         RINGSIDE_SLOT(parallel.pace.gbitPerSecond),
         {},
         0,
         1e5},
        {"parallel.pace.latency_us",
         kReal,
         "Paced: microseconds that each message of the ring takes on top of its bytes. 0 is off.",
         RINGSIDE_SLOT(parallel.pace.latencyUs),
         {},
         0,
         1e5},

        {"sampler.kind", kChoice,
         "How samples are dealt to ranks. distributed: as torch.utils.data.DistributedSampler, like cards, one at a "
         "time; batch_sharded: whole batches in turn; contiguous: one block each; unpadded: nothing repeated, for "
         "evaluation; distributed_weighted, class_balanced: rare classes more often; subset: a part of the data. "
         "sequential, random and weighted shard nothing: every rank gets everything.",
         RINGSIDE_SLOT(sampler.kind), samplerNames()},
        {"sampler.shuffle", kBoolean,
         "Deal a shuffled deck. Off, every epoch has the samples in the order of the file.",
         RINGSIDE_SLOT(sampler.shuffle)},
        {"sampler.seed", kInteger,
         "Seed of the shuffle; epoch e uses seed + e. All ranks must have the same, or shards overlap and samples are "
         "missed.",
         RINGSIDE_SLOT(sampler.seed)},
        {"sampler.drop_last", kBoolean,
         "When the samples do not divide evenly: on drops the few left over, off repeats a few so that all ranks get "
         "equally many.",
         RINGSIDE_SLOT(sampler.dropLast)},
        {"sampler.set_epoch", kBoolean,
         "Call sampler.set_epoch(epoch) before each epoch. Off is the classic mistake: every epoch has the same order.",
         RINGSIDE_SLOT(sampler.setEpoch)},
        {"sampler.num_samples",
         kInteger,
         "weighted, distributed_weighted and class_balanced only: samples drawn in each epoch, by all ranks together "
         "where they share; 0 draws as many as there are.",
         RINGSIDE_SLOT(sampler.numSamples),
         {},
         0,
         kMaxInt32},
        {"sampler.class_weights",
         kIntegerList,
         "weighted and distributed_weighted only: how often each class is drawn, relative to the others, one number "
         "per class. Empty takes 1 / the number of its samples, so that all classes come equally often.",
         RINGSIDE_SLOT(sampler.classWeights),
         {},
         0,
         1e9},
        {"sampler.subset_fraction",
         kReal,
         "subset only: the part of the samples that is used, chosen at random once.",
         RINGSIDE_SLOT(sampler.subsetFraction),
         {},
         0,
         1,
         true},
        {"sampler.subset_seed", kInteger, "subset only: seed of the choice; it stays the same in all epochs.",
         RINGSIDE_SLOT(sampler.subsetSeed)},
        {"sampler.subset_indices",
         kIntegerList,
         "subset only: exactly these samples instead of a random part, each once.",
         RINGSIDE_SLOT(sampler.subsetIndices),
         {},
         0,
         kMaxInt32},

        {"pitfalls.seed_per_rank", kBoolean,
         "A deliberate mistake: every rank shuffles with seed + rank. Shards then overlap, and samples are missed.",
         RINGSIDE_SLOT(pitfalls.seedPerRank)},
        {"pitfalls.double_sharding", kBoolean,
         "A deliberate mistake: the data is split by rank, and the sampler splits each part again. Most samples are "
         "never used.",
         RINGSIDE_SLOT(pitfalls.doubleSharding)},
        {"pitfalls.wrong_rank",
         kInteger,
         "A deliberate mistake: every process tells the sampler it is this rank, so all get the same shard. -1 is off.",
         RINGSIDE_SLOT(pitfalls.wrongRank),
         {},
         -1,
         4095},
        {"pitfalls.wrong_world_size",
         kInteger,
         "A deliberate mistake: num_replicas set by hand. Too large, samples are missed; too small, PyTorch refuses. 0 "
         "is off.",
         RINGSIDE_SLOT(pitfalls.wrongWorldSize),
         {},
         0,
         4096},
        {"pitfalls.shuffle_with_sampler", kBoolean,
         "A deliberate mistake: shuffle=True given to the DataLoader together with a sampler, which PyTorch refuses.",
         RINGSIDE_SLOT(pitfalls.shuffleWithSampler)},
        {"pitfalls.slow_rank",
         kInteger,
         "A deliberate fault: this rank takes longer in every step, and all others wait for it. -1 is off.",
         RINGSIDE_SLOT(stepPitfalls.slowRank),
         {},
         -1,
         4095},
        {"pitfalls.slow_phase", kChoice, "In which phase of the step the slow rank takes longer.",
         RINGSIDE_SLOT(stepPitfalls.slowPhase), kSlowPhases},
        {"pitfalls.slow_ms",
         kReal,
         "Milliseconds that the slow rank takes longer in every step.",
         RINGSIDE_SLOT(stepPitfalls.slowMs),
         {},
         0,
         1e6},
        {"pitfalls.early_exit", kBoolean,
         "A deliberate fault: the last rank leaves one step before the others, as with uneven data. They wait for it "
         "in their next collective until parallel.timeout_seconds are over.",
         RINGSIDE_SLOT(stepPitfalls.earlyExit)},
        {"pitfalls.sum_gradients", kBoolean,
         "A deliberate mistake: gradients are added up over the ranks and not divided by their number, as if the "
         "learning rate were multiplied by the world size.",
         RINGSIDE_SLOT(stepPitfalls.sumGradients)},
        {"pitfalls.local_metrics", kBoolean,
         "A deliberate mistake: validation is not added up over the ranks, so each shows the accuracy of its own part.",
         RINGSIDE_SLOT(stepPitfalls.localMetrics)},

        {"loader.batch_size",
         kInteger,
         "Samples per step and per rank. The global batch, which the learning rate feels, is this times the world "
         "size.",
         RINGSIDE_SLOT(loader.batchSize),
         {},
         1,
         kMaxInt32},
        {"loader.drop_last", kBoolean,
         "Leave out each rank's last batch when it is not full. Not the same as the sampler's drop_last.",
         RINGSIDE_SLOT(loader.dropLast)},
        {.path = "loader.num_workers",
         .type = kInteger,
         .help =
             "Threads of each rank that load batches ahead while it computes; 0: the rank loads its own. The batches "
             "are the same for any number.",
         .slot = RINGSIDE_SLOT(loader.numWorkers),
         .min = 0,
         .max = 128,
         .belowMin = "num_workers option should be non-negative"},
        {.path = "loader.prefetch_factor",
         .type = kInteger,
         .help = "With workers: batches that each of them loads ahead. More evens out slow samples and takes more "
                 "memory.",
         .slot = RINGSIDE_SLOT(loader.prefetchFactor),
         .min = 1,
         .max = 128,
         .belowMin = "prefetch_factor option should be non-negative",
         .nullIsDefault = true},
        {"loader.pin_memory", kBoolean,
         "Load into page-locked memory, which a GPU copies from faster. Without effect when the ranks compute on the "
         "CPU.",
         RINGSIDE_SLOT(loader.pinMemory)},
        {"loader.persistent_workers", kBoolean,
         "With workers: the threads stay from epoch to epoch instead of being started anew.",
         RINGSIDE_SLOT(loader.persistentWorkers)},
        {"loader.random_crop_padding",
         kInteger,
         "Images only, in training: pad each side with so many black pixels and cut out the old size at a random place "
         "(torchvision's RandomCrop); 0 is off. CIFAR-10 likes 4.",
         RINGSIDE_SLOT(loader.randomCropPadding),
         {},
         0,
         4096},
        {"loader.horizontal_flip", kBoolean,
         "Images only, in training: mirror every other image, at random (RandomHorizontalFlip). Not for digits or "
         "letters.",
         RINGSIDE_SLOT(loader.horizontalFlip)},
        {"loader.normalize", kBoolean,
         "Images only: shift and scale each channel to mean 0 and deviation 1 over the training samples (Normalize); "
         "validation is scaled alike.",
         RINGSIDE_SLOT(loader.normalize)},
    };
}

}  // namespace ringside
