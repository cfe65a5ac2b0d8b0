// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/plan_sentences.h"

#include <algorithm>

#include "base/text/number_text.h"
#include "sampling/plan/class_labels.h"
#include "sampling/plan/mistaken_assignment.h"

namespace ringside {
namespace {

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
    return grouped(count) + ' ' + (count == 1 ? one : many);
}

// Returns text such as "ceil(1437 / 4) = 360", without ceil or floor if the division is exact. The operands have no
// separators for thousands.
std::string division(const ShardSpec& spec, std::int64_t length, std::int64_t result) {
    const std::int64_t world = samplerWorldSize(spec);
    const std::string quotient = std::to_string(length) + " / " + std::to_string(world);
    const std::string rounded = length % world == 0 ? quotient : (spec.dropLast ? "floor(" : "ceil(") + quotient + ")";
    return rounded + " = " + grouped(result);
}

std::string paddingClause(const ShardNumbers& numbers) {
    const std::string repeated = counted(numbers.padding, "is repeated", "are repeated");
    return repeated + " so that all ranks get " + grouped(numbers.samplesPerRank) +
           (numbers.padding > numbers.orderLength ? ", more than there are samples." : ".");
}

std::string dropClause(const ShardSpec& spec, const ShardNumbers& numbers) {
    const bool one = numbers.droppedBySampler == 1;
    const std::string which = spec.shuffle || mayRepeatSamples(spec.kind)
                                  ? (one ? "a different sample in each epoch" : "different samples in each epoch")
                                  : (one ? "always the last sample" : "always the last samples");
    return counted(numbers.droppedBySampler, "is dropped, ", "are dropped, ") + which + ".";
}

// True if a pitfall lets ranks use the same samples, or leaves samples unused.
bool repeatsOrOmits(const ShardSpec& spec) {
    const PitfallsConfig& pitfalls = spec.pitfalls;
    return pitfalls.seedPerRank || pitfalls.doubleSharding || pitfalls.wrongRank >= 0 ||
           samplerWorldSize(spec) != spec.worldSize;
}

std::string outcome(const ShardSpec& spec, const ShardNumbers& numbers) {
    if (numbers.padding > 0) return "; " + paddingClause(numbers);
    if (numbers.droppedBySampler > 0) return "; " + dropClause(spec, numbers);
    return repeatsOrOmits(spec) ? "." : ", none repeated, none dropped.";
}

// Returns a description of how the order of samples is made; empty if the order consists of the whole data set.
std::string orderClause(const ShardSpec& spec, const ShardNumbers& numbers) {
    const std::string length = grouped(numbers.orderLength);
    if (spec.kind == SamplerKind::kSubset) return "A subset of " + length + " of " + grouped(spec.datasetSize) + ": ";
    if (spec.kind == SamplerKind::kDistributedWeighted) return length + " draws with replacement: ";
    if (spec.kind == SamplerKind::kClassBalanced) return length + " samples, alternating classes: ";
    if (spec.pitfalls.doubleSharding) return "Split by rank, and then split again by the sampler: ";
    return {};
}

std::string replicatedSentence(const ShardSpec& spec, const ShardNumbers& numbers) {
    const bool draws = spec.kind == SamplerKind::kWeighted;
    const std::string what = (draws ? "" : "all ") + grouped(numbers.orderLength) + (draws ? " draws" : " samples");
    if (spec.worldSize == 1) return "One rank gets " + what + ".";
    return "Nothing is sharded: each of " + grouped(spec.worldSize) + " ranks gets " + (draws ? "the same " : "") +
           what + ".";
}

std::string unpaddedSentence(const ShardNumbers& numbers) {
    const auto& [longer, shorter] = numbers.groups;
    return counted(longer.ranks, "rank gets ", "ranks get ") + grouped(longer.samples) + ", " +
           counted(shorter.ranks, "rank gets ", "ranks get ") + grouped(shorter.samples) +
           "; none repeated, none dropped.";
}

// Returns text such as "4 x 32" (4 ranks with 32 samples each), or "2 x 3 + 2 x 2" if ranks have different numbers of
// samples in the first step.
std::string firstStepClause(const ShardNumbers& numbers) {
    const auto batchOf = [&](const RankGroup& group) { return std::min(numbers.batchSize, group.trained); };
    const auto product = [](std::int64_t ranks, std::int64_t batch) {
        return std::to_string(ranks) + " x " + std::to_string(batch);
    };
    const auto& [longer, shorter] = numbers.groups;
    if (!numbers.isUneven() || batchOf(longer) == batchOf(shorter))
        return product(longer.ranks + shorter.ranks, batchOf(longer));
    return product(longer.ranks, batchOf(longer)) + " + " + product(shorter.ranks, batchOf(shorter));
}

// Describes the last step and the samples that the loader's drop_last omits, for ranks with different numbers of
// samples.
std::string unevenClauses(const ShardNumbers& numbers) {
    const auto& [longer, shorter] = numbers.groups;
    const std::string longRanks = counted(longer.ranks, "rank", "ranks");
    const std::string shortRanks = counted(shorter.ranks, "rank", "ranks");
    std::string text;
    if (numbers.stepsPerEpoch > 1 && longer.lastBatch != shorter.lastBatch) {
        text += "; the last step has " + grouped(longer.lastBatch) + " on " + longRanks + " and " +
                (shorter.lastBatch == 0 ? std::string("none") : grouped(shorter.lastBatch)) + " on " + shortRanks;
    }
    std::string dropped;
    for (const RankGroup& group : numbers.groups) {
        if (group.droppedByLoader == 0) continue;
        dropped += (dropped.empty() ? "; the loader drops the last " : " and the last ") +
                   grouped(group.droppedByLoader) + " of " + counted(group.ranks, "rank", "ranks");
    }
    return text + dropped;
}

std::string batchedSentence(const ShardSpec& spec, const ShardNumbers& numbers) {
    const std::string length = std::to_string(numbers.orderLength);
    const std::int64_t round = spec.worldSize * spec.batchSize;
    const bool even = numbers.orderLength % round == 0;
    const std::string quotient =
        length + " / (" + std::to_string(spec.worldSize) + " x " + std::to_string(spec.batchSize) + ")";
    return (even ? quotient : (spec.dropLast ? "floor(" : "ceil(") + quotient + ")") + " = " +
           counted(numbers.samplesPerRank / spec.batchSize, "batch", "batches") + " for each rank" +
           outcome(spec, numbers);
}

}  // namespace

