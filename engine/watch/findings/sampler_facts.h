// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json/json.h"

namespace ringside {

// Attributes of a loader's sampler and of the samplers inside of it that decide which samples a rank reads.
struct SamplerFacts {
    std::string kind;  // class of the sampler that assigns samples to ranks, or of the innermost one; empty if none was
                       // reported
    std::string created;                   // line of the script that created the sampler; empty if it is not known
    std::optional<std::int64_t> replicas;  // number of ranks that share the samples: num_replicas or num_processes of
                                           // the sampler
    std::optional<std::int64_t> rank;      // rank or process_index of the sampler
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> length;  // number of samples of this rank in an epoch: num_samples of the sampler that
                                         // assigns samples to ranks
    std::int64_t batchSize = 0;          // batch size of the loader or of its batch sampler; 0 if none was reported
    std::optional<bool> shuffle;
    bool dropsLast = false;           // true if the sampler drops samples that do not fill all ranks
    bool isTorchSampler = false;      // true for PyTorch's DistributedSampler
    bool isCreatedByTrainer = false;  // true if Accelerate or Lightning has created the loader or a sampler
    bool isPlain = false;             // true for a RandomSampler or SequentialSampler over the whole data set
    bool isRandom = false;            // true for a RandomSampler
    bool isPartial = false;  // true if the sampler draws with replacement, with weights, or from a list: not each
                             // sample once

    bool isSharded() const { return replicas.value_or(1) > 1; }
    bool shuffles() const { return shuffle.value_or(isRandom); }
    std::string shortKind() const;  // returns the name of the class without its module
};

// Reads the facts "loader" of one rank.
SamplerFacts samplerOf(const Json& loader);

}  // namespace ringside
