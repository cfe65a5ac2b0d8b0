// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan_sentences.h"

#include <algorithm>

#include "base/number_text.h"
#include "sampling/shard_layout.h"

namespace ringside {
namespace {

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
    return grouped(count) + ' ' + (count == 1 ? one : many);
}

// "ceil(1437 / 4) = 360"; no ceil or floor where the division is even. Plain digits, as one would type them.
std::string division(const ShardSpec& spec, std::int64_t result) {
    const std::string quotient = std::to_string(spec.datasetSize) + " / " + std::to_string(spec.worldSize);
    const bool even = spec.datasetSize % spec.worldSize == 0;
    const std::string rounded = even ? quotient : (spec.dropLast ? "floor(" : "ceil(") + quotient + ")";
    return rounded + " = " + grouped(result);
}

std::string paddingClause(const ShardSpec& spec, const ShardNumbers& numbers) {
    const std::string repeated = counted(numbers.padding, "is repeated", "are repeated");
    return repeated + " so that all ranks get " + grouped(numbers.samplesPerRank) +
           (numbers.padding > spec.datasetSize ? ", more than there are samples." : ".");
}

std::string dropClause(const ShardSpec& spec, const ShardNumbers& numbers) {
    const bool one = numbers.droppedBySampler == 1;
    const std::string which = spec.shuffle ? (one ? "another one in each epoch" : "others in each epoch")
                                           : (one ? "always the last one" : "always the last ones");
    return counted(numbers.droppedBySampler, "is dropped, ", "are dropped, ") + which + ".";
}

}  // namespace

ShardSpec epochSpec(const RunConfig& config, std::int64_t datasetSize, std::int64_t epoch) {
    return {.datasetSize = datasetSize,
            .worldSize = config.parallel.worldSize,
            .epoch = config.sampler.setEpoch ? epoch : 0,
            .seed = config.sampler.seed,
            .shuffle = config.sampler.shuffle,
            .dropLast = config.sampler.dropLast,
            .batchSize = config.loader.batchSize,
            .loaderDropLast = config.loader.dropLast};
}

ShardNumbers shardNumbers(const ShardSpec& spec) {
    const ShardLayout layout = ShardLayout::roundRobin(spec);
    ShardNumbers numbers{.samplesPerRank = layout.samplesPerRank, .totalSize = layout.totalSize()};
    numbers.padding = std::max<std::int64_t>(0, numbers.totalSize - spec.datasetSize);
    numbers.droppedBySampler = std::max<std::int64_t>(0, spec.datasetSize - numbers.totalSize);
    const std::int64_t rest = numbers.samplesPerRank % spec.batchSize;
    const bool keepsRest = rest > 0 && !spec.loaderDropLast;
    numbers.stepsPerEpoch = numbers.samplesPerRank / spec.batchSize + (keepsRest ? 1 : 0);
    numbers.droppedByLoader = keepsRest ? 0 : rest;
    if (numbers.stepsPerEpoch > 0) numbers.lastBatchSize = keepsRest ? rest : spec.batchSize;
    return numbers;
}

std::string shardSentence(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    if (spec.datasetSize == 0) return "There are no samples, so every rank's shard is empty.";
    if (numbers.samplesPerRank == 0) {
        return division(spec, 0) +
               " samples per rank: every shard is empty. Turn the sampler's drop_last off, or use at most " +
               counted(spec.datasetSize, "rank.", "ranks.");
    }
    const bool one = numbers.samplesPerRank == 1;
    const std::string start = division(spec, numbers.samplesPerRank) + (one ? " sample per rank" : " samples per rank");
    if (numbers.padding > 0) return start + "; " + paddingClause(spec, numbers);
    if (numbers.droppedBySampler > 0) return start + "; " + dropClause(spec, numbers);
    return start + ", none repeated, none dropped.";
}

std::string stepSentence(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    if (numbers.samplesPerRank == 0) return "No steps.";
    if (numbers.stepsPerEpoch == 0) {
        return "No steps: a shard of " + grouped(numbers.samplesPerRank) + " never fills a batch of " +
               grouped(spec.batchSize) + ", and the loader's drop_last drops it.";
    }
    std::string text = counted(numbers.stepsPerEpoch, "step of ", "steps of ") + std::to_string(spec.worldSize) +
                       " x " + std::to_string(spec.batchSize) + " = " + grouped(spec.worldSize * spec.batchSize);
    if (numbers.lastBatchSize < spec.batchSize) {
        text += std::string(numbers.stepsPerEpoch == 1 ? "; it" : "; the last step") + " has " +
                grouped(numbers.lastBatchSize) + " per rank";
    }
    if (numbers.droppedByLoader > 0) {
        text += "; the loader drops the last " + grouped(numbers.droppedByLoader) + " of each rank";
    }
    return text + ".";
}

std::string planSentence(const ShardSpec& spec) {
    return shardSentence(spec) + ' ' + stepSentence(spec);
}

Problems planProblems(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    const std::string n = std::to_string(spec.datasetSize);
    const std::string world = std::to_string(spec.worldSize);
    if (spec.datasetSize == 0) return {{"dataset", "has no training samples", "choose one that has"}};
    if (numbers.samplesPerRank == 0) {
        return {{"sampler.drop_last",
                 "leaves every rank without a sample: " + n + " samples over " + world + " ranks, floor(" + n + " / " +
                     world + ") = 0",
                 "set parallel.world_size to at most " + n + ", or sampler.drop_last to false"}};
    }
    if (numbers.stepsPerEpoch == 0) {
        const std::string shard = std::to_string(numbers.samplesPerRank);
        return {
            {"loader.drop_last",
             "leaves no step: a rank's shard of " + shard + " never fills a batch of " + std::to_string(spec.batchSize),
             "set loader.batch_size to at most " + shard + ", or loader.drop_last to false"}};
    }
    return {};
}

Problems planNotes(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    if (numbers.stepsPerEpoch == 0 || spec.batchSize <= numbers.samplesPerRank) return {};
    const std::string shard = std::to_string(numbers.samplesPerRank);
    return {{"loader.batch_size",
             "is " + std::to_string(spec.batchSize) + ", larger than a rank's shard of " + shard +
                 ", so that an epoch is one step of " + shard + " per rank",
             "set it to " + shard + " or less, or use fewer ranks"}};
}

}  // namespace ringside
