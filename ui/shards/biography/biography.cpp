// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/biography/biography.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <set>

#include "sampling/work_limits.h"
#include "shards/scene/order_sentences.h"

namespace ringside {
namespace {

constexpr std::int64_t kSamplesAtATime = 8'000'000;

QString biographyText(const char* source) {
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

QString counted(int epochs) {
    return epochs == 1 ? biographyText("1 epoch") : biographyText("%1 epochs").arg(epochs);
}

// How many epochs so many dealt samples give: one at least.
std::int64_t epochsFor(const ShardScene& scene, std::int64_t samples) {
    return std::max<std::int64_t>(1, samples / std::max<std::int64_t>(1, scene.plan.spec().datasetSize));
}

// From the shelf, or made: seen once, it is not worth a place there.
std::optional<ShardPlan> planOnce(const ShardScene& scene, const ShardSpec& spec, const std::atomic<bool>& stop) {
    if (scene.shelf) {
        if (auto known = scene.shelf->find(spec)) return known;
    }
    auto made = ShardPlan::make(spec, &stop);
    return made ? std::optional(std::move(made.value())) : std::nullopt;
}

}  // namespace

Biography begunBiography(const ShardScene& scene, std::int64_t sample) {
    const std::int64_t affordable = epochsFor(scene, kLargestWork / 4);  // about a second a quarter
    return {sample, scene.epochs, std::min({scene.epochs, Biography::kMostEpochs, affordable}), {}};
}

Biography continued(const ShardScene& scene, Biography life, const std::atomic<bool>& stop) {
    const auto from = std::ssize(life.entries);
    const std::int64_t until = std::min(life.epochsToTell, from + epochsFor(scene, kSamplesAtATime));
    std::optional<ShardPlan> plan;
    for (std::int64_t epoch = from; epoch < until && !stop; ++epoch) {
        const ShardSpec spec = scene.specAt(epoch);
        if (!plan || !(plan->spec() == spec)) plan = planOnce(scene, spec, stop);
        if (!plan) {
            life.epochsToTell = epoch;
            break;
        }
        life.entries.push_back(entryOf(*plan, epoch, life.sample));
    }
    return life;
}

Biography biography(const ShardScene& scene, std::int64_t sample, const std::atomic<bool>& stop) {
    Biography life = begunBiography(scene, sample);
    while (!life.isWhole() && !stop) life = continued(scene, std::move(life), stop);
    return life;
}

Explanation explainNobody(const ShardScene& scene) {
    return {biographyText("Where does one sample go in %1?").arg(counted(static_cast<int>(scene.epochs))),
            {biographyText("Click a sample in another view, or find one: #42 and Enter.")}};
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
    result.title = biographyText("Where does sample %1 go in %2 epochs?").arg(life.sample).arg(epochs);
    result.lines << biographyText("It is trained %1 times, by %2 of %3 ranks, and left out in %4 epochs.")
                        .arg(uses)
                        .arg(ranks.size())
                        .arg(scene.ranks())
                        .arg(unseen);
    if (rankNow >= 0) {
        result.lines << biographyText(
                            "Rank %1, which has it now, has it in %2; shuffled anew each time it would be "
                            "%3 / %4 = %5 on average.")
                            .arg(rankNow)
                            .arg(counted(onCursorRank))
                            .arg(epochs)
                            .arg(scene.ranks())
                            .arg(QLocale().toString(static_cast<double>(epochs) / scene.ranks(), 'f', 1));
    }
    if (epochs > 1 && !changesByEpoch(scene)) {
        result.warning = !scene.setEpoch && scene.plan.spec().shuffle;
        result.lines << (result.warning
                             ? biographyText("set_epoch is not called: it has the same place in every epoch.")
                             : biographyText("It has the same place in every epoch. ") + sameOrderReason(scene));
    }
    if (!life.isWhole()) {
        result.lines << biographyText("Epochs still come in: %1 of %2 so far.").arg(epochs).arg(life.epochsToTell);
    } else if (epochs < life.epochsOfRun) {
        result.lines
            << biographyText("Of the run's %1 epochs the first %2 are shown.").arg(life.epochsOfRun).arg(epochs);
    }
    return result;
}

}  // namespace ringside
