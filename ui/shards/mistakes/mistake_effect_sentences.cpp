// SPDX-License-Identifier: GPL-3.0-or-later
// Effect of a deliberate mistake in sentences, rows and a table.
#include <algorithm>
#include <cmath>

#include "sampling/findings/plan_sentences.h"
#include "shards/mistakes/mistake_effect_report.h"
#include "shards/scene/order_sentences.h"
#include "words/field_text.h"

namespace ringside {
namespace {

using Measures = MistakeEffectReport::Measures;

QString mistakeEffectText(const char* source) {
    return QCoreApplication::translate("MistakeEffect", source);
}
QString decimal(double value) {
    if (value < 0) return mistakeEffectText("unknown");
    return QLocale().toString(value, 'f', value == std::round(value) || value >= 1000 ? 0 : 1);
}
QString share(qint64 part, qint64 whole) {
    const double percent = whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    const double shown = part < whole ? std::min(percent, 99.9) : percent;
    return QLocale().toString(shown, 'f', shown == std::round(shown) ? 0 : 1) + QStringLiteral(" %");
}
QString epochsText(qint64 epochs) {
    return epochs == 1 ? mistakeEffectText("1 epoch") : mistakeEffectText("%1 epochs").arg(groupedNumber(epochs));
}

// True if samples are used in no epoch at all because of a mistake. Samples that the sampler leaves out even without a
// mistake do not count.
bool losesSamples(const ShardScene& scene, const MistakeEffectReport& report) {
    if (report.withoutMistakes) return report.here.neverSeen > report.withoutMistakes->neverSeen;
    const SamplerKind kind = scene.plan.spec().kind;
    return report.here.neverSeen > 0 && kind != SamplerKind::kSubset && !mayRepeatSamples(kind);
}

bool repeatsSamples(const ShardScene& scene, const MistakeEffectReport& report) {
    const double usual = report.withoutMistakes ? MistakeEffectReport::meanOverlap(report.withoutMistakes->epoch) : 0;
    const double own = MistakeEffectReport::meanOverlap(report.here.epoch);
    return isReplicated(scene.plan.spec().kind) ? own > 0 : report.withoutMistakes && own > usual + 0.5;
}

QString coverageLine(const MistakeEffectReport& report) {
    const AssignmentEffects& effects = report.here.epoch;
    QString line =
        mistakeEffectText("In this epoch, ranks train on %1 of %2 samples (%3)")
            .arg(groupedNumber(effects.seen), groupedNumber(effects.samples), share(effects.seen, effects.samples));
    if (effects.expectedSeen >= 0)
        line += mistakeEffectText("; number expected by chance: %1").arg(decimal(effects.expectedSeen));
    if (report.withoutMistakes)
        line += mistakeEffectText("; number without the mistake: %1")
                    .arg(groupedNumber(report.withoutMistakes->epoch.seen));
    return line + QLatin1Char('.');
}

QString neverLine(const MistakeEffectReport& report) {
    QString line = mistakeEffectText("In %1, %2 samples are never used")
                       .arg(epochsText(report.here.epochs), groupedNumber(report.here.neverSeen));
    if (report.here.expectedNeverSeen >= 0) {
        line += mistakeEffectText("; number expected by chance: %1").arg(decimal(report.here.expectedNeverSeen));
    }
    if (report.withoutMistakes)
        line +=
            mistakeEffectText("; number without the mistake: %1").arg(groupedNumber(report.withoutMistakes->neverSeen));
    return line + QLatin1Char('.');
}

QString overlapLine(const MistakeEffectReport& report) {
    const AssignmentEffects& effects = report.here.epoch;
    QString line = mistakeEffectText("Two ranks share %1 samples on average, at most %2")
                       .arg(decimal(MistakeEffectReport::meanOverlap(effects)),
                            groupedNumber(MistakeEffectReport::largestOverlap(effects)));
    if (effects.expectedOverlap >= 0)
        line += mistakeEffectText("; number expected by chance: %1").arg(decimal(effects.expectedOverlap));
    if (report.withoutMistakes) {
        line += mistakeEffectText("; number without the mistake: %1")
                    .arg(decimal(MistakeEffectReport::meanOverlap(report.withoutMistakes->epoch)));
    }
    return line + QLatin1Char('.');
}

QString mistakeEffectTitle(const ShardScene& scene, const MistakeEffectReport& report, bool same, bool repeats) {
    const std::string mistake = pitfallSentence(scene.plan.spec());
    if (!mistake.empty()) return QString::fromStdString(mistake);
    if (same)
        return mistakeEffectText("Epoch %1 is identical to epoch %2")
            .arg(epochNumber(scene.epoch), epochNumber(*report.identicalEpoch));
    if (repeats) return mistakeEffectText("Ranks train on the same samples");
    if (!losesSamples(scene, report)) return mistakeEffectText("No problems: the assignment is correct");
    return report.here.neverSeen == 1
               ? mistakeEffectText("1 sample is never used")
               : mistakeEffectText("%1 samples are never used").arg(groupedNumber(report.here.neverSeen));
}

MistakeEffectRow row(const QString& name, const QString& here, const QString& expected, const QString& withoutMistakes,
                     bool bad, const QString& tip) {
    return {name, here, expected, withoutMistakes, bad, tip};
}

}  // namespace

QList<MistakeEffectRow> mistakeEffectRows(const ShardScene& scene, const MistakeEffectReport& report) {
    const AssignmentEffects& effects = report.here.epoch;
    const Measures* withoutMistakes = report.withoutMistakes ? &*report.withoutMistakes : nullptr;
    const auto beside = [&](auto value) { return withoutMistakes ? value(*withoutMistakes) : QString(); };
    QList<MistakeEffectRow> rows;
    rows << row(mistakeEffectText("Used in this epoch"), groupedNumber(effects.seen), decimal(effects.expectedSeen),
                beside([](const Measures& m) { return groupedNumber(m.epoch.seen); }),
                withoutMistakes && effects.seen < withoutMistakes->epoch.seen,
                mistakeEffectText("Number of distinct samples that at least one rank trains on"));
    rows << row(mistakeEffectText("Used part of the data set"), share(effects.seen, effects.samples), {},
                beside([](const Measures& m) { return share(m.epoch.seen, m.epoch.samples); }),
                withoutMistakes && effects.seen < withoutMistakes->epoch.seen,
                mistakeEffectText("Used samples divided by the size of the data set"));
    rows << row(mistakeEffectText("Repeated uses"), groupedNumber(effects.uses - effects.seen), {},
                beside([](const Measures& m) { return groupedNumber(m.epoch.uses - m.epoch.seen); }),
                repeatsSamples(scene, report),
                mistakeEffectText("Uses of samples that were already used in this epoch"));
    rows << row(mistakeEffectText("Shared by two ranks, average"), decimal(MistakeEffectReport::meanOverlap(effects)),
                decimal(effects.expectedOverlap),
                beside([](const Measures& m) { return decimal(MistakeEffectReport::meanOverlap(m.epoch)); }),
                repeatsSamples(scene, report),
                mistakeEffectText("Average over all pairs of ranks; the matrix shows each pair"));
    rows << row(mistakeEffectText("Never used in %1").arg(epochsText(report.here.epochs)),
                groupedNumber(report.here.neverSeen), decimal(report.here.expectedNeverSeen),
                beside([](const Measures& m) { return groupedNumber(m.neverSeen); }), losesSamples(scene, report),
                mistakeEffectText("Samples that no rank trains on in any of these epochs"));
    if (scene.epochs > 1) {
        const QString identical = report.identicalEpoch
                                      ? mistakeEffectText("as in epoch %1").arg(epochNumber(*report.identicalEpoch))
                                      : mistakeEffectText("unique");
        rows << row(mistakeEffectText("Order of epoch %1").arg(epochNumber(scene.epoch)), identical, {},
                    withoutMistakes ? mistakeEffectText("unique") : QString(), report.identicalEpoch && !scene.setEpoch,
                    mistakeEffectText("Unique: no other epoch has the same order. The Epoch diff view shows no change "
                                      "between two epochs with the same order."));
    }
    return rows;
}

Explanation explainMistakeEffect(const ShardScene& scene, const MistakeEffectReport& report) {
    Explanation result;
    const bool same = report.identicalEpoch && !scene.setEpoch;
    const bool loses = losesSamples(scene, report), repeats = repeatsSamples(scene, report);
    result.warning = same || loses || repeats;
    result.title = mistakeEffectTitle(scene, report, same, repeats);
    if (same) result.lines << sameOrderReason(scene);
    result.lines << coverageLine(report) << overlapLine(report) << neverLine(report);
    return result;
}

TableData mistakeEffectTable(const ShardScene& scene, const MistakeEffectReport& report) {
    QList<QStringList> rows;
    for (const MistakeEffectRow& one : mistakeEffectRows(scene, report)) {
        const auto inC = [](QString value) { return value.remove(QLocale().groupSeparator()); };
        rows << QStringList{one.name, {}, {}, inC(one.here), inC(one.expected), inC(one.withoutMistakes)};
    }
    const AssignmentEffects& effects = report.here.epoch;
    for (std::int64_t a = 0; a < effects.ranks && !effects.overlap.empty(); ++a) {
        for (std::int64_t b = 0; b < effects.ranks; ++b) {
            const auto at = static_cast<std::size_t>(a * effects.ranks + b);
            const auto number = [&](const Measures& m) { return plainNumber(m.epoch.overlap[at]); };
            const QString withoutMistakes = report.withoutMistakes && at < report.withoutMistakes->epoch.overlap.size()
                                                ? number(*report.withoutMistakes)
                                                : QString();
            rows << QStringList{a == b ? mistakeEffectText("own samples") : mistakeEffectText("shared"),
                                plainNumber(a),
                                plainNumber(b),
                                number(report.here),
                                a == b ? QString() : QString::number(effects.expectedOverlap, 'f', 1),
                                withoutMistakes};
        }
    }
    return {QStringLiteral("effects-epoch-%1").arg(scene.epoch),
            {QStringLiteral("measure"), QStringLiteral("rank_a"), QStringLiteral("rank_b"), QStringLiteral("observed"),
             QStringLiteral("expected_by_chance"), QStringLiteral("without_mistake")},
            rows.size(),
            [rows](qint64 at) { return rows[at]; }};
}

}  // namespace ringside
