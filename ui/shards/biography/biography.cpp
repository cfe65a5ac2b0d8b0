// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/biography/biography.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <set>

#include "sampling/plan/work_limits.h"
#include "shards/scene/order_sentences.h"

namespace ringside {
namespace {

constexpr std::int64_t kSamplesAtATime = 8'000'000;

QString biographyText(const char* source) {
    return QCoreApplication::translate("Biography", source);
}

QString counted(int epochs) {
    return epochs == 1 ? biographyText("1 epoch") : biographyText("%1 epochs").arg(epochs);
}

// Returns the number of epochs with about this many assigned samples, at least one.
std::int64_t epochsFor(const ShardScene& scene, std::int64_t samples) {
    return std::max<std::int64_t>(1, samples / std::max<std::int64_t>(1, scene.plan.spec().datasetSize));
}

}  // namespace

Biography begunBiography(const ShardScene& scene, std::int64_t sample) {
    const std::int64_t affordable = epochsFor(scene, kLargestWork / 4);  // about a quarter of a second
    return {sample, scene.epochs, std::min({scene.epochs, Biography::kMostEpochs, affordable}), {}};
}

Biography continued(const ShardScene& scene, Biography life, const std::atomic<bool>& stop) {
    const auto from = std::ssize(life.entries);
    const std::int64_t until = std::min(life.epochsToTell, from + epochsFor(scene, kSamplesAtATime));
    // Takes a plan from the shelf, or computes it without storing it there, because it is used only once.
    const auto planOf = [&](const ShardSpec& spec) -> Result<ShardPlan> {
        if (scene.shelf) {
            if (auto known = scene.shelf->find(spec)) return *known;
        }
        return ShardPlan::make(spec, &stop);
    };
    const BiographySource source{[&](std::int64_t epoch) { return scene.specAt(epoch); }, planOf};
    if (tellEpochs(source, life.sample, from, until, Biography::kMostMates, life.entries, &stop)) {
        life.epochsToTell = std::ssize(life.entries);
    }
    return life;
}

Biography biography(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop) {
    Biography life = begunBiography(scene, sample);
    while (!life.isWhole() && !stop) life = continued(scene, std::move(life), stop);
    return life;
}

Explanation explainNobody(const ShardScene& scene) {
    return {biographyText("Where is one sample trained in %1?").arg(counted(static_cast<int>(scene.epochs))),
            {biographyText("Click a sample in another view, or type #42 in the search box and press Enter.")}};
}

Explanation explainBiography(const ShardScene& scene, const Biography& life) {
    const auto epochs = static_cast<int>(life.entries.size());
    std::set<int> ranks;
    int uses = 0, onCursorRank = 0, unseen = 0, rankNow = -1;
    for (const BiographyEntry& entry : life.entries) {
        if (entry.epoch == scene.epoch && !entry.uses.empty()) rankNow = entry.uses.front().place.rank;
    }
    for (const BiographyEntry& entry : life.entries) {
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
    result.title = biographyText("Where is sample %1 trained in %2 epochs?").arg(life.sample).arg(epochs);
    result.lines << biographyText("It is trained %1 times, by %2 of %3 ranks, and left out in %4 epochs.")
                        .arg(uses)
                        .arg(ranks.size())
                        .arg(scene.ranks())
                        .arg(unseen);
    if (rankNow >= 0) {
        result.lines << biographyText(
                            "Rank %1, which trains it in this epoch, trains it in %2. With a new shuffle in each epoch "
                            "the average would be %3 / %4 = %5.")
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
                    ? biographyText("set_epoch is not called: the sample has the same position in every epoch.")
                    : biographyText("The sample has the same position in every epoch. ") + sameOrderReason(scene));
    }
    if (!life.isWhole()) {
        result.lines << biographyText("%1 of %2 epochs are computed.").arg(epochs).arg(life.epochsToTell);
    } else if (epochs < life.epochsOfRun) {
        result.lines << biographyText("Only the first %2 of %1 epochs are shown.").arg(life.epochsOfRun).arg(epochs);
    }
    return result;
}

}  // namespace ringside
