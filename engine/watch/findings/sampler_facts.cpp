// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/sampler_facts.h"

#include <array>
#include <string_view>

#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool isTrainerClass(std::string_view kind) {
    constexpr std::array<std::string_view, 3> kTrainers{"accelerate", "lightning", "transformers"};
    for (const std::string_view one : kTrainers)
        if (kind.starts_with(one) || has(kind, std::string(one) + ".")) return true;
    return false;
}

void readShards(const Json& facts, SamplerFacts& sampler) {
    const auto replicas = numberOf(facts, "num_replicas");
    const auto processes = numberOf(facts, "num_processes");
    if (sampler.replicas || (!replicas && !processes)) return;
    sampler.replicas = replicas ? replicas : processes;
    sampler.rank = replicas ? numberOf(facts, "rank") : numberOf(facts, "process_index");
    sampler.kind = textOf(facts, "class");
    sampler.length = numberOf(facts, "num_samples");
    sampler.dropsLast = flagOf(facts, "drop_last").value_or(false);
    sampler.isTorchSampler = sampler.kind == "torch.utils.data.distributed.DistributedSampler";
}

void readOne(const Json& facts, SamplerFacts& sampler) {
    const std::string kind = textOf(facts, "class");
    if (sampler.created.empty()) sampler.created = textOf(facts, "created");
    sampler.isCreatedByTrainer = sampler.isCreatedByTrainer || isTrainerClass(kind);
    readShards(facts, sampler);
    if (sampler.batchSize <= 0) sampler.batchSize = numberOf(facts, "batch_size", 0);
    if (!sampler.seed) sampler.seed = numberOf(facts, "seed");
    if (!sampler.shuffle) sampler.shuffle = flagOf(facts, "shuffle");
    const bool isRandom = kind == "torch.utils.data.sampler.RandomSampler";
    sampler.isRandom = sampler.isRandom || isRandom;
    sampler.isPlain = isRandom || kind == "torch.utils.data.sampler.SequentialSampler";
    const auto drawn = numberOf(facts, "num_samples");
    const auto source = numberOf(facts, "source_length");
    const bool draws = isRandom && drawn && source && *drawn != *source;
    sampler.isPartial = sampler.isPartial || draws || flagOf(facts, "replacement").value_or(false) ||
                        has(kind, "Weighted") || has(kind, "Subset");
    if (!sampler.replicas) sampler.kind = kind;
}

}  // namespace

std::string SamplerFacts::shortKind() const {
    return kind.substr(kind.rfind('.') == std::string::npos ? 0 : kind.rfind('.') + 1);
}

SamplerFacts samplerOf(const Json& loader) {
    constexpr int kMaxDepth = 8;
    SamplerFacts sampler;
    sampler.isCreatedByTrainer = isTrainerClass(textOf(loader, "class"));
    sampler.batchSize = numberOf(loader, "batch_size", 0);
    const Json* facts = memberOf(loader, "sampler");
    for (int depth = 0; facts != nullptr && depth < kMaxDepth; ++depth) {
        readOne(*facts, sampler);
        facts = memberOf(*facts, "inner");
    }
    return sampler;
}

}  // namespace ringside
