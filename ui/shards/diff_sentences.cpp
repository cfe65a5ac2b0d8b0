// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/diff_sentences.h"

#include <QCoreApplication>
#include <QLocale>

#include "shards/order_sentences.h"

namespace ringside {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("Diff", source);
}
QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}
QString percent(double part, std::int64_t whole) {
    const double share = whole > 0 ? 100 * part / static_cast<double>(whole) : 0;
    return QLocale().toString(share, 'f', share > 0 && share < 0.1 ? 3 : 1) + QStringLiteral(" %");
}

QString keptRank(const PlanDiff& diff) {
    return text("%1 of %2 samples (%3) stay on their rank; two unrelated shuffles give %4.")
        .arg(number(diff.sameRank), number(diff.samples), percent(static_cast<double>(diff.sameRank), diff.samples),
             percent(diff.expectedSameRank, diff.samples));
}

QString keptStep(const PlanDiff& diff) {
    return text("%1 (%2) stay on their rank and in their step; two unrelated shuffles give %3.")
        .arg(number(diff.sameRankStep), percent(static_cast<double>(diff.sameRankStep), diff.samples),
             percent(diff.expectedSameRankStep, diff.samples));
}

QString onlyOne(std::int64_t count, const QString& name) {
    return count == 1 ? text("1 sample is dealt by %1 alone.").arg(name)
                      : text("%1 samples are dealt by %2 alone.").arg(number(count), name);
}

}  // namespace

Explanation explainEpochDiff(const ShardScene& scene, std::int64_t otherEpoch, const PlanDiff& diff) {
    Explanation result;
    if (otherEpoch == scene.epoch) {
        return {text("Epoch %1 against itself").arg(scene.epoch), {text("Choose another epoch to compare it with.")}};
    }
    if (!diff.identical()) {
        result.title = text("What moves between epoch %1 and epoch %2?").arg(otherEpoch).arg(scene.epoch);
        result.lines << keptRank(diff) << keptStep(diff);
        return result;
    }
    result.title = text("Epochs %1 and %2 are identical").arg(otherEpoch).arg(scene.epoch);
    result.warning = true;
    result.lines << text("Every rank trains the same samples in the same steps: all %1 cells are black.")
                        .arg(number(diff.samples));
    result.lines << sameOrderReason(scene);
    return result;
}

Explanation explainSettingsDiff(const ShardPlan& a, const ShardPlan& b, const PlanDiff& diff) {
    Explanation result;
    if (a.spec() == b.spec()) {
        return {text("A and B are the same"), {text("Change a field of B to see what it changes.")}};
    }
    result.title = text("What does B change?");
    result.lines << text(
                        "A: %1 per rank, %2 steps, %3 repeated, %4 dropped. B: %5 per rank, %6 steps, %7 repeated, "
                        "%8 dropped.")
                        .arg(number(a.samplesPerRank()), number(a.stepsPerEpoch()), number(a.padding()),
                             number(static_cast<std::int64_t>(a.dropped().size())), number(b.samplesPerRank()),
                             number(b.stepsPerEpoch()), number(b.padding()),
                             number(static_cast<std::int64_t>(b.dropped().size())));
    result.lines << keptRank(diff);
    if (diff.onlyFirst > 0) result.lines << onlyOne(diff.onlyFirst, QStringLiteral("A"));
    if (diff.onlySecond > 0) result.lines << onlyOne(diff.onlySecond, QStringLiteral("B"));
    return result;
}

}  // namespace ringside
