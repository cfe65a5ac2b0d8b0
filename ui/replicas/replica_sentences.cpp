// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/replica_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "words/field_text.h"
#include "words/form_fields.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxParameters = 200'000;

QString replicaWords(const char* text) {
    return QCoreApplication::translate("replicas", text);
}

// Returns the sentence for a step after which the models of all ranks are identical. Empty if each stage of a pipeline
// exists once.
QString identicalText(const Mesh& mesh, std::size_t ranks, const QString& step) {
    const QString count = QString::number(ranks);
    if (mesh.pipeline > 1 && mesh.dataRanks() == 1) return {};
    if (mesh.pipeline > 1)
        return (mesh.shard > 1
                    ? replicaWords("The ranks of each stage gather identical parameters after step %1 (%2 ranks).")
                    : replicaWords("The replicas of each stage are identical after step %1 (%2 ranks)."))
            .arg(step, count);
    const bool isPair = ranks == 2;
    if (mesh.shard > 1)
        return isPair ? replicaWords("Both ranks gather identical parameters after step %1.").arg(step)
                      : replicaWords("All %1 ranks gather identical parameters after step %2.").arg(count, step);
    const QString subject = isPair ? replicaWords("Both replicas") : replicaWords("All %1 replicas").arg(count);
    return replicaWords("%1 are identical after step %2: their parameters have the same checksums.").arg(subject, step);
}

}  // namespace

QString replicasSentence(const RunData& run, const Mesh& mesh) {
    const std::optional<ReplicaState>& state = run.replicas().state();
    if (!state || run.ranks().size() < 2) return {};
    if (state->identical) return identicalText(mesh, run.ranks().size(), groupedText(state->step));
    QStringList ranks;
    for (const int rank : state->ranks) ranks << QString::number(rank);
    const QString tensor =
        state->tensor.empty() ? QString() : replicaWords(", first in %1").arg(QString::fromStdString(state->tensor));
    return replicaWords("The replicas are not identical since step %1: rank %2 differs from the other ranks%3.")
        .arg(groupedText(state->sinceStep), ranks.join(QStringLiteral(", ")), tensor);
}

QString contributionSentence(const StepContributions& contributions) {
    const RankContribution* farthest = nullptr;
    for (const RankContribution& one : contributions.ranks)
        if (one.cosine && (!farthest || *one.cosine < *farthest->cosine)) farthest = &one;
    if (!farthest) return {};
    constexpr std::size_t kMax = 6;
    const QString samples = samplesText(farthest->samples, kMax);
    return replicaWords("Step %1: the gradient of rank %2 was farthest from the mean (cosine %3).%4")
        .arg(groupedText(contributions.step))
        .arg(farthest->rank)
        .arg(*farthest->cosine, 0, 'f', 2)
        .arg(samples.isEmpty() ? QString() : replicaWords(" This rank trained on samples %1.").arg(samples));
}

QString notInspectedSentence(const StepContributions& contributions, bool live) {
    const RankContribution* highest = nullptr;
    for (const RankContribution& one : contributions.ranks)
        if (one.loss && (!highest || *one.loss > *highest->loss)) highest = &one;
    QString text = replicaWords("The gradients of step %1 were not recorded.").arg(groupedText(contributions.step));
    if (highest && contributions.ranks.size() > 1)
        text += replicaWords(" Rank %1 had the highest loss in this step, %2.")
                    .arg(highest->rank)
                    .arg(lossText(*highest->loss));
    return text + QLatin1Char(' ') +
           (live ? replicaWords("To record gradients, click Record 50 steps, use slow motion, or advance one phase at "
                                "a time (Shift+Right).")
                 : replicaWords("To see these gradients, run the same experiment again: the new run repeats the same "
                                "steps. Pause the new run before this step and click Record 50 steps."));
}

QString pausedSentence(const RunData& run) {
    if (!run.pauses().isPaused() || run.ended()) return {};
    const std::optional<Phase> after = pausedPhase(run.pauses());
    if (after == Phase::kDataWait) return replicaWords("Paused before forward: every rank has its batch.");
    if (after == Phase::kForward)
        return replicaWords("Paused after forward: every rank has its loss and no gradient yet.");
    if (after == Phase::kBackward) return replicaWords("Paused after backward: every rank has its local gradient.");
    if (after == Phase::kMoving) return replicaWords("Paused after the all-reduce: all ranks have the mean gradient.");
    return {};
}

QString reasonForSingleModel(const RunData& run, const RunConfig& config) {
    if (run.settings().strategy == StrategyKind::kDataParallel)
        return replicaWords(
            "With the strategy DataParallel, one process adds up the gradients of its devices, and only device 0 "
            "updates the model: there are no replicas to compare. Choose the strategy DDP to see replicas.");
    const RankLayout layout{meshOf(config), 0};
    if (run.ranks().size() > 1 && layout.mesh.pipeline > 1 && layout.dataRankCount() == 1)
        return replicaWords(
                   "Each stage of the model exists once, so there are no replicas to compare. To see two replicas of "
                   "each stage, choose the strategy %1 in the form, double World size, and set Replicas to 2. The "
                   "button More of the section Parallel shows the field Replicas.")
            .arg(choiceLabel(choiceText(config.parallel.strategy)));
    return {};
}

QString reasonForNoReplicas(const RunData& run, const RunConfig& config) {
    if (const QString single = reasonForSingleModel(run, config); !single.isEmpty()) return single;
    const RankLayout layout{meshOf(config), 0};
    if (run.started() && choiceNamed<DeviceChoice>(run.started()->device) == DeviceChoice::kCuda)
        return replicaWords("These ranks compute on GPUs. Gradients can be inspected on the CPU only.");
    if (run.ranks().empty() || !run.ranks().front().memory) return {};
    std::int64_t parameters = 0;
    for (const RankData& rank : run.ranks())
        if (rank.memory) parameters += rank.memory->parameters / 4;
    // The sum over all ranks counts each parameter once per replica, so a division by the number of replicas gives the
    // parameters of one model.
    parameters /= std::max<std::int64_t>(1, layout.mesh.replicate);
    if (parameters <= kMaxParameters) return {};
    return replicaWords("This model has %1 parameters. Gradients can be inspected for models of up to %2 parameters.")
        .arg(groupedText(parameters), groupedText(kMaxParameters));
}

}  // namespace ringside
