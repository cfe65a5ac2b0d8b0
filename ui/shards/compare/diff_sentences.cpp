// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare/diff_sentences.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "shards/scene/order_sentences.h"
#include "shards/scene/sentence_text.h"
#include "words/field_text.h"

namespace ringside {
namespace {

QString diffText(const char* source) {
    return QCoreApplication::translate("Diff", source);
}
QString percent(double part, std::int64_t whole) {
    const double share = whole > 0 ? 100 * part / static_cast<double>(whole) : 0;
    return QLocale().toString(share, 'f', share > 0 && share < 0.1 ? 3 : 1) + QStringLiteral(" %");
}

QString keptRank(const PlanDiff& diff) {
    return diffText("%1 of %2 samples (%3) stay on their rank; two unrelated shuffles give %4.")
        .arg(groupedNumber(diff.sameRank), groupedNumber(diff.samples),
             percent(static_cast<double>(diff.sameRank), diff.samples), percent(diff.expectedSameRank, diff.samples));
}

QString keptStep(const PlanDiff& diff) {
    return diffText("%1 samples (%2) stay on their rank and in their step; two unrelated shuffles give %3.")
        .arg(groupedNumber(diff.sameRankStep), percent(static_cast<double>(diff.sameRankStep), diff.samples),
             percent(diff.expectedSameRankStep, diff.samples));
}

QString assignmentSummary(const ShardPlan& plan) {
    const std::int64_t steps = plan.stepsPerEpoch();
    return diffText("%1 samples per rank, %2, %3 samples repeated, %4 dropped.")
        .arg(groupedNumber(plan.samplesPerRank()),
             steps == 1 ? diffText("1 step") : diffText("%1 steps").arg(groupedNumber(steps)),
             groupedNumber(plan.padding()), groupedNumber(static_cast<std::int64_t>(plan.dropped().size())));
}

QString onlyOne(std::int64_t count, const QString& name) {
    return count == 1 ? diffText("1 sample is used by %1 only.").arg(name)
                      : diffText("%1 samples are used by %2 only.").arg(groupedNumber(count), name);
}

}  // namespace

Explanation explainEpochDiff(const ShardScene& scene, std::int64_t otherEpoch, const PlanDiff& diff) {
    Explanation result;
    if (otherEpoch == scene.epoch) {
        return {diffText("Epoch %1 compared with itself").arg(epochNumber(scene.epoch)),
                {diffText("Choose another epoch to compare it with.")}};
    }
    result.things = {{IdentityKind::Epoch, otherEpoch}, {IdentityKind::Epoch, scene.epoch}};
    const QString first = epochNumber(std::min<std::int64_t>(otherEpoch, scene.epoch));
    const QString second = epochNumber(std::max<std::int64_t>(otherEpoch, scene.epoch));
    if (!diff.identical()) {
        result.title = diffText("What changes between epoch %1 and epoch %2?").arg(first, second);
        result.lines << keptRank(diff) << keptStep(diff);
        return result;
    }
    result.title = diffText("Epochs %1 and %2 are identical").arg(first, second);
    result.warning = true;
    result.lines << diffText("Every rank trains on the same samples in the same steps: none of the %1 cells differs.")
                        .arg(groupedNumber(diff.samples));
    result.lines << sameOrderReason(scene);
    return result;
}

Explanation explainSettingsDiff(const ShardPlan& a, const ShardPlan& b, const PlanDiff& diff) {
    Explanation result;
    if (a.spec() == b.spec()) {
        return {diffText("A and B are identical"), {diffText("Change a field of B to see its effect.")}};
    }
    result.title = diffText("What does B change?");
    result.lines << diffText("A: %1 B: %2").arg(assignmentSummary(a), assignmentSummary(b));
    if (diff.samples > 0) result.lines << keptRank(diff);
    if (diff.onlyFirst > 0) result.lines << onlyOne(diff.onlyFirst, QStringLiteral("A"));
    if (diff.onlySecond > 0) result.lines << onlyOne(diff.onlySecond, QStringLiteral("B"));
    return result;
}

}  // namespace ringside
