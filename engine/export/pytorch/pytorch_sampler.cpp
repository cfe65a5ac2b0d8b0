// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_sampler.h"

#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"
#include "sampling/plan/shard_layout.h"

namespace ringside {
namespace {

std::string orderOf(const ShardSpec& spec) {
    const std::string seeded = "torch.Generator().manual_seed(" + std::to_string(spec.seed) + " + self.epoch)";
    switch (spec.kind) {
        case SamplerKind::kSequential:
            return "        return list(range(len(self.data)))\n";
        case SamplerKind::kRandom:
            return "        generator = " + seeded +
                   "\n"
                   "        torch.empty((), dtype=torch.int64).random_(generator=generator)  # DataLoader's own draw\n"
                   "        seed = torch.empty((), dtype=torch.int64).random_(generator=generator).item()\n"
                   "        return torch.randperm(len(self.data), "
                   "generator=torch.Generator().manual_seed(seed)).tolist()\n";
        case SamplerKind::kWeighted:
        case SamplerKind::kDistributedWeighted: {
            const std::string weights =
                spec.classWeights.empty() ? "1 / torch.bincount(self.data.targets).double()"
                                          : "torch.tensor(" + pythonList(spec.classWeights) + ", dtype=torch.float64)";
            return "        weights = " + weights +
                   "  # of the classes\n"
                   "        generator = " +
                   seeded +
                   "\n        return list(WeightedRandomSampler(weights[self.data.targets], self.length, "
                   "generator=generator))\n";
        }
        case SamplerKind::kClassBalanced:
            return "        generator = " + seeded +
                   "\n"
                   "        classes = [torch.nonzero(self.data.targets == label).flatten() for label in "
                   "self.data.targets.unique()]\n" +
                   (spec.shuffle
                        ? "        classes = [some[torch.randperm(len(some), generator=generator)].tolist() for some "
                          "in classes]\n"
                        : "        classes = [some.tolist() for some in classes]\n") +
                   "        turns = [divmod(turn, len(classes)) for turn in range(self.length)]\n"
                   "        return [classes[label][turn % len(classes[label])] for turn, label in turns]\n";
        case SamplerKind::kDistributed:
        case SamplerKind::kBatchSharded:
        case SamplerKind::kContiguous:
        case SamplerKind::kUnpadded:
        case SamplerKind::kSubset:
            break;
    }
    if (!spec.shuffle) return "        return list(range(len(self.data)))\n";
    return "        return torch.randperm(len(self.data), generator=" + seeded + ").tolist()\n";
}

std::string lengthOf(const ShardSpec& spec) {
    return mayRepeatSamples(spec.kind) && spec.numSamples > 0 ? std::to_string(spec.numSamples) : "len(data)";
}

std::string positionsOf(const ShardSpec& spec) {
    const auto each = [&](const std::string& size) {
        return spec.dropLast ? "self.length // " + size : "-(-self.length // " + size + ")";
    };
    if (isReplicated(spec.kind)) {
        return "        return range(self.rank * self.length, (self.rank + 1) * self.length)";
    }
    if (spec.kind == SamplerKind::kContiguous) {
        return "        each = " + each("self.world") +
               "\n        return range(self.rank * each, (self.rank + 1) * each)";
    }
    if (assignsBatches(spec.kind)) {
        return "        batches = " + each("(BATCH_SIZE * self.world)") +
               "\n"
               "        firsts = [(batch * self.world + self.rank) * BATCH_SIZE for batch in range(batches)]\n"
               "        return [first + slot for first in firsts for slot in range(BATCH_SIZE)]";
    }
    return "        each = " + each("self.world") + "\n        return range(self.rank, each * self.world, self.world)";
}

PythonSampler ownSampler(const RunConfig& config, const ShardSpec& spec, const std::string& readers) {
    PythonSampler sampler;
    sampler.definition = pythonPiece("assigned", {{"sentence", samplerSentence(spec.kind)},
                                                  {"length", lengthOf(spec)},
                                                  {"order", orderOf(spec)},
                                                  {"positions", positionsOf(spec)}});
    sampler.positions =
        "    if isinstance(sampler, AssignedSampler):\n        return sampler.positions(), sampler.length\n";
    sampler.make = "    sampler = AssignedSampler(training" + readers + ")";
    const bool follows = config.sampler.setEpoch || !usesSetEpoch(spec.kind);
    sampler.setEpoch = follows ? "        sampler.set_epoch(epoch)"
                               : "        # sampler.set_epoch(epoch) is left out, as in the experiment: every epoch "
                                 "has the order of the first.";
    return sampler;
}

std::string setEpochOf(const SamplerConfig& config) {
    if (!config.shuffle) return "        # Nothing is shuffled, so there is no sampler.set_epoch(epoch).";
    if (config.setEpoch) return "        sampler.set_epoch(epoch)  # or every epoch has the order of the first";
    return "        # sampler.set_epoch(epoch) is left out, as in the experiment: every epoch has the order of the "
           "first.";
}

std::string chosen(const ShardSpec& spec) {
    if (!spec.subsetIndices.empty()) return pythonList(spec.subsetIndices);
    return "torch.randperm(len(training), generator=torch.Generator().manual_seed(" + std::to_string(spec.subsetSeed) +
           "))[:" + std::to_string(ShardLayout::of(spec).orderLength) + "].tolist()";
}

}  // namespace

PythonSampler pythonSampler(const RunConfig& config, const ShardSpec& spec, const std::string& readers) {
    const bool subset = spec.kind == SamplerKind::kSubset;
    const bool pytorchHasIt = spec.kind == SamplerKind::kDistributed || spec.kind == SamplerKind::kUnpadded || subset;
    if (!pytorchHasIt) return ownSampler(config, spec, readers);
    PythonSampler sampler{.setEpoch = setEpochOf(config.sampler), .usesSubset = subset};
    if (subset) {
        sampler.make = "    training = Subset(training, " + chosen(spec) + ")\n";
        sampler.planned = "[training.indices[position] for position in sampler]";
    }
    // At this point, the sampler kind is distributed or unpadded. An unpadded sampler can train only if no padding is
    // needed, and then assigns the same samples as DistributedSampler.
    sampler.make += "    sampler = DistributedSampler(training, shuffle=" + pythonBool(spec.shuffle) +
                    ", seed=" + std::to_string(spec.seed) + ", drop_last=" + pythonBool(spec.dropLast) + readers + ")";
    return sampler;
}

}  // namespace ringside
