// SPDX-License-Identifier: Apache-2.0
#include "config/leaves.h"

#include <algorithm>
#include <bit>

#include "config/mesh.h"

namespace ringside {

namespace {

std::int64_t powerOfTwoFrom(std::int64_t value) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value))));
}

void checkCount(const RunConfig& config, Problems& problems) {
    const std::int64_t leaves = config.training.leaves;
    const std::int64_t dataRanks = meshOf(config).dataRanks() * devicesOf(config);
    if (powerOfTwoFrom(leaves) != leaves) {
        problems.push_back(
            {"training.leaves", "is " + std::to_string(leaves) + ", which is not a power of two",
             "use " + std::to_string(powerOfTwoFrom(leaves) / 2) + " or " + std::to_string(powerOfTwoFrom(leaves))});
    } else if (leaves % dataRanks != 0) {
        problems.push_back({"training.leaves",
                            "is " + std::to_string(leaves) + ", which " + std::to_string(dataRanks) +
                                (devicesOf(config) > 1 ? " devices cannot share evenly"
                                                       : " ranks that read samples cannot share evenly"),
                            powerOfTwoFrom(dataRanks) == dataRanks
                                ? "use " + std::to_string(dataRanks) + " or more"
                                : "use 1, 2, 4 or 8 devices or ranks that read samples"});
    } else if (leavesPerRank(config) % microBatchesOf(config) != 0) {
        problems.push_back(
            {"pipeline.micro_batches",
             "is " + std::to_string(microBatchesOf(config)) +
                 ", but under training.reduction canonical a rank's batch has " +
                 std::to_string(leavesPerRank(config)) + " parts (training.leaves), which are the micro-batches",
             "use " + std::to_string(leavesPerRank(config)) + " or a power of two below, or more training.leaves"});
    }
}

}  // namespace

bool isCanonical(const RunConfig& config) {
    return config.training.reduction == ReductionOrder::kCanonical;
}

std::int64_t leavesPerRank(const RunConfig& config) {
    if (!isCanonical(config)) return 1;
    return std::max<std::int64_t>(1, config.training.leaves / meshOf(config).dataRanks());
}

void checkCanonicalReduction(const RunConfig& config, Problems& problems) {
    if (!isCanonical(config)) return;
    checkCount(config, problems);
    if (config.training.accumulateSteps != 1)
        problems.push_back(
            {"training.accumulate_steps",
             "is " + std::to_string(config.training.accumulateSteps) +
                 ", but training.reduction canonical already divides each batch into parts and adds their gradients",
             "set training.accumulate_steps to 1, and multiply loader.batch_size by the former "
             "training.accumulate_steps"});
    if (config.training.precision != TrainingPrecision::kFp32)
        problems.push_back({"training.reduction", "is canonical, which is computed in fp32",
                            "set training.precision to fp32, or training.reduction to rank"});
    if (config.parallel.backend == CollectiveBackend::kMpi)
        problems.push_back({"training.reduction",
                            "is canonical, which adds gradients in one fixed order, but mpi adds in its own order",
                            "set parallel.backend to auto, shm, gloo or nccl, or training.reduction to rank"});
    if (config.sampler.kind != SamplerKind::kDistributed)
        problems.push_back(
            {"training.reduction",
             "is canonical, which requires that samples are assigned to the ranks one by one, but the sampler " +
                 textOf(config.sampler.kind) + " assigns them in another way",
             "set sampler.kind to distributed, or training.reduction to rank"});
}

int bitsReversed(int value, int size) {
    int reversed = 0;
    for (int bit = 1; bit < size; bit <<= 1) {
        reversed = reversed << 1 | (value & 1);
        value >>= 1;
    }
    return reversed;
}

// The leaves (groups of samples) with the lowest numbers contain the samples. A subtree of the sum therefore contains
// samples if its lowest-numbered leaf does, which is the first leaf of the subtree to be processed.
TreeSumStep treeSumStep(int turn, int leaves, int filledLeaves) {
    TreeSumStep step;
    for (int level = 0; 1 << level < leaves; ++level) {
        const int sibling = ((turn >> level) ^ 1) << level;
        if (bitsReversed(sibling, leaves) >= filledLeaves) continue;
        if ((turn >> level & 1) == 0) return {step.adds, level};
        step.adds |= 1U << level;
    }
    return step;
}

}  // namespace ringside
