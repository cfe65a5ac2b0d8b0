// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/replica_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "words/field_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kMostParameters = 200'000;

QString replicaWords(const char* text) {
    return QCoreApplication::translate("replicas", text);
}

}  // namespace

QString replicasSentence(const RunData& run) {
    const std::optional<ReplicaState>& state = run.replicas().state();
    if (!state) return {};
    if (state->identical && run.strategy() == "fsdp")
        return replicaWords("All %1 ranks gather the same parameters after step %2.")
            .arg(run.ranks().size())
            .arg(groupedText(state->step));
    if (state->identical && run.strategy() != "ddp" && !run.strategy().empty())
        return replicaWords("The same model on all %1 ranks after step %2.")
            .arg(run.ranks().size())
            .arg(groupedText(state->step));
    if (state->identical)
        return replicaWords("All %1 replicas identical after step %2: their parameters have the same checksums.")
            .arg(run.ranks().size())
            .arg(groupedText(state->step));
    QStringList ranks;
    for (const int rank : state->ranks) ranks << QString::number(rank);
    const QString tensor =
        state->tensor.empty() ? QString() : replicaWords(", first in %1").arg(QString::fromStdString(state->tensor));
    return replicaWords("Not identical since step %1: rank %2 differs from the others%3.")
        .arg(groupedText(state->sinceStep), ranks.join(QStringLiteral(", ")), tensor);
}

QString pullSentence(const StepPulls& pulls) {
    const RankPull* farthest = nullptr;
    for (const RankPull& one : pulls.ranks)
        if (one.cosine && (!farthest || *one.cosine < *farthest->cosine)) farthest = &one;
    if (!farthest) return {};
    constexpr std::size_t kMost = 6;
    const QString samples = samplesText(farthest->samples, kMost);
    return replicaWords("Step %1: rank %2 pulled farthest from the mean (cosine %3).%4")
        .arg(groupedText(pulls.step))
        .arg(farthest->rank)
        .arg(*farthest->cosine, 0, 'f', 2)
        .arg(samples.isEmpty() ? QString() : replicaWords(" It trained samples %1.").arg(samples));
}

QString notLookedAtSentence(const StepPulls& pulls, bool live) {
    const RankPull* highest = nullptr;
    for (const RankPull& one : pulls.ranks)
        if (one.loss && (!highest || *one.loss > *highest->loss)) highest = &one;
    QString text =
        replicaWords("Step %1 went by without anybody looking at its gradients.").arg(groupedText(pulls.step));
    if (highest && pulls.ranks.size() > 1)
        text +=
            replicaWords(" Rank %1 had the highest loss in it, %2.").arg(highest->rank).arg(lossText(*highest->loss));
    return text + QLatin1Char(' ') +
           (live ? replicaWords("Follow 50 steps, slow motion and single phases record them from now on.")
                 : replicaWords("To see them, run the same experiment again, which takes the same steps, pause it "
                                "before this one and press Follow 50 steps."));
}

QString heldSentence(const RunData& run) {
    if (!run.isPaused() || run.ended()) return {};
    const std::string& after = run.pausedAfter();
    if (after == "data") return replicaWords("Held before forward: every rank has its batch.");
    if (after == "forward") return replicaWords("Held after forward: every rank has its loss, none a gradient yet.");
    if (after == "backward") return replicaWords("Held after backward: every rank has a gradient of its own.");
    if (after == "moving") return replicaWords("Held after the all-reduce: all ranks have the mean of the gradients.");
    return {};
}

QString whyNoReplicas(const RunData& run, const RunConfig& config) {
    const RankLayout layout{meshOf(config), 0};
    if (run.strategy() == "data_parallel")
        return replicaWords(
            "Under data_parallel one process adds up its devices' gradients itself, and device 0 alone updates: there "
            "are no replicas that could part. Train with ddp to see replicas.");
    if (run.ranks().size() > 1 && layout.dataSize() == 1)
        return replicaWords(
            "Each stage of this pipeline exists once: there is nothing to compare it with. Set mesh.replicate to 2 to "
            "see replicas of the stages.");
    if (run.started() && choiceNamed<DeviceChoice>(run.started()->device) == DeviceChoice::kCuda)
        return replicaWords("These ranks compute on GPUs; gradients can be looked at on the CPU.");
    if (run.ranks().empty() || !run.ranks().front().memory) return {};
    std::int64_t parameters = 0;
    for (const RankData& rank : run.ranks())
        if (rank.memory) parameters += rank.memory->parameters / 4;
    // The count of all ranks together contains one copy of the model per replica.
    parameters /= std::max<std::int64_t>(1, layout.mesh.replicate);
    if (parameters <= kMostParameters) return {};
    return replicaWords("This model has %1 parameters; gradients can be looked at up to %2.")
        .arg(groupedText(parameters), groupedText(kMostParameters));
}

}  // namespace ringside
