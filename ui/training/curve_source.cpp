// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/curve_source.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "theme/phase_colors.h"
#include "theme/theme.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxApart = 8, kWorstShown = 5;

constexpr int kValidationColor = 1;  // colour of rank 1 (amber), which differs clearly from the blue training curve

QString text(const char* source) {
    return QCoreApplication::translate("Training", source);
}
QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

double xOf(const EpochResult& epoch, XAxis axis, const RunPart& part) {
    switch (axis) {
        case XAxis::Step:
            return static_cast<double>(epoch.step);
        case XAxis::Epoch:
            return static_cast<double>(epoch.epoch + 1);
        case XAxis::Samples:
            return samplesAt(part.run->curves().loss(), epoch.step) + part.samplesBefore;
        case XAxis::Time:
            return static_cast<double>(epoch.timeUs) / 1e6 + part.startSeconds;
    }
    return 0;
}

void addValidation(std::vector<Curve>& curves, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme,
                   const QString& chart, double EpochResult::*value) {
    // With one curve per rank, amber is the colour of rank 1, so the validation curve uses the text colour.
    const QColor color = fanOut ? theme.colors().text : theme.rankColor(kValidationColor);
    Curve curve{chart + QStringLiteral(".validation"), text("validation"), color, Curve::Kind::MarkedLine, {}};
    for (const RunPart& part : parts) {
        for (const EpochResult& epoch : part.run->validationEpochs()) {
            if (!std::isfinite(epoch.*value) || epoch.step > part.lastStep) continue;
            curve.points.push_back({xOf(epoch, axis, part), epoch.*value, 0, 0});
        }
    }
    if (!curve.points.empty()) {
        curves.push_back(std::move(curve));
    }
}

std::vector<std::size_t> allRankIndices(const RunData& run) {
    std::vector<std::size_t> ranks(run.ranks().size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    return ranks;
}

// Returns the ranks with the largest loss in the latest step, ordered by number.
std::vector<std::size_t> worstRanks(const RunData& run) {
    std::vector<std::size_t> ranks = allRankIndices(run);
    const auto lossOf = [&](std::size_t rank) {
        const double loss = run.ranks()[rank].loss;
        return std::isnan(loss) ? -std::numeric_limits<double>::infinity() : loss;
    };
    std::ranges::stable_sort(ranks, std::ranges::greater(), lossOf);
    ranks.resize(std::min(ranks.size(), kWorstShown));
    std::ranges::sort(ranks);
    return ranks;
}

void addTraining(std::vector<Curve>& curves, GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut,
                 const Theme& theme, const QString& chart, const Series& (RunCurves::*whole)() const,
                 Series RankData::*ofRank) {
    const bool none = std::ranges::all_of(
        parts, [whole](const RunPart& part) { return (part.run->curves().*whole)().points().empty(); });
    if (none) {
        return;
    }
    // With many ranks, shows the mean of the ranks, the band from their minimum to their maximum, and curves of only
    // the ranks with the largest loss.
    const RunData& run = *parts.back().run;
    const bool many = run.ranks().size() > kMaxApart;
    if (!fanOut || many) {
        curves.push_back(held.follow(
            {chart + QStringLiteral(".train"), text("train"), theme.colors().accent, Curve::Kind::BandLine, {}}, parts,
            axis, [whole](const RunData& one) { return &(one.curves().*whole)(); }));
    }
    if (!fanOut) return;
    for (const std::size_t rank : many ? worstRanks(run) : allRankIndices(run)) {
        const auto number = static_cast<int>(rank);
        curves.push_back(held.follow({chart + QStringLiteral(".rank.%1").arg(number),
                                      text("rank %1").arg(number),
                                      theme.rankColor(number),
                                      Curve::Kind::Line,
                                      {},
                                      number},
                                     parts, axis, [rank, ofRank](const RunData& one) {
                                         return rank < one.ranks().size() ? &(one.ranks()[rank].*ofRank) : nullptr;
                                     }));
    }
}

std::vector<Curve> onlyCurve(GrowingCurves& held, const RunParts& parts, XAxis axis, const char* key, const char* name,
                             const Theme& theme, const Series& (RunCurves::*series)() const) {
    Curve curve = held.follow({QString::fromLatin1(key), text(name), theme.colors().accent, Curve::Kind::Line, {}},
                              parts, axis, [series](const RunData& one) { return &(one.curves().*series)(); });
    if (curve.points.empty()) return {};
    return {std::move(curve)};
}

}  // namespace

