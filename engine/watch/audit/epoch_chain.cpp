// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/epoch_chain.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

// Key that matches the loaders of different ranks: line that creates the loader, class of its data set, and number
// among the loaders with the same line and class.
using LoaderKey = std::tuple<std::string, std::string, int>;

void addStreams(ChainedAttempt& attempt) {
    std::vector<std::pair<LoaderKey, LoaderStream>> streams;
    for (const auto& [rank, facts] : *attempt.facts) {
        std::map<std::pair<std::string, std::string>, int> occurrences;
        for (const auto& [id, loader] : facts.loaders) {
            const std::pair<std::string, std::string> line{loader.where, loader.dataset.front().name};
            const LoaderKey key{line.first, line.second, occurrences[line]++};
            auto known = std::ranges::find(streams, key, &std::pair<LoaderKey, LoaderStream>::first);
            if (known == streams.end()) known = streams.insert(known, {key, {.where = loader.where}});
            LoaderStream& stream = known->second;
            stream.loaders[rank] = id;
            stream.isTraining |= facts.hasTrained(id);
            stream.isEvaluation |= facts.evaluates(id);
            if (facts.hasTrained(id)) stream.lastEpoch = std::max(stream.lastEpoch, facts.lastEpoch.at(id));
        }
    }
    for (auto& [key, stream] : streams) {
        auto& role = stream.isTraining ? attempt.training : stream.isEvaluation ? attempt.validation : attempt.unknown;
        role.push_back(std::move(stream));
    }
    for (std::vector<LoaderStream>* const role : {&attempt.training, &attempt.validation, &attempt.unknown}) {
        std::map<std::string, int> numbers;
        for (const LoaderStream& one : *role) ++numbers[one.where];
        std::erase_if(numbers, [](const auto& one) { return one.second < 2; });
        for (auto one = role->rbegin(); one != role->rend(); ++one)
            if (numbers.contains(one->where)) one->numberOfLine = numbers[one->where]--;
    }
}

// Returns the epoch that the script has set on the sampler (set_epoch) for this epoch of the attempt. Uses the lowest
// rank that has reported a value; empty if none has.
std::optional<std::int64_t> samplerEpoch(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch) {
    for (const auto& [rank, loader] : stream.loaders) {
        const PassFacts* pass = attempt.at(rank).passOf(loader, epoch);
        if (pass != nullptr && pass->samplerEpoch) return pass->samplerEpoch;
    }
    return {};
}

// Returns the number of indices that the samplers of PyTorch draw in one pass; empty for other samplers.
std::optional<std::int64_t> samplerLength(const LoaderFacts& loader) {
    constexpr int kMaxDepth = 4;
    const Json* sampler = &loader.sampler;
    for (int depth = 0; depth < kMaxDepth && sampler != nullptr; ++depth, sampler = memberOf(*sampler, "inner")) {
        const std::string name = textOf(*sampler, "class");
        if (name.ends_with("DistributedSampler") || name.ends_with("DistributedSamplerWrapper"))
            return numberOf(*sampler, "num_samples");
        if (!name.ends_with("sampler.RandomSampler") && !name.ends_with("sampler.SequentialSampler")) continue;
        if (const auto count = numberOf(*sampler, "num_samples")) return count;
        const std::int64_t length = numberOf(*sampler, "source_length", loader.dataset.front().length);
        return length < 0 ? std::nullopt : std::optional(length);
    }
    return {};
}

void chain(const ChainedAttempt& before, const LoaderStream& last, const AttemptFacts& facts, LoaderStream& next) {
    next.firstEpoch = last.firstEpoch + last.lastEpoch + 1;
    if (isFinished(*before.facts, last, last.lastEpoch)) return;
    const auto a = samplerEpoch(*before.facts, last, last.lastEpoch);
    const auto b = samplerEpoch(facts, next, 0);
    next.continuesEpoch = !a || !b || *b <= *a;  // <= because Lightning calls set_epoch() only after it has created the
                                                 // iterator, so that the reported sampler epoch can be too low
    if (next.continuesEpoch) --next.firstEpoch;
}

}  // namespace

int ChainedAttempt::find(const std::vector<LoaderStream>& streams, int rank, std::int64_t loader) const {
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const auto found = streams[i].loaders.find(rank);
        if (found != streams[i].loaders.end() && found->second == loader) return static_cast<int>(i);
    }
    return -1;
}

int ChainedAttempt::groupOf(int rank) const {
    for (std::size_t group = 0; group < groups.groups.size(); ++group) {
        if (std::ranges::find(groups.groups[group], rank) != groups.groups[group].end()) return static_cast<int>(group);
    }
    return 0;
}

bool hasReadAll(const PassFacts& pass, const LoaderFacts& loader) {
    if (pass.isExhausted) return true;
    const std::optional<std::int64_t> length = samplerLength(loader);
    if (!pass.hasEnded || !length || loader.batchSize < 1) return false;
    const std::int64_t rest = loader.dropLast ? 0 : *length % loader.batchSize != 0;
    return pass.batches >= *length / loader.batchSize + rest;
}

bool isFinished(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch) {
    return std::ranges::all_of(stream.loaders, [&](const auto& one) {
        const PassFacts* pass = attempt.at(one.first).passOf(one.second, epoch);
        return pass != nullptr && hasReadAll(*pass, attempt.at(one.first).loaders.at(one.second));
    });
}

std::vector<ChainedAttempt> chainAttempts(const std::vector<const AttemptFacts*>& attempts) {
    std::vector<ChainedAttempt> chained;
    for (const AttemptFacts* facts : attempts) {
        ChainedAttempt attempt{.facts = facts, .groups = dataGroups(*facts)};
        addStreams(attempt);
        for (std::size_t i = 0; i < attempt.training.size(); ++i) {
            // Searches for the latest attempt that has trained. An attempt that failed before its first step has no
            // training loader.
            const auto before = std::ranges::find_if(chained.rbegin(), chained.rend(),
                                                     [i](const auto& one) { return one.training.size() > i; });
            if (before != chained.rend()) chain(*before, before->training[i], *facts, attempt.training[i]);
        }
        chained.push_back(std::move(attempt));
    }
    return chained;
}

}  // namespace ringside
