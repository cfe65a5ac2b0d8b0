// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/history/sample_history.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <set>

#include "sampling/plan/work_limits.h"
#include "shards/scene/order_sentences.h"

namespace ringside {
namespace {

constexpr std::int64_t kSamplesAtATime = 8'000'000;

QString sampleHistoryText(const char* source) {
    return QCoreApplication::translate("SampleHistory", source);
}

QString counted(int epochs) {
    return epochs == 1 ? sampleHistoryText("1 epoch") : sampleHistoryText("%1 epochs").arg(epochs);
}

// Returns the number of epochs in which about `samples` samples are assigned in total, at least one.
std::int64_t epochsFor(const ShardScene& scene, std::int64_t samples) {
    return std::max<std::int64_t>(1, samples / std::max<std::int64_t>(1, scene.plan.spec().datasetSize));
}

}  // namespace

SampleHistory emptySampleHistory(const ShardScene& scene, std::int64_t sample) {
    const std::int64_t affordable = epochsFor(scene, kLargestWork / 4);  // number of epochs whose samples are counted
                                                                         // in about a quarter of a second
    return {sample, scene.epochs, std::min({scene.epochs, SampleHistory::kMaxEpochs, affordable}), {}};
}

SampleHistory extendHistory(const ShardScene& scene, SampleHistory history, const std::atomic<bool>& stop) {
    const auto from = std::ssize(history.entries);
    const std::int64_t until = std::min(history.epochLimit, from + epochsFor(scene, kSamplesAtATime));
    // Returns a plan from the cache of plans, or computes it without storing it there, because it is used
    // only once.
    const auto planOf = [&](const ShardSpec& spec) -> Result<ShardPlan> {
        if (scene.planCache) {
            if (auto known = scene.planCache->find(spec)) return *known;
        }
        return ShardPlan::make(spec, &stop);
    };
    const SampleHistorySource source{[&](std::int64_t epoch) { return scene.specAt(epoch); }, planOf};
    if (appendEpochs(source, history.sample, from, until, SampleHistory::kMaxMates, history.entries, &stop)) {
        history.epochLimit = std::ssize(history.entries);
    }
    return history;
}

SampleHistory sampleHistory(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop) {
    SampleHistory history = emptySampleHistory(scene, sample);
    while (!history.isWhole() && !stop) history = extendHistory(scene, std::move(history), stop);
    return history;
}

Explanation explainNoSelection(const ShardScene& scene) {
    return {sampleHistoryText("Where is one sample trained in %1?").arg(counted(static_cast<int>(scene.epochs))),
            {sampleHistoryText("Click a sample in another view, or type #42 in the search box and press Enter.")}};
}

Explanation explainSampleHistory(const ShardScene& scene, const SampleHistory& history) {
    const auto epochs = static_cast<int>(history.entries.size());
    std::set<int> ranks;
    int uses = 0, onCursorRank = 0, unseen = 0, rankNow = -1;
    for (const SampleHistoryEntry& entry : history.entries) {
        if (entry.epoch == scene.epoch && !entry.uses.empty()) rankNow = entry.uses.front().place.rank;
    }
    for (const SampleHistoryEntry& entry : history.entries) {
        bool trained = false, here = false;
        for (const auto& [place, mates] : entry.uses) {
            if (place.step < 0) continue;
            trained = true;
            here = here || place.rank == rankNow;
            ranks.insert(place.rank);
            ++uses;
        }
        unseen += trained ? 0 : 1;
        onCursorRank += here ? 1 : 0;
    }
    Explanation result;
    result.things = {{IdentityKind::Sample, history.sample}, {IdentityKind::Epoch, scene.epoch}};
    result.title = sampleHistoryText("Where is sample %1 trained in %2 epochs?").arg(history.sample).arg(epochs);
    result.lines << sampleHistoryText("The sample is trained %1 times, by %2 of %3 ranks, and left out in %4 epochs.")
                        .arg(uses)
                        .arg(ranks.size())
                        .arg(scene.ranks())
                        .arg(unseen);
    if (rankNow >= 0) {
        result.lines
            << sampleHistoryText(
                   "Rank %1, which has the sample in this epoch, trains the sample in %2. With a new shuffle in each "
                   "epoch a rank trains the sample in %3 / %4 = %5 epochs on average.")
                   .arg(rankNow)
                   .arg(counted(onCursorRank))
                   .arg(epochs)
                   .arg(scene.ranks())
                   .arg(QLocale().toString(static_cast<double>(epochs) / scene.ranks(), 'f', 1));
    }
    if (epochs > 1 && !changesByEpoch(scene)) {
        result.warning = !scene.setEpoch && scene.plan.spec().shuffle;
        result.lines
            << (result.warning
                    ? sampleHistoryText("set_epoch is not called: the sample has the same position in every epoch.")
                    : sampleHistoryText("The sample has the same position in every epoch. ") + sameOrderReason(scene));
    }
    if (!history.isWhole()) {
        result.lines << sampleHistoryText("%1 of %2 epochs are computed.").arg(epochs).arg(history.epochLimit);
    } else if (epochs < history.epochsOfRun) {
        result.lines
            << sampleHistoryText("Only the first %2 of %1 epochs are shown.").arg(history.epochsOfRun).arg(epochs);
    }
    return result;
}

}  // namespace ringside
