// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/biography.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <set>

#include "shards/coverage.h"
#include "shards/order_sentences.h"

namespace ringside {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("Biography", source);
}

BiographyEntry entryOf(const ShardPlan& plan, std::int64_t epoch, std::int64_t sample) {
    BiographyEntry entry{epoch, plan.placesByScan(sample), {}, plan.stepsPerEpoch()};
    if (entry.places.empty() || entry.places.front().step < 0) return entry;
    const SamplePlace& place = entry.places.front();
    const SlotRange batch = plan.batch(place.step);
    const std::int64_t last = batch.first + std::min(batch.count, Biography::kMostMates + 1);
    for (std::int64_t slot = batch.first; slot < last; ++slot) {
        if (slot != place.slot) entry.batchMates.push_back(static_cast<std::uint32_t>(plan.index(place.rank, slot)));
    }
    return entry;
}

}  // namespace

Biography biography(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop) {
    const std::int64_t n = std::max<std::int64_t>(1, scene.plan.spec().datasetSize);
    const std::int64_t affordable = std::max<std::int64_t>(1, kLargestWork / 4 / n);  // about a second a quarter
    const std::int64_t epochs = std::min({scene.epochs, Biography::kMostEpochs, affordable});
    Biography life{sample, scene.epochs, {}};
    std::optional<ShardPlan> plan;
    for (std::int64_t epoch = 0; epoch < epochs && !stop; ++epoch) {
        const ShardSpec spec = scene.specAt(epoch);
        if (!plan || !(plan->spec() == spec)) {
            plan = scene.shelf ? scene.shelf->find(spec) : std::nullopt;
            if (!plan) {
                const auto made = ShardPlan::make(spec);  // seen once: not worth a place on the shelf
                if (!made) break;
                plan = made.value();
            }
        }
        life.entries.push_back(entryOf(*plan, epoch, sample));
    }
    return life;
}

Explanation explainBiography(const ShardScene& scene, const Biography& life) {
    const auto epochs = static_cast<int>(life.entries.size());
    std::set<int> ranks;
    int uses = 0, onCursorRank = 0, unseen = 0, rankNow = -1;
    for (const BiographyEntry& entry : life.entries) {
        if (entry.epoch == scene.epoch && !entry.places.empty()) rankNow = entry.places.front().rank;
    }
    for (const BiographyEntry& entry : life.entries) {
        bool trained = false, here = false;
        for (const SamplePlace& place : entry.places) {
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
    result.title = text("Where does sample %1 go in %2 epochs?").arg(life.sample).arg(epochs);
    result.lines << text("It is trained %1 times, by %2 of %3 ranks, and left out in %4 epochs.")
                        .arg(uses)
                        .arg(ranks.size())
                        .arg(scene.ranks())
                        .arg(unseen);
    if (rankNow >= 0) {
        result.lines << text(
                            "Rank %1, which has it now, has it in %2 epochs; shuffled anew each time it would be "
                            "%3 / %4 = %5 on average.")
                            .arg(rankNow)
                            .arg(onCursorRank)
                            .arg(epochs)
                            .arg(scene.ranks())
                            .arg(QLocale().toString(static_cast<double>(epochs) / scene.ranks(), 'f', 1));
    }
    if (epochs > 1 && !changesByEpoch(scene)) {
        result.warning = !scene.setEpoch && scene.plan.spec().shuffle;
        result.lines << (result.warning ? text("set_epoch is not called: it has the same place in every epoch.")
                                        : text("It has the same place in every epoch. ") + sameOrderReason(scene));
    }
    if (epochs < life.epochsOfRun) {
        result.lines << text("Of the run's %1 epochs the first %2 are shown.").arg(life.epochsOfRun).arg(epochs);
    }
    return result;
}

}  // namespace ringside