std::string shardSentence(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    if (spec.datasetSize == 0) return "There are no samples, so every rank's shard is empty.";
    const std::string start = orderClause(spec, numbers);
    if (isReplicated(spec.kind)) return replicatedSentence(spec, numbers);
    if (assignsBatches(spec.kind)) return start + batchedSentence(spec, numbers);
    if (numbers.isUneven()) return unpaddedSentence(numbers);
    const std::string divided = start + division(spec, numbers.orderLength, numbers.samplesPerRank);
    if (numbers.samplesPerRank == 0) {
        return divided + " samples per rank: every shard is empty. Turn the sampler's drop_last off, or use at most " +
               counted(numbers.orderLength, "rank.", "ranks.");
    }
    const bool one = numbers.samplesPerRank == 1;
    return divided + (one ? " sample per rank" : " samples per rank") + outcome(spec, numbers);
}

std::string stepSentence(const ShardSpec& spec) {
    const ShardNumbers numbers = shardNumbers(spec);
    if (numbers.samplesPerRank == 0) return "No steps.";
    if (numbers.stepsPerEpoch == 0) {
        return "No steps: a shard of " + grouped(numbers.samplesPerRank) + " never fills a batch of " +
               grouped(spec.batchSize) + ", and the loader's drop_last drops it.";
    }
    const std::int64_t batch = std::min(spec.batchSize, numbers.samplesPerRank);
    std::string text = counted(numbers.stepsPerEpoch, "step of ", "steps of ") + firstStepClause(numbers) + " = " +
                       grouped(globalBatch(numbers));
    if (isReplicated(spec.kind) && spec.worldSize > 1) {
        text += ", of which only " + grouped(batch) + " are distinct: all ranks use the same samples";
    }
    if (batch < spec.batchSize) {
        text += "; a batch of " + grouped(spec.batchSize) + " is larger than a rank's shard, so it contains " +
                (numbers.isUneven() ? "the whole shard" : "all " + grouped(batch));
    } else if (!numbers.isUneven() && numbers.groups[0].lastBatch < spec.batchSize) {
        text += "; the last step has " + grouped(numbers.groups[0].lastBatch) + " per rank";
    }
    if (numbers.isUneven()) return text + unevenClauses(numbers) + ".";
    if (numbers.droppedByLoader > 0) {
        text += "; the loader drops the last " + grouped(numbers.groups[0].droppedByLoader) + " of each rank";
    }
    return text + ".";
}

