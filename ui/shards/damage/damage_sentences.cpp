// SPDX-License-Identifier: GPL-3.0-or-later
// A damage report in words, rows and a table.
#include <algorithm>
#include <cmath>

#include "sampling/findings/plan_sentences.h"
#include "shards/damage/damage_report.h"
#include "shards/scene/order_sentences.h"
#include "words/field_text.h"

namespace ringside {
namespace {

using Measures = DamageReport::Measures;

QString damageText(const char* source) {
    return QCoreApplication::translate("Damage", source);
}
QString decimal(double value) {
    if (value < 0) return damageText("unknown");
    return QLocale().toString(value, 'f', value == std::round(value) || value >= 1000 ? 0 : 1);
}
QString share(qint64 part, qint64 whole) {
    const double percent = whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    const double shown = part < whole ? std::min(percent, 99.9) : percent;
    return QLocale().toString(shown, 'f', shown == std::round(shown) ? 0 : 1) + QStringLiteral(" %");
}
QString epochsText(qint64 epochs) {
    return epochs == 1 ? damageText("1 epoch") : damageText("%1 epochs").arg(groupedNumber(epochs));
}

// True if samples are never used in any epoch, except those that the sampler excludes or draws at random. Samples that
// are missed in some epochs only do not count.
bool losesSamples(const ShardScene& scene, const DamageReport& report) {
    if (report.healthy) return report.here.neverSeen > report.healthy->neverSeen;
    const SamplerKind kind = scene.plan.spec().kind;
    return report.here.neverSeen > 0 && kind != SamplerKind::kSubset && !repeatsDraws(kind);
}

bool repeatsSamples(const ShardScene& scene, const DamageReport& report) {
    const double usual = report.healthy ? DamageReport::meanOverlap(report.healthy->epoch) : 0;
    const double own = DamageReport::meanOverlap(report.here.epoch);
    return isReplicated(scene.plan.spec().kind) ? own > 0 : report.healthy && own > usual + 0.5;
}

QString coverageLine(const DamageReport& report) {
    const PlanDamage& damage = report.here.epoch;
    QString line =
        damageText("In this epoch, ranks train on %1 of %2 samples (%3)")
            .arg(groupedNumber(damage.seen), groupedNumber(damage.samples), share(damage.seen, damage.samples));
    if (damage.expectedSeen >= 0) line += damageText("; expected by chance %1").arg(decimal(damage.expectedSeen));
    if (report.healthy) line += damageText("; without the mistake %1").arg(groupedNumber(report.healthy->epoch.seen));
    return line + QLatin1Char('.');
}

QString neverLine(const DamageReport& report) {
    QString line = damageText("In %1, %2 samples are never used")
                       .arg(epochsText(report.here.epochs), groupedNumber(report.here.neverSeen));
    if (report.here.expectedNeverSeen >= 0) {
        line += damageText("; expected by chance %1").arg(decimal(report.here.expectedNeverSeen));
    }
    if (report.healthy) line += damageText("; without the mistake %1").arg(groupedNumber(report.healthy->neverSeen));
    return line + QLatin1Char('.');
}

QString overlapLine(const DamageReport& report) {
    const PlanDamage& damage = report.here.epoch;
    QString line =
        damageText("Two ranks share %1 samples on average, at most %2")
            .arg(decimal(DamageReport::meanOverlap(damage)), groupedNumber(DamageReport::largestOverlap(damage)));
    if (damage.expectedOverlap >= 0) line += damageText("; expected by chance %1").arg(decimal(damage.expectedOverlap));
    if (report.healthy) {
        line += damageText("; without the mistake %1").arg(decimal(DamageReport::meanOverlap(report.healthy->epoch)));
    }
    return line + QLatin1Char('.');
}

QString damageTitle(const ShardScene& scene, const DamageReport& report, bool same, bool repeats) {
    const std::string mistake = pitfallSentence(scene.plan.spec());
    if (!mistake.empty()) return QString::fromStdString(mistake);
    if (same)
        return damageText("Epoch %1 is identical to epoch %2")
            .arg(epochNumber(scene.epoch), epochNumber(*report.identicalEpoch));
    if (repeats) return damageText("Ranks train on the same samples");
    if (!losesSamples(scene, report)) return damageText("No problems: the assignment is correct");
    return report.here.neverSeen == 1
               ? damageText("1 sample is never used")
               : damageText("%1 samples are never used").arg(groupedNumber(report.here.neverSeen));
}

DamageRow row(const QString& name, const QString& here, const QString& expected, const QString& healthy, bool bad,
              const QString& tip) {
    return {name, here, expected, healthy, bad, tip};
}

}  // namespace

QList<DamageRow> damageRows(const ShardScene& scene, const DamageReport& report) {
    const PlanDamage& damage = report.here.epoch;
    const Measures* healthy = report.healthy ? &*report.healthy : nullptr;
    const auto beside = [&](auto value) { return healthy ? value(*healthy) : QString(); };
    QList<DamageRow> rows;
    rows << row(damageText("Used in this epoch"), groupedNumber(damage.seen), decimal(damage.expectedSeen),
                beside([](const Measures& m) { return groupedNumber(m.epoch.seen); }),
                healthy && damage.seen < healthy->epoch.seen,
                damageText("Number of distinct samples that at least one rank trains on"));
    rows << row(damageText("Part of the data set"), share(damage.seen, damage.samples), {},
                beside([](const Measures& m) { return share(m.epoch.seen, m.epoch.samples); }),
                healthy && damage.seen < healthy->epoch.seen,
                damageText("Used samples divided by the size of the data set"));
    rows << row(damageText("Repeated uses"), groupedNumber(damage.uses - damage.seen), {},
                beside([](const Measures& m) { return groupedNumber(m.epoch.uses - m.epoch.seen); }),
                repeatsSamples(scene, report), damageText("Uses of samples that were already used in this epoch"));
    rows << row(damageText("Shared by two ranks, average"), decimal(DamageReport::meanOverlap(damage)),
                decimal(damage.expectedOverlap),
                beside([](const Measures& m) { return decimal(DamageReport::meanOverlap(m.epoch)); }),
                repeatsSamples(scene, report),
                damageText("Average over all pairs of ranks; the matrix shows each pair"));
    rows << row(damageText("Never used in %1").arg(epochsText(report.here.epochs)),
                groupedNumber(report.here.neverSeen), decimal(report.here.expectedNeverSeen),
                beside([](const Measures& m) { return groupedNumber(m.neverSeen); }), losesSamples(scene, report),
                damageText("Samples that no rank trains on in any of these epochs"));
    if (scene.epochs > 1) {
        const QString identical = report.identicalEpoch
                                      ? damageText("identical to epoch %1").arg(epochNumber(*report.identicalEpoch))
                                      : damageText("different from all others");
        rows << row(
            damageText("Order of epoch %1").arg(epochNumber(scene.epoch)), identical, {},
            healthy ? damageText("different from all others") : QString(), report.identicalEpoch && !scene.setEpoch,
            damageText(
                "Shows whether another epoch has the same order. The Epoch diff view shows no change in that case."));
    }
    return rows;
}

Explanation explainDamage(const ShardScene& scene, const DamageReport& report) {
    Explanation result;
    const bool same = report.identicalEpoch && !scene.setEpoch;
    const bool loses = losesSamples(scene, report), repeats = repeatsSamples(scene, report);
    result.warning = same || loses || repeats;
    result.title = damageTitle(scene, report, same, repeats);
    if (same) result.lines << sameOrderReason(scene);
    result.lines << coverageLine(report) << overlapLine(report) << neverLine(report);
    return result;
}

ShardTable damageTable(const ShardScene& scene, const DamageReport& report) {
    QList<QStringList> rows;
    for (const DamageRow& one : damageRows(scene, report)) {
        const auto inC = [](QString value) { return value.remove(QLocale().groupSeparator()); };
        rows << QStringList{one.name, {}, {}, inC(one.here), inC(one.expected), inC(one.healthy)};
    }
    const PlanDamage& damage = report.here.epoch;
    for (std::int64_t a = 0; a < damage.ranks && !damage.overlap.empty(); ++a) {
        for (std::int64_t b = 0; b < damage.ranks; ++b) {
            const auto at = static_cast<std::size_t>(a * damage.ranks + b);
            const auto number = [&](const Measures& m) { return plainNumber(m.epoch.overlap[at]); };
            const QString healthy =
                report.healthy && at < report.healthy->epoch.overlap.size() ? number(*report.healthy) : QString();
            rows << QStringList{a == b ? damageText("own samples") : damageText("shared"),
                                plainNumber(a),
                                plainNumber(b),
                                number(report.here),
                                a == b ? QString() : QString::number(damage.expectedOverlap, 'f', 1),
                                healthy};
        }
    }
    return {QStringLiteral("damage-epoch-%1").arg(scene.epoch),
            {QStringLiteral("measure"), QStringLiteral("rank_a"), QStringLiteral("rank_b"), QStringLiteral("observed"),
             QStringLiteral("expected_by_chance"), QStringLiteral("without_mistake")},
            rows.size(),
            [rows](qint64 at) { return rows[at]; }};
}

}  // namespace ringside
