// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/epoch_reasons.h"

#include <algorithm>
#include <string_view>

#include "watch/audit/sample_audit.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr int kMaxDepth = 8;

// Searches nested samplers from the outermost to the innermost. Returns the first one whose class name ends with
// `name`, or null if there is none.
const Json* samplerNamedIn(const Json& sampler, std::string_view name) {
    const Json* one = &sampler;
    for (int depth = 0; depth < kMaxDepth && one->is_object(); ++depth) {
        if (textOf(*one, "class").ends_with(name)) return one;
        one = memberOf(*one, "inner");
        if (one == nullptr) return nullptr;
    }
    return nullptr;
}

std::string number(std::int64_t value) {
    return std::to_string(value);
}

std::string samples(std::int64_t count) {
    return number(count) + (count == 1 ? " sample" : " samples");
}

struct Needs {
    std::int64_t ranks = 1;
    std::int64_t repeated = 0;  // number of draws beyond the first of each sample
    std::int64_t never = 0;
    std::int64_t size = 0;
    bool drawTheSame = false;  // true if several ranks drew the same samples
};

std::string ofDistributed(const Needs& needs, const Json& sampler, const LoaderFacts& loader) {
    const std::int64_t ranks = numberOf(sampler, "num_replicas", 0);
    const std::int64_t total = numberOf(sampler, "total_size", -1);
    if (ranks < 1 || ranks != needs.ranks || total < 0) return {};
    const std::int64_t each = total / ranks;
    const std::int64_t inBatches =
        loader.dropLast && loader.batchSize > 0 ? each / loader.batchSize * loader.batchSize : each;
    const std::string all = "each of " + number(ranks) + " ranks gets " + number(each);
    if (inBatches < each) {
        const bool fits = needs.size - needs.never + needs.repeated == inBatches * ranks;
        if (!fits || needs.repeated > std::max<std::int64_t>(total - needs.size, 0)) return {};
        return "drop_last of the DataLoader leaves out the last incomplete batch of each rank";
    }
    if (needs.never == 0 && needs.repeated == total - needs.size && needs.repeated > 0)
        return "DistributedSampler repeats " + samples(needs.repeated) + " so that " + all;
    if (needs.repeated == 0 && needs.never == needs.size - total && needs.never > 0)
        return "drop_last of DistributedSampler leaves out " + samples(needs.never) + " so that " + all;
    return {};
}

std::string ofAccelerate(const Needs& needs, const Json& shard) {
    const std::int64_t batch = numberOf(shard, "batch_size", 0);
    const std::int64_t ranks = numberOf(shard, "num_processes", 0);
    if (batch < 1 || ranks != needs.ranks || batch > (std::int64_t{1} << 31) ||
        !flagOf(shard, "even_batches").value_or(false))
        return {};
    const std::int64_t round = flagOf(shard, "split_batches").value_or(false) ? batch : batch * ranks;
    const std::int64_t total = (needs.size + round - 1) / round * round;
    if (needs.never != 0 || needs.repeated != total - needs.size || needs.repeated == 0) return {};
    return "even_batches of Accelerate repeats " + samples(needs.repeated) + " so that all batches are full";
}

// Returns the explanation for a sampler that by design does not draw each sample exactly once: a RandomSampler with
// replacement, such as WeightedRandomSampler, or on one rank a SubsetRandomSampler. Empty for other samplers, and if
// several ranks drew the same samples.
std::string ofPart(const Needs& needs, const LoaderFacts& loader) {
    const Json* const sampler = samplerNamedIn(loader.sampler, "RandomSampler");
    if (sampler == nullptr || needs.drawTheSame) return {};
    const std::string kind = textOf(*sampler, "class");
    const std::string name = kind.substr(kind.rfind('.') + 1);  // without a dot, rfind() returns npos, and npos + 1 is
                                                                // 0: the whole name
    if (flagOf(*sampler, "replacement").value_or(false)) return name + " draws with replacement";
    if (name == "SubsetRandomSampler" && needs.ranks == 1 && needs.repeated == 0)
        return "SubsetRandomSampler draws from a list of " + samples(needs.size - needs.never);
    return {};
}

std::string ofLoader(const Needs& needs, const LoaderFacts& loader) {
    if (!loader.dropLast || loader.batchSize < 1 || needs.repeated > 0 || needs.ranks > 1) return {};
    if (needs.never == 0 || needs.never != needs.size % loader.batchSize) return {};
    return "drop_last of the DataLoader leaves out the last incomplete batch of " + samples(needs.never);
}

}  // namespace

std::string reasonOf(const EpochAudit& epoch, const LoaderFacts& loader) {
    if (!epoch.distinct || !epoch.never || !epoch.size || epoch.isExact()) return {};
    const Needs needs{.ranks = static_cast<std::int64_t>(epoch.ranks.size()),
                      .repeated = epoch.assigned - *epoch.distinct,
                      .never = *epoch.never,
                      .size = *epoch.size,
                      .drawTheSame = epoch.ranks.size() > 1 && epoch.shared.value_or(0) >= *epoch.distinct};
    if (needs.ranks > 1 && needs.never == 0 && epoch.assigned == needs.ranks * needs.size && needs.size > 0)
        return "each of " + number(needs.ranks) + " ranks reads all samples";
    if (const std::string part = ofPart(needs, loader); !part.empty()) return part;
    if (!epoch.isFinished) return {};
    if (const Json* sampler = samplerNamedIn(loader.sampler, "DistributedSampler"))
        return ofDistributed(needs, *sampler, loader);
    if (const Json* sampler = samplerNamedIn(loader.sampler, "DistributedSamplerWrapper"))
        return ofDistributed(needs, *sampler, loader);
    if (const Json* shard = samplerNamedIn(loader.sampler, "BatchSamplerShard")) return ofAccelerate(needs, *shard);
    return ofLoader(needs, loader);
}

}  // namespace ringside
