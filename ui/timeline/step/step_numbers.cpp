// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/step/step_numbers.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "timeline/lanes/lane_frame.h"
#include "timeline/model/phase_columns.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

// an outlier differs from the median of its row by at least this share of the step's length
constexpr double kMinimumDeviation = 0.05;

double medianMs(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double msIn(const RankTrace& rank, Phase phase) {
    return static_cast<double>(timeOf(rank.times, phase)) / 1e6;
}

// Adds the communication of each rank during a pause of any rank to the rank's pause. Slow motion delays the stages of
// a pipeline one after another, and the other stages wait for the delayed stage.
TracedStep withWholePauses(TracedStep step) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pauses;  // begin and end of each pause of any rank
    for (const RankTrace& rank : step.ranks)
        for (const Span& span : rank.spans)
            if (span.phase == Phase::kPaused) pauses.emplace_back(span.beginNs, span.endNs);
    std::ranges::sort(pauses);
    std::vector<std::pair<std::int64_t, std::int64_t>> merged;
    for (const auto& pause : pauses) {
        if (merged.empty() || merged.back().second < pause.first) merged.push_back(pause);
        merged.back().second = std::max(merged.back().second, pause.second);
    }
    for (RankTrace& rank : step.ranks) {
        for (const Span& span : rank.spans) {
            if (!isCommunication(span.phase)) continue;
            for (const auto& [begin, end] : merged) {
                const std::int64_t both = std::min(end, span.endNs) - std::max(begin, span.beginNs);
                if (both <= 0) continue;
                timeOf(rank.times, span.phase) -= both;
                timeOf(rank.times, Phase::kPaused) += both;
            }
        }
    }
    return step;
}

std::vector<double> ofAll(const TracedStep& step, const auto& measure) {
    std::vector<double> values;
    for (const RankTrace& rank : step.ranks)
        if (rank.known) values.push_back(measure(rank));
    return values;
}

std::vector<int> columnsOf(const TracedStep& step, int chosenRank) {
    std::vector<int> all(step.ranks.size());
    std::iota(all.begin(), all.end(), 0);
    if (all.size() <= StepNumbers::kMaxColumns) return all;
    const double middle = medianMs(ofAll(step, busyMs));
    std::erase(all, chosenRank);
    std::ranges::stable_sort(all, std::ranges::greater(), [&](int rank) {
        const RankTrace& trace = step.ranks[static_cast<std::size_t>(rank)];
        return trace.known ? std::abs(busyMs(trace) - middle) : -1;
    });
    all.resize(StepNumbers::kMaxColumns - 2);
    all.push_back(chosenRank);
    std::ranges::sort(all);
    all.insert(all.begin(), -1);
    return all;
}

bool isOwnWork(Phase phase) {
    return !isCommunication(phase) && phase != Phase::kIdle && phase != Phase::kPaused;
}

// Marks at most one number of the table as outlier: of all numbers in `rows`, the number that is farthest from the
// median of its row, if that distance is more than kMinimumDeviation (0.05) of the step's length. rows: index and
// median of each row to check.
void markOutlier(StepNumbers& numbers, const std::vector<std::pair<std::size_t, double>>& rows) {
    double farthest = kMinimumDeviation * numbers.lengthMs;
    StepNumbers::Row* found = nullptr;
    int column = -1;
    for (const auto& [index, middle] : rows) {
        for (std::size_t at = 0; at < numbers.ranks.size(); ++at) {
            const double off = std::abs(numbers.rows[index].ms[at] - middle);
            if (numbers.ranks[at] < 0 || std::isnan(off) || off <= farthest) continue;
            farthest = off;
            found = &numbers.rows[index];
            column = static_cast<int>(at);
        }
    }
    if (found != nullptr) found->outlier = column;
}

}  // namespace

StepNumbers stepNumbers(const TracedStep& traced, int chosenRank) {
    const TracedStep step = withWholePauses(traced);
    StepNumbers numbers;
    numbers.step = step.step;
    numbers.epoch = step.epoch;
    numbers.pausedMs = medianMs(ofAll(step, [](const RankTrace& rank) { return msIn(rank, Phase::kPaused); }));
    numbers.lengthMs = static_cast<double>(step.endNs - step.beginNs) / 1e6 - numbers.pausedMs;
    numbers.ranks = columnsOf(step, chosenRank);
    numbers.missing = static_cast<int>(step.ranks.size()) - step.known;
    std::vector<std::pair<std::size_t, double>> own;
    const auto add = [&](const QString& name, const auto& measure) {
        const double middle = medianMs(ofAll(step, measure));
        StepNumbers::Row row{name, {}, -1};
        for (const int rank : numbers.ranks) {
            const bool known = rank < 0 || step.ranks[static_cast<std::size_t>(rank)].known;
            row.ms.push_back(!known     ? std::nan("")
                             : rank < 0 ? middle
                                        : measure(step.ranks[static_cast<std::size_t>(rank)]));
        }
        numbers.rows.push_back(std::move(row));
        return middle;
    };
    for (const Phase phase : kStackedPhases) {
        const auto measure = [phase](const RankTrace& rank) { return msIn(rank, phase); };
        const std::vector<double> values = ofAll(step, measure);
        const double most = values.empty() ? 0 : *std::ranges::max_element(values);
        // The phases copy, validation, checkpoint, paused and idle have a table row only if a rank spent at least 1 %
        // of the step in them. All other phases always have a row, because rows that appear and disappear between steps
        // are hard to read.
        const bool always = phase != Phase::kCopy && phase != Phase::kValidation && phase != Phase::kCheckpoint &&
                            phase != Phase::kPaused && phase != Phase::kIdle;
        if (!always && most < 0.01 * numbers.lengthMs) continue;
        const double middle = add(phaseText(phase), measure);
        if (isOwnWork(phase)) own.emplace_back(numbers.rows.size() - 1, middle);
    }
    add(QCoreApplication::translate("Timeline", "CPU time"),
        [](const RankTrace& rank) { return static_cast<double>(rank.cpuNs) / 1e6; });
    if (step.ranks.size() > 1) markOutlier(numbers, own);
    const std::vector<double> communicates =
        ofAll(step, [](const RankTrace& rank) { return msIn(rank, Phase::kWaiting) + msIn(rank, Phase::kMoving); });
    const double sum = std::accumulate(communicates.begin(), communicates.end(), 0.0);
    if (numbers.lengthMs > 0 && !communicates.empty())
        numbers.exposed = std::min(1.0, sum / static_cast<double>(communicates.size()) / numbers.lengthMs);
    return numbers;
}

}  // namespace ringside
