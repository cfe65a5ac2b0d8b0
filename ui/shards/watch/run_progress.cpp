// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/watch/run_progress.h"

#include <QCoreApplication>
#include <algorithm>

#include "sampling/plan/epoch_spec.h"
#include "shards/scene/sentence_text.h"
#include "shards/watch/verification.h"
#include "telemetry/data/run_data.h"
#include "words/field_text.h"

namespace ringside {
namespace {

QString progressWords(const char* source) {
    return QCoreApplication::translate("RunProgress", source);
}
// True if the plan of the scene is that of the run. Compares only the settings; assumes that the class labels are the
// same.
bool isPlanOf(const RunConfig& config, qint64 samples, const ShardScene& scene) {
    ShardSpec shown = scene.plan.spec();
    shown.data.reset();
    return epochSpec(config, samples, scene.epoch) == shown;
}

// Returns how many steps of the epoch a rank has finished. steps: number of steps that the rank has finished in all
// epochs. perEpoch: number of steps in an epoch.
qint64 stepsIn(qint64 epoch, qint64 steps, qint64 perEpoch) {
    if (perEpoch < 1 || epoch > steps / perEpoch) return 0;
    return std::min(steps - epoch * perEpoch, perEpoch);
}

// Returns the number of steps in an epoch. A watched PyTorch script reports this number only after its first epoch;
// until then, it is computed from the plan.
qint64 stepsPerEpoch(const ShardScene& scene, const RunData& run, const RunConfig& config) {
    if (run.started()->stepsPerEpoch > 0) return run.started()->stepsPerEpoch;
    const std::int64_t each = std::max<std::int64_t>(1, config.training.accumulateSteps);
    return (scene.plan.stepsPerEpoch() + each - 1) / each;
}

// True if the phase is after the arrival of the batch and before the update of the weights.
bool isComputing(Phase phase) {
    return phase == Phase::kForward || phase == Phase::kBackward || phase == Phase::kWaiting || phase == Phase::kMoving;
}

RankProgress ofRank(int rank, const ShardScene& scene, const RunData& run, const Verification& verification) {
    if (static_cast<std::size_t>(rank) >= run.ranks().size()) return {};
    const RankData& data = run.ranks()[static_cast<std::size_t>(rank)];
    const qint64 perEpoch = stepsPerEpoch(scene, run, *verification.config());
    const qint64 perStep = verification.config()->training.accumulateSteps * scene.plan.spec().batchSize;
    const qint64 trained = scene.plan.trainedOf(rank);
    RankProgress progress;
    progress.done = std::min(stepsIn(scene.epoch, data.step, perEpoch) * perStep, trained);
    progress.compared = std::min(verification.confirmed(rank, scene.epoch), trained);
    progress.wrong = verification.isWrong(rank, scene.epoch);
    progress.verified = verification.isAudited(scene.epoch) && !progress.wrong;
    if (progress.verified) progress.done = trained;
    progress.done = std::max(progress.done, progress.compared);
    const bool here = !run.ended() && perEpoch > 0 && data.step / perEpoch == scene.epoch;
    progress.showsPhases = run.showsPhases();
    progress.isComputing = progress.showsPhases && data.slowPhase && isComputing(*data.slowPhase);
    if (here) progress.underway = std::clamp<qint64>(trained - progress.done, 0, perStep);
    return progress;
}

}  // namespace

RunProgress runProgress(const ShardScene& scene, const RunData& run, const Verification& verification) {
    RunProgress progress;
    if (!run.started() || !verification.config()) return progress;
    const qint64 perEpoch = stepsPerEpoch(scene, run, *verification.config());
    qint64 least = run.ranks().empty() ? 0 : run.ranks().front().step;
    for (const RankData& rank : run.ranks()) least = std::min(least, qint64{rank.step});
    if (!run.ended() && perEpoch > 0) {
        progress.liveEpoch = least / perEpoch;
        // Limits the epoch to the last one of the run. Watched scripts have an unknown number of epochs, stored as 0.
        if (run.started()->epochs > 0)
            progress.liveEpoch = std::min<qint64>(progress.liveEpoch, run.started()->epochs - 1);
    }
    progress.repeatsOrder = verification.repeatsOrder();
    progress.otherPlan = !isPlanOf(*verification.config(), verification.samples(), scene);
    // The ranks of one pipeline train on the same samples. Only the first rank of each pipeline reports these samples.
    // These ranks have the lowest numbers.
    const auto readers = std::min<std::int64_t>(verification.config()->dataRanks(), std::ssize(run.ranks()));
    if (progress.otherPlan || readers != scene.ranks()) return progress;
    for (int rank = 0; rank < scene.ranks(); ++rank) progress.ranks.push_back(ofRank(rank, scene, run, verification));
    for (const PlanMismatch& one : verification.state().mismatches) {
        if (one.epoch == scene.epoch && one.slot >= 0) progress.wrong.push_back({{one.rank, one.slot}, one.trained});
    }
    return progress;
}

QString otherPlanSentence() {
    return progressWords("This plan is that of the form. The run used another plan.");
}

QString progressSentence(const RunProgress& progress, const ShardScene& scene) {
    if (progress.otherPlan) return otherPlanSentence();
    if (progress.ranks.empty()) return {};
    qint64 least = progress.ranks.front().done, compared = progress.ranks.front().compared, trained = 0;
    for (int rank = 0; rank < static_cast<int>(progress.ranks.size()); ++rank) {
        least = std::min(least, progress.ranks[static_cast<std::size_t>(rank)].done);
        compared = std::min(compared, progress.ranks[static_cast<std::size_t>(rank)].compared);
        trained = std::max(trained, qint64{scene.plan.trainedOf(rank)});
    }
    const QString epoch = progressWords("Epoch %1: ").arg(epochNumber(scene.epoch));
    if (std::ranges::all_of(progress.ranks, &RankProgress::verified)) {
        return epoch +
               (progress.repeatsOrder
                    ? progressWords("every rank trained on the planned samples, in the order of the first epoch.")
                    : progressWords("every rank trained on exactly the planned samples."));
    }
    if (std::ranges::any_of(progress.ranks, &RankProgress::wrong))
        return epoch + progressWords("at least one rank trained on other samples than planned.");
    if (least == 0) {
        return epoch +
               (progress.liveEpoch < 0 ? progressWords("no rank trained in this epoch.")
                : progress.liveEpoch < scene.epoch
                    ? progressWords("not started; the run trains epoch %1.").arg(epochNumber(progress.liveEpoch))
                    : progressWords("not started."));
    }
    const QString how =
        compared >= least ? progressWords("each sample compared with the plan.")
                          : progressWords("according to the step count; the hash is compared at the end of the epoch.");
    return epoch +
           progressWords("%1 of %2 samples per rank used, %3").arg(groupedNumber(least), groupedNumber(trained), how);
}

}  // namespace ringside