std::string pitfallSentence(const ShardSpec& spec) {
    const PitfallsConfig& pitfalls = spec.pitfalls;
    std::string text;
    if (pitfalls.seedPerRank)
        text += " Every rank shuffles with its own seed, so shards overlap and samples are missed.";
    if (pitfalls.doubleSharding) {
        text += " The data is split by rank, and the sampler splits each part again: each epoch uses only about 1/" +
                std::to_string(spec.worldSize) + " of the samples.";
    }
    if (pitfalls.wrongRank >= 0) {
        text += " Every process passes rank " + std::to_string(pitfalls.wrongRank) +
                " to the sampler, so all do the same work.";
    }
    if (pitfalls.wrongWorldSize > 0 && pitfalls.wrongWorldSize != spec.worldSize) {
        text += " The sampler assigns samples to " + std::to_string(pitfalls.wrongWorldSize) +
                " ranks, but there are " + std::to_string(spec.worldSize) + ".";
    }
    return text.empty() ? text : "A deliberate mistake:" + text;
}

Problems planProblems(const ShardSpec& spec) {
    if (const Problems problems = checkPitfalls(spec); !problems.empty()) return problems;
    const ShardNumbers numbers = shardNumbers(spec);
    const std::string n = std::to_string(numbers.orderLength);
    const std::string world = std::to_string(samplerWorldSize(spec));
    if (spec.datasetSize == 0)
        return {{"dataset", "has no training samples", "choose a data set with training samples"}};
    if (needsClasses(spec.kind) && (!spec.data || spec.data->classCount() <= 0)) {
        return {{"sampler.kind", "is " + std::string(samplerName(spec.kind)) + ", which needs samples with classes",
                 "choose a data set with classes, or another sampler"}};
    }
    if (numbers.isUneven()) {
        return {{"sampler.kind",
                 "is unpadded, which is meant for evaluation: " + n + " samples over " + world +
                     " ranks leave shards of " + std::to_string(numbers.samplesPerRank) + " and " +
                     std::to_string(numbers.samplesPerRank - 1) +
                     (numbers.groups[0].steps == numbers.groups[1].steps
                          ? "; Ringside trains shards of equal length only"
                          : ", and in training the ranks with more samples would wait forever for a last gradient"),
                 "choose distributed, which pads or drops, or a number of samples that " + world + " divides"}};
    }
    if (numbers.samplesPerRank == 0 && assignsBatches(spec.kind)) {
        return {{"sampler.drop_last",
                 "leaves no batch: " + n + " samples do not fill one on each of " + world + " ranks",
                 "lower loader.batch_size, or set sampler.drop_last to false"}};
    }
    if (numbers.samplesPerRank == 0) {
        return {{"sampler.drop_last",
                 "leaves every rank without a sample: " + n + " samples over " + world + " ranks, floor(" + n + " / " +
                     world + ") = 0",
                 "set parallel.world_size to at most " + n + ", or sampler.drop_last to false"}};
    }
    if (numbers.stepsPerEpoch == 0) {
        const std::string shard = std::to_string(numbers.samplesPerRank);
        return {{"loader.drop_last",
                 "drops the only batch: a rank's shard of " + shard + (shard == "1" ? " sample" : " samples") +
                     " does not fill a batch of " + std::to_string(spec.batchSize),
                 "set it to false, or loader.batch_size to at most " + shard}};
    }
    return {};
}

}  // namespace ringside
