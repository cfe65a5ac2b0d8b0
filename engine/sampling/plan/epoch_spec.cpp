// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/epoch_spec.h"

#include "sampling/plan/class_labels.h"

namespace ringside {

ShardSpec epochSpec(const RunConfig& config, std::int64_t datasetSize, std::int64_t epoch) {
    const SamplerKind kind = config.sampler.kind;
    return {.datasetSize = datasetSize,
            .worldSize = config.dataRanks(),
            .epoch = config.sampler.setEpoch || !usesSetEpoch(kind) ? epoch : 0,
            .seed = config.sampler.seed,
            .shuffle = config.sampler.shuffle,
            .dropLast = config.sampler.dropLast,
            .batchSize = config.loader.batchSize,
            .loaderDropLast = config.loader.dropLast,
            .kind = kind,
            .numSamples = config.sampler.numSamples,
            .classWeights = config.sampler.classWeights,
            .subsetFraction = config.sampler.subsetFraction,
            .subsetSeed = config.sampler.subsetSeed,
            .subsetIndices = config.sampler.subsetIndices,
            .pitfalls = config.pitfalls};
}

ShardSpec epochSpec(const RunConfig& config, const std::shared_ptr<const ClassLabels>& data, std::int64_t epoch) {
    ShardSpec spec = epochSpec(config, data ? data->size() : 0, epoch);
    if (needsClasses(spec.kind)) spec.data = data;
    return spec;
}

}  // namespace ringside
