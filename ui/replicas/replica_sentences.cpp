// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/replica_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

#include "words/field_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kMostParameters = 200'000;

QString replicaWords(const char* text) {
    return QCoreApplication::translate("replicas", text);
}

QString samplesOf(const RankData& rank, std::int64_t step) {
    constexpr int kMost = 6;
    QStringList shown;
    std::size_t all = 0;
    for (const ConsumedIndices& one : rank.indices) {
        if (one.step != step) continue;
        all += one.index.size();
        for (const std::int64_t sample : one.index)
            if (shown.size() < kMost) shown << QString::number(sample);
    }
    if (shown.isEmpty()) return {};
    const QString more = all > kMost ? replicaWords(" and %1 more").arg(all - kMost) : QString();
    return replicaWords(" It trained samples %1%2.").arg(shown.join(QStringLiteral(", ")), more);
}

}  // namespace

QString replicasSentence(const RunData& run) {
    const std::optional<ReplicaState>& state = run.replicas().state();
    if (!state) return {};
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

QString pullSentence(const RunData& run, const LookedAtStep& step) {
    int farthest = -1;
    double least = 2;
    for (std::size_t rank = 0; rank < step.mean.size(); ++rank) {
        if (!step.mean[rank] || !std::isfinite(step.mean[rank]->cosine) || step.mean[rank]->cosine >= least) continue;
        least = step.mean[rank]->cosine;
        farthest = static_cast<int>(rank);
    }
    if (farthest < 0) return {};
    return replicaWords("Step %1: rank %2 pulled farthest from the mean (cosine %3).%4")
        .arg(groupedText(step.step))
        .arg(farthest)
        .arg(least, 0, 'f', 2)
        .arg(samplesOf(run.ranks()[static_cast<std::size_t>(farthest)], step.step));
}

QString whyNoReplicas(const RunData& run) {
    if (!run.strategy().empty() && run.strategy() != "ddp")
        return replicaWords(
                   "This run's strategy is %1: no rank has a whole gradient of its own to compare. Train with "
                   "ddp to see replicas.")
            .arg(QString::fromStdString(run.strategy()));
    if (run.started() && run.started()->device == "cuda")
        return replicaWords("These ranks compute on GPUs; gradients can be looked at on the CPU.");
    if (run.ranks().empty() || !run.ranks().front().memory) return {};
    const std::int64_t parameters = run.ranks().front().memory->parameters / 4;
    if (parameters <= kMostParameters) return {};
    return replicaWords("This model has %1 parameters; gradients can be looked at up to %2.")
        .arg(groupedText(parameters), groupedText(kMostParameters));
}

}  // namespace ringside