std::vector<Curve> lossCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, held, parts, axis, fanOut, theme, QStringLiteral("loss"), &RunCurves::loss,
                &RankData::lossSeries);
    addValidation(curves, parts, axis, fanOut, theme, QStringLiteral("loss"), &EpochResult::loss);
    return curves;
}

std::vector<Curve> accuracyCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut,
                                  const Theme& theme) {
    std::vector<Curve> curves;
    addTraining(curves, held, parts, axis, fanOut, theme, QStringLiteral("accuracy"), &RunCurves::accuracy,
                &RankData::accuracySeries);
    addValidation(curves, parts, axis, fanOut, theme, QStringLiteral("accuracy"), &EpochResult::accuracy);
    return curves;
}

std::vector<Curve> throughputCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(held, parts, axis, "throughput", "all ranks", theme, &RunCurves::throughput);
}

std::vector<Curve> gradientNormCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(held, parts, axis, "gradientNorm", "averaged gradient", theme, &RunCurves::gradientNorm);
}

std::vector<Curve> learningRateCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme) {
    return onlyCurve(held, parts, axis, "learningRate", "all ranks", theme, &RunCurves::learningRate);
}

namespace {

double upperMedian(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

std::vector<Curve> phaseCurves(const RunParts& parts, XAxis axis, const Theme& theme) {
    constexpr std::array kPhases{Phase::kDataWait, Phase::kCopy,   Phase::kForward,  Phase::kBackward,
                                 Phase::kWaiting,  Phase::kMoving, Phase::kOptimizer};
    // A phase is shown if its median is more than this share of a typical step, or if any of its values is more than
    // this share of the largest value of all phases.
    constexpr double kWorthShowing = 0.005;
    std::vector<Curve> curves;
    // sum of the phases below the current curve at each point; all phases have the same points
    std::vector<double> below;
    double largest = 0;
    std::array<double, kPhases.size()> typical{};
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
        std::vector<double> means;
        for (const RunPart& part : parts)
            for (const SeriesPoint& point : part.run->curves().phaseTime(kPhases[i]).points())
                means.push_back(point.mean);
        if (means.empty()) continue;
        largest = std::max(largest, *std::ranges::max_element(means));
        typical[i] = upperMedian(std::move(means));
    }
    const double typicalStep = std::accumulate(typical.begin(), typical.end(), 0.0);
    for (std::size_t p = 0; p < kPhases.size(); ++p) {
        const Phase phase = kPhases[p];
        Curve curve{QStringLiteral("phase.%1").arg(static_cast<int>(phase)),
                    phaseText(phase),
                    phaseColor(phase, theme),
                    Curve::Kind::Stack,
                    {}};
        if (phase == Phase::kWaiting) curve.color = hatchColor(theme);
        bool seen = typical[p] > kWorthShowing * typicalStep;
        std::size_t index = 0;
        for (const RunPart& part : parts) {
            const auto points = part.run->curves().phaseTime(phase).points();
            for (std::size_t i = 0; i < points.size() && points[i].step <= part.lastStep; ++i) {
                if (index == below.size()) below.push_back(0);
                double& from = below[index++];
                const double height = points[i].mean;
                seen = seen || points[i].mean > kWorthShowing * largest;
                curve.points.push_back({xOverAllParts(part, points[i], axis), height, from, from + height});
                from += height;
            }
        }
        if (seen) curves.push_back(std::move(curve));
    }
    return curves;
}

QString axisPositionText(const RunParts& parts, XAxis axis, double x) {
    const SeriesPoint* found = nullptr;
    for (const RunPart& part : parts) {
        const auto points = part.run->curves().loss().points();
        const auto after = std::ranges::upper_bound(
            points, x, {}, [&](const SeriesPoint& one) { return xOverAllParts(part, one, axis); });
        if (after == points.begin() || (found != nullptr && (after - 1)->step < found->step)) continue;
        found = &*(after - 1);
    }
    if (found == nullptr) {
        return text("before the first step");
    }
    const double epoch = std::max(1.0, std::ceil(found->epoch - 1e-9));
    const QString place = text("step %1, epoch %2").arg(number(found->step), QString::number(epoch));
    if (axis == XAxis::Time) {
        return place + text(", %1 s").arg(x, 0, 'f', 2);
    }
    return axis == XAxis::Samples ? place + text(", %1 samples").arg(number(static_cast<std::int64_t>(x))) : place;
}

}  // namespace ringside
