// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/pytorch_outcome.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "base/errors/errors.h"
#include "words/field_text.h"

namespace ringside {
namespace {

using Line = PytorchOutcome::Line;
using enum PytorchOutcome::Result;

// losses with at most this relative difference count as equal; the same limit as in `ringsidectl compare`
constexpr double kLossTolerance = 1e-5;
// weights count as equal if they differ by at most this fraction of the tensor's largest value
constexpr double kWeightTolerance = 1e-4;

QString outcomeText(const char* text) {
    return QCoreApplication::translate("PytorchOutcome", text);
}

QString shortNumber(double value) {
    return QString::number(value, 'g', 2);
}

QString lossNumber(double value) {
    return QString::number(value, 'g', 9);
}

Line notCompared(const QString& label, const Problem& problem) {
    return {label, QString::fromStdString(problem.text()), kNotCompared};
}

QString ratioText(double a, double b) {
    const bool isKnown = std::isfinite(a) && std::isfinite(b) && a != 0;
    return isKnown ? outcomeText(", PyTorch's is %1 times Ringside's").arg(QString::number(b / a, 'g', 4)) : QString();
}

}  // namespace

Line lossLine(const RunComparison& watched) {
    const QString label = outcomeText("Losses");
    const RunComparison& c = watched;
    if (c.steps == 0)
        return {label, outcomeText("not compared: the runs have no recorded step in common"), kNotCompared};
    if (c.firstBeyond) {
        const ValuePair& pair = *c.firstBeyond;
        return {label,
                outcomeText("differ from step %1 on: %2 in Ringside, %3 in PyTorch%4")
                    .arg(groupedText(pair.at), lossNumber(pair.a), lossNumber(pair.b), ratioText(pair.a, pair.b)),
                kDifferent};
    }
    if (c.stepsOnlyA + c.stepsOnlyB > 0)
        return {
            label,
            outcomeText("equal in %1 common steps, but %2 steps are in Ringside's run only and %3 in PyTorch's only")
                .arg(groupedText(c.steps), groupedText(c.stepsOnlyA), groupedText(c.stepsOnlyB)),
            kDifferent};
    return {label,
            outcomeText("equal in all %1 steps: largest relative difference %2, at step %3 (limit %4)")
                .arg(groupedText(c.steps), shortNumber(c.largest.relative()), groupedText(c.largest.at),
                     shortNumber(c.tolerance)),
            kEqual};
}

Line sampleLine(const RunComparison& watched) {
    const QString label = outcomeText("Samples");
    switch (watched.shards) {
        case ShardsVerdict::kSame:
            return {label,
                    outcomeText("the same samples in the same order, in all %1 shards of rank and epoch")
                        .arg(groupedText(watched.shardsCompared)),
                    kEqual};
        case ShardsVerdict::kDifferent: {
            const ShardKey first = watched.firstOtherShard.value_or(ShardKey{});
            return {label,
                    outcomeText("different samples or a different order, first on rank %1 in epoch %2")
                        .arg(first.rank)
                        .arg(epochNumber(first.epoch)),
                    kDifferent};
        }
        case ShardsVerdict::kUnknown:
            break;
    }
    return {label, outcomeText("not compared: no epoch with known samples is complete in both runs"), kNotCompared};
}

Line weightLine(const CheckpointComparison& weights) {
    const QString label = outcomeText("Weights");
    if (weights.first) {
        const WeightDifference& first = *weights.first;
        QString text =
            outcomeText(
                "tensor %1 differs after step %2: the largest difference is %3 of the largest value in this tensor")
                .arg(QString::fromStdString(first.name), groupedText(first.step), shortNumber(first.relative));
        if (std::isfinite(first.ratio))
            text += outcomeText(", and the norm of PyTorch's tensor is %1 times that of Ringside's")
                        .arg(QString::number(first.ratio, 'g', 4));
        if (weights.differing > 1)
            text += outcomeText("; %1 tensors differ after this step").arg(groupedText(weights.differing));
        return {label, text, kDifferent};
    }
    if (!weights.notCompared.empty()) return {label, QString::fromStdString(weights.notCompared.front()), kDifferent};
    if (weights.tensors == 0)
        return {label, outcomeText("not compared: the runs have no checkpoint of the same step"), kNotCompared};
    QStringList steps;
    for (const std::int64_t step : weights.steps) steps << groupedText(step);
    constexpr qsizetype kMaxNamed = 4;
    const QString where = steps.size() <= kMaxNamed
                              ? steps.join(QStringLiteral(", "))
                              : outcomeText("%1 and %2 more").arg(steps.first()).arg(steps.size() - 1);
    return {
        label,
        outcomeText("equal after step %1: the largest difference is %2 of the largest value in its tensor (limit %3)")
            .arg(where, shortNumber(weights.largest), shortNumber(weights.tolerance)),
        kEqual};
}

QString PytorchOutcome::text() const {
    QStringList all{headline};
    for (const Line& line : lines) all << line.label + QStringLiteral(": ") + line.text;
    return all.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

namespace {

// Returns one line about the losses and one line about the samples. If the records of the runs cannot be compared,
// returns a single line with the reason.
QList<Line> recordLines(const ComparedRuns& runs) {
    const Result<RunRecord> own = readRunRecord(runs.ringside);
    if (!own) return {notCompared(outcomeText("Ringside's run"), own.problem())};
    const Result<RunRecord> watched = readRunRecord(runs.watched);
    if (!watched) return {notCompared(outcomeText("PyTorch's run"), watched.problem())};
    const Result<RunComparison> compared = compareRuns(own.value(), watched.value(), kLossTolerance);
    if (!compared) return {notCompared(outcomeText("Losses"), compared.problem())};
    return {lossLine(compared.value()), sampleLine(compared.value())};
}

Line weightsOf(const ComparedRuns& runs) {
    try {
        const Result<CheckpointComparison> weights = compareCheckpoints(runs.ringside, runs.script, kWeightTolerance);
        return weights ? weightLine(weights.value()) : notCompared(outcomeText("Weights"), weights.problem());
    } catch (const IoError& error) {
        return {outcomeText("Weights"), QString::fromUtf8(error.what()), kNotCompared};
    }
}

QString headlineOf(PytorchOutcome::Result result) {
    switch (result) {
        case kEqual:
            return outcomeText("Equal: Ringside and PyTorch have trained the same model");
        case kDifferent:
            return outcomeText("Different: Ringside and PyTorch have not trained the same model");
        case kNotCompared:
            break;
    }
    return outcomeText(
        "Not compared completely: no difference was found, but losses, samples or weights could not be compared");
}

}  // namespace

PytorchOutcome comparePytorchRuns(const ComparedRuns& runs) {
    PytorchOutcome outcome;
    outcome.runs = runs;
    outcome.lines = recordLines(runs) << weightsOf(runs);
    const auto has = [&](PytorchOutcome::Result result) {
        return std::ranges::any_of(outcome.lines, [&](const Line& line) { return line.result == result; });
    };
    outcome.result = has(kDifferent) ? kDifferent : has(kNotCompared) ? kNotCompared : kEqual;
    outcome.headline = headlineOf(outcome.result);
    return outcome;
}

}  // namespace ringside
