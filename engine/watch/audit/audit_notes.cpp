// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/audit_notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "watch/audit/sample_audit.h"

namespace ringside {
namespace {

// Adds to `result` the number of samples that each rank has trained on in the epoch, as its "steps" events report.
// Returns the sum over all ranks.
std::int64_t samplesOfSteps(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch,
                            EpochAudit& result) {
    for (const auto& [rank, loader] : stream.loaders) {
        const auto& samples = attempt.at(rank).samplesOfSteps;
        const auto found = samples.find(epoch);
        result.ranks.push_back({rank, found == samples.end() ? 0 : found->second});
        result.assigned += result.ranks.back().assigned;
    }
    return result.assigned;
}

// True if batches were trained on in the epoch and no index of the batches was reported.
bool isUncounted(const AttemptFacts& attempt, const LoaderStream& stream, std::int64_t epoch) {
    return std::ranges::any_of(stream.loaders, [&](const auto& one) {
        const PassFacts* pass = attempt.at(one.first).passOf(one.second, epoch);
        return pass != nullptr && pass->epoch == epoch && pass->trained > 0 && pass->indices == 0;
    });
}

std::set<std::int64_t> epochsOf(const AttemptFacts& attempt, const LoaderStream& stream) {
    std::set<std::int64_t> epochs;
    for (const auto& [rank, loader] : stream.loaders) {
        for (const auto& [key, pass] : attempt.at(rank).passes) {
            if (key.first == loader && pass.epoch) epochs.insert(*pass.epoch);
        }
    }
    return epochs;
}

void addUncounted(SampleAudit& result, const ChainedAttempt& attempt, const LoaderStream& stream) {
    for (const std::int64_t epoch : epochsOf(*attempt.facts, stream)) {
        if (!isUncounted(*attempt.facts, stream, epoch)) continue;
        EpochAudit one{.epoch = stream.firstEpoch + epoch, .loader = stream.where, .loaderNumber = stream.numberOfLine};
        one.isFinished = isFinished(*attempt.facts, stream, epoch);
        const auto& [rank, loader] = *stream.loaders.begin();
        const DatasetLayer& dataset = attempt.facts->at(rank).loaders.at(loader).dataset.front();
        one.why = dataset.length < 0 ? "samples of an IterableDataset have no indices: they are only counted"
                                     : "the indices of the batches are not known: the samples are only counted";
        // The "steps" events count the samples of all loaders together. The number of samples of one loader is
        // therefore known only if no other loader is used for training.
        if (attempt.training.size() == 1) samplesOfSteps(*attempt.facts, stream, epoch, one);
        result.training.push_back(std::move(one));
    }
}

void addRecordNotes(SampleAudit& result, const std::vector<RecordedFacts>& facts) {
    std::int64_t bad = 0;
    for (const RecordedFacts& run : facts) bad += run.badFacts();
    if (bad > 0) result.notes.push_back(std::to_string(bad) + " lines of facts are damaged and were skipped");
    for (const RecordedFacts& run : facts) {
        for (const AttemptFacts& attempt : run.attempts()) {
            for (const auto& [rank, one] : attempt) {
                if (one.droppedLines == 0) continue;
                result.notes.push_back("Rank " + std::to_string(rank) + " could not send " +
                                       std::to_string(one.droppedLines) +
                                       " observations, so the shown numbers of samples may be too low");
            }
        }
    }
}

void addGroupNotes(SampleAudit& result, const ChainedAttempt& attempt) {
    if (attempt.groups.groups.size() > 1) {
        result.notes.push_back(
            std::to_string(attempt.groups.groups.size()) +
            " groups of ranks train different layers of one model on the same samples: the samples of each "
            "group are counted separately");
        return;
    }
    const bool shared = std::ranges::any_of(result.training, [](const EpochAudit& one) { return one.shared > 0; });
    if (attempt.groups.isAssumed && shared) {
        result.notes.push_back(
            "No data-parallel wrapper was seen: all ranks are counted as one data-parallel group. If each rank "
            "trains other layers of one model, repeated samples are correct");
    }
}

void addSkipNote(SampleAudit& result, const ChainedAttempt& attempt) {
    for (const auto& [rank, facts] : *attempt.facts) {
        if (!facts.mayHaveSkipped()) continue;
        result.notes.push_back("In a step of rank " + std::to_string(rank) +
                               ", one backward pass follows several batches of a loader: all of them count as trained, "
                               "even if the script has skipped some");
        return;
    }
}

// Adds a note about the first rank that makes some optimizer steps with a batch of a loader and some without. The steps
// without a batch may use earlier batches again, which the script keeps in memory, for example in itertools.cycle().
void addMemoryNote(SampleAudit& result, const ChainedAttempt& attempt) {
    for (const auto& [rank, facts] : *attempt.facts) {
        if (facts.lastEpoch.empty() || facts.stepsWithoutBatch == 0 || facts.stepsWithoutBatch == facts.steps) continue;
        result.notes.push_back(
            std::to_string(facts.stepsWithoutBatch) + " of " + std::to_string(facts.steps) +
            " optimizer steps of rank " + std::to_string(rank) +
            " follow no batch of a loader: if they use earlier batches again, which the script keeps "
            "in memory, these batches are not counted");
        return;
    }
}

}  // namespace

void addUncountedEpochs(SampleAudit& result, const std::vector<ChainedAttempt>& chain) {
    for (const ChainedAttempt& attempt : chain) {
        for (const LoaderStream& stream : attempt.training) addUncounted(result, attempt, stream);
    }
}

void addAuditNotes(SampleAudit& result, const std::vector<RecordedFacts>& facts,
                   const std::vector<ChainedAttempt>& chain) {
    const bool trains = std::ranges::any_of(chain, [](const ChainedAttempt& one) {
        return std::ranges::any_of(*one.facts, [](const auto& rank) { return rank.second.hasSteps; });
    });
    const bool loads = std::ranges::any_of(chain, [](const ChainedAttempt& one) { return !one.training.empty(); });
    if (trains && !loads) {
        const auto loader = std::ranges::find_if(chain, [](const ChainedAttempt& one) { return !one.unknown.empty(); });
        result.notes.push_back(loader == chain.end()
                                   ? "No DataLoader was used for training: the script draws its samples itself, so it "
                                     "is not known which samples it trains on"
                                   : "No backward pass follows a batch of the DataLoader at " +
                                         loader->unknown.front().where +
                                         ": the script may keep the batches in memory, so it is not known which "
                                         "samples it trains on");
    }
    if (!chain.empty()) addGroupNotes(result, chain.back());
    if (!chain.empty()) addSkipNote(result, chain.back());
    if (!chain.empty()) addMemoryNote(result, chain.back());
    addRecordNotes(result, facts);
}

}  // namespace ringside
