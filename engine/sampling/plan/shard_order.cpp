// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/shard_order.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "sampling/plan/class_labels.h"
#include "sampling/plan/shard_layout.h"
#include "sampling/plan/torch_samplers.h"

namespace ringside {
namespace {

using Order = std::vector<std::uint32_t>;

// Returns a generator seeded with seed + epoch + shift. In Python, seed + epoch with epoch >= 0 lies in [-2^63, 2^64 -
// 2], which manual_seed accepts; unsigned addition wraps the sum in the same way as manual_seed.
TorchGenerator generatorOf(const ShardSpec& spec, std::int64_t shift = 0) {
    return TorchGenerator(static_cast<std::uint64_t>(spec.seed) + static_cast<std::uint64_t>(spec.epoch) +
                          static_cast<std::uint64_t>(shift));
}

Order fileOrder(std::int64_t length) {
    Order order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

struct Classes {
    std::vector<std::uint32_t> labels;  // class of each sample
    std::vector<std::int64_t> counts;   // number of samples of each class
};

Result<Classes> classesOf(const ShardSpec& spec) {
    const std::string kind(samplerName(spec.kind));
    if (!spec.data || spec.data->classCount() <= 0) {
        return Problem{"sampler.kind", "is " + kind + ", which needs samples with classes",
                       "choose a data set with classes, or another sampler"};
    }
    RINGSIDE_ASSERT(spec.data->size() == spec.datasetSize);
    Classes classes;
    classes.counts.resize(static_cast<std::size_t>(spec.data->classCount()));
    classes.labels.reserve(static_cast<std::size_t>(spec.datasetSize));
    for (std::int64_t sample = 0; sample < spec.datasetSize; ++sample) {
        const std::int64_t label = spec.data->label(sample);
        if (label < 0 || label >= spec.data->classCount()) {
            return Problem{"sampler.kind",
                           "is " + kind + ", but the label of sample " + std::to_string(sample) + " is " +
                               std::to_string(label) + ", which is not a class",
                           "correct the labels, or choose another sampler"};
        }
        ++classes.counts[static_cast<std::size_t>(label)];
        classes.labels.push_back(static_cast<std::uint32_t>(label));
    }
    return classes;
}

// Returns the weight of each sample: the configured weight of its class, or 1 / the class's number of samples.
Result<std::vector<double>> sampleWeights(const ShardSpec& spec, const Classes& classes) {
    const std::size_t given = spec.classWeights.size();
    if (given != 0 && given != classes.counts.size()) {
        return Problem{"sampler.class_weights",
                       "has " + std::to_string(given) + " entries, but there are " +
                           std::to_string(classes.counts.size()) + " classes",
                       "give one weight for each class, or leave the list of weights empty"};
    }
    std::vector<double> weights;
    weights.reserve(classes.labels.size());
    for (const std::uint32_t label : classes.labels) {
        weights.push_back(given != 0 ? static_cast<double>(spec.classWeights[label])
                                     : 1.0 / static_cast<double>(classes.counts[label]));
    }
    return weights;
}

Result<Order> weightedOrder(const ShardSpec& spec, std::int64_t length) {
    const Result<Classes> classes = classesOf(spec);
    if (!classes) return classes.problem();
    const Result<std::vector<double>> weights = sampleWeights(spec, classes.value());
    if (!weights) return weights.problem();
    TorchGenerator generator = generatorOf(spec);
    const Result<std::vector<std::int64_t>> drawn = drawWeightedSampler(generator, weights.value(), length);
    if (!drawn) {
        return Problem{"sampler.class_weights", "give every sample a probability of 0",
                       "give a class that has samples a weight above 0"};
    }
    Order order(drawn.value().size());
    std::ranges::transform(drawn.value(), order.begin(), [](std::int64_t i) { return static_cast<std::uint32_t>(i); });
    return order;
}

// Takes one sample of each non-empty class in turn. Each class repeats its own shuffled list; the lists are shuffled in
// the order of the classes.
Result<Order> balancedOrder(const ShardSpec& spec, std::int64_t length, const DrawWatch& watch) {
    const Result<Classes> classes = classesOf(spec);
    if (!classes) return classes.problem();
    std::vector<Order> members(classes.value().counts.size());
    for (std::size_t sample = 0; sample < classes.value().labels.size(); ++sample) {
        members[classes.value().labels[sample]].push_back(static_cast<std::uint32_t>(sample));
    }
    std::erase_if(members, [](const Order& list) { return list.empty(); });
    TorchGenerator generator = generatorOf(spec);
    for (Order& list : members) {
        if (!spec.shuffle) break;
        Order shuffled = generator.randperm(static_cast<std::int64_t>(list.size()), watch);
        for (std::uint32_t& place : shuffled) place = list[place];
        list = std::move(shuffled);
    }
    Order order(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Order& list = members[i % members.size()];
        order[i] = list[i / members.size() % list.size()];
    }
    return order;
}

Problem badSubset(const std::string& what) {
    return {"sampler.subset_indices", what,
            "list each sample at most once, with indices from 0 to one below the number of samples"};
}

Result<Order> subsetOrder(const ShardSpec& spec, std::int64_t length, const DrawWatch& watch) {
    Order chosen;
    if (spec.subsetIndices.empty()) {
        chosen = TorchGenerator(spec.subsetSeed).randperm(spec.datasetSize, watch);
        chosen.resize(static_cast<std::size_t>(length));
    }
    for (const std::int64_t index : spec.subsetIndices) {
        if (index < 0 || index >= spec.datasetSize) {
            return badSubset("contains index " + std::to_string(index) + ", but there are only " +
                             std::to_string(spec.datasetSize) + " samples");
        }
        chosen.push_back(static_cast<std::uint32_t>(index));
    }
    Order sorted = chosen;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
        return badSubset("contains index " + std::to_string(*twice) + " twice");
    }
    Order order = shuffledOrder(spec, length, 0, watch);
    for (std::uint32_t& place : order) place = chosen[place];
    return order;
}

// Returns the order of a DataLoader with shuffle=True. Draws DataLoader's base seed first and then the seed of
// RandomSampler's own generator, as PyTorch does.
Order loaderOrder(const ShardSpec& spec, const DrawWatch& watch) {
    TorchGenerator global = generatorOf(spec);
    global.randomInt64();
    return randomSamplerGenerator(global).randperm(spec.datasetSize, watch);
}

}  // namespace

Order shuffledOrder(const ShardSpec& spec, std::int64_t length, std::int64_t seedShift, const DrawWatch& watch) {
    return spec.shuffle ? generatorOf(spec, seedShift).randperm(length, watch) : fileOrder(length);
}

Result<Order> makeOrder(const ShardSpec& spec, const DrawWatch& watch) {
    const std::int64_t length = ShardLayout::of(spec).orderLength;
    if (spec.datasetSize == 0) return Order();
    switch (spec.kind) {
        case SamplerKind::kSequential:
            return fileOrder(spec.datasetSize);
        case SamplerKind::kRandom:
            return loaderOrder(spec, watch);
        case SamplerKind::kWeighted:
        case SamplerKind::kDistributedWeighted:
            return weightedOrder(spec, length);
        case SamplerKind::kClassBalanced:
            return balancedOrder(spec, length, watch);
        case SamplerKind::kSubset:
            return subsetOrder(spec, length, watch);
        case SamplerKind::kDistributed:
        case SamplerKind::kBatchSharded:
        case SamplerKind::kContiguous:
        case SamplerKind::kUnpadded:
            return shuffledOrder(spec, spec.datasetSize, 0, watch);
    }
    return shuffledOrder(spec, spec.datasetSize, 0, watch);
}

}  // namespace ringside
