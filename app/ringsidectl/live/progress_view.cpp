// SPDX-License-Identifier: Apache-2.0
#include "live/progress_view.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/text/number_text.h"
#include "base/text/terminal_text.h"
#include "config/run_config.h"
#include "telemetry/data/missing_ranks.h"
#include "terminal/verified_shards.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBarInterval{100};

std::string duration(double seconds) {
    const auto whole = static_cast<long long>(std::min(std::ceil(seconds), 1e9));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string throttleText(const RunData& run) {
    if (!run.settings().throttle.any()) return {};
    return keepsThrottle(run.ranks()) ? ", throttled" : ", throttled, but this CPU is too slow for the throttle";
}

int terminalWidth() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

// Returns the mean utilisation of all GPUs and the highest temperature; empty without GPUs.
std::string gpuText(const RunData& run) {
    double busy = 0;
    double hottest = -1;
    int gpus = 0;
    for (const RankData& rank : run.ranks()) {
        hottest = std::max(hottest, rank.gpu.celsius);
        if (rank.gpu.utilisationPercent < 0) continue;
        busy += rank.gpu.utilisationPercent;
        ++gpus;
    }
    std::string text;
    if (gpus > 0) text += fmt::format("  GPU {:.0f} %", busy / gpus);
    if (hottest >= 0) text += fmt::format("  {:.0f} C", hottest);
    return text;
}

// Returns the number of samples in the largest batch of a rank: the batch size, or the size of the rank's shard if that
// is smaller.
std::int64_t largestBatch(const RunStarted& run) {
    const std::int64_t shard = (run.trainingSamples + run.worldSize - 1) / std::max(run.worldSize, 1);
    return std::min(run.batchSize, shard);
}

// Returns the first line of a finding: "mistake at train.py:48: The order of ...".
std::string findingText(const Finding& finding) {
    const std::string where = finding.where.empty() ? "" : " at " + finding.where;
    return terminalText(std::string(severityName(finding.severity)) + where + ": " + finding.text);
}

// Returns the number of steps, the samples per batch of a rank and the number of ranks, such as "1,234 steps of 8 x 2".
// Omits the number of steps if it is not known, as for a watched script.
std::string stepsText(const RunStarted& run) {
    const std::int64_t steps = run.stepsPerEpoch * run.epochs;
    const std::string shape = grouped(largestBatch(run)) + " x " + std::to_string(run.worldSize);
    if (steps > 0) return counted(steps, "step") + " of " + shape;
    return run.stepsPerEpoch > 0 ? counted(run.stepsPerEpoch, "step") + " of " + shape + " per epoch"
                                 : "batches of " + shape;
}

}  // namespace

void ProgressView::update(const RunData& run, unsigned changes) {
    printLog(run);
    if (m_quiet) return;
    if (!m_started && run.started()) printStart(*run.started());
    if ((changes & kEpochsChanged) != 0) printEpochs(run);
    if ((changes & kRanksChanged) != 0 && m_clocks.empty()) printClocks(run);
    if (m_isTerminal && steady_clock::now() - m_lastBar >= kBarInterval) drawBar(run);
}

void ProgressView::printStart(const RunStarted& run) {
    m_started = true;
    m_screen.out(terminalText(run.name) + ": " + counted(run.worldSize, "rank") + ", " + grouped(run.trainingSamples) +
                 " training and " + grouped(run.validationSamples) + " validation samples, " + stepsText(run) + "\n" +
                 terminalText(run.whyDevice) + "\n" + terminalText(run.whyBackend) + "\n");
}

// Prints the clock comparison of a run on several hosts each time its text changes.
void ProgressView::printClocks(const RunData& run) {
    const std::string clocks = clocksText(run.ranks());
    if (clocks == m_clocks) return;
    m_clocks = clocks;
    clearBar();
    m_screen.out("clocks: " + terminalText(clocks) + "\n");
}

void ProgressView::printEpochs(const RunData& run) {
    for (const std::string& line : m_epochs.takeLines(run, steady_clock::now())) {
        clearBar();
        m_screen.out(line + "\n");
    }
}

void ProgressView::showFindings(std::span<const Finding> findings) {
    if (m_quiet) return;
    const auto isIn = [](std::span<const Finding> list, const Finding& finding) {
        return std::ranges::any_of(list, [&](const Finding& one) {
            return one.code == finding.code && one.severity == finding.severity && one.where == finding.where;
        });
    };
    for (const Finding& one : m_findings) {
        if (isIn(findings, one)) continue;
        clearBar();
        m_screen.out("no longer found: " + findingText(one) + "\n");
    }
    for (const Finding& one : findings) {
        if (isIn(m_findings, one)) continue;
        clearBar();
        m_screen.out(findingText(one) + "\n    " + terminalText(one.remedy) + "\n");
    }
    m_findings.assign(findings.begin(), findings.end());
}

// Prints each warning and error once.
void ProgressView::printLog(const RunData& run) {
    const std::int64_t total = run.logLinesDropped() + static_cast<std::int64_t>(run.log().size());
    const std::int64_t unseen = std::min<std::int64_t>(total - m_logSeen, static_cast<std::int64_t>(run.log().size()));
    for (auto line = run.log().end() - unseen; line != run.log().end(); ++line) {
        if (line->level == LogLevel::kInfo) continue;
        clearBar();
        const std::string who = line->rank < 0 ? "" : "rank " + std::to_string(line->rank) + ": ";
        m_screen.error(who + terminalText(line->text) + "\n");
    }
    m_logSeen = total;
}

void ProgressView::drawBar(const RunData& run) {
    if (!run.started() || run.ended()) return;
    m_lastBar = steady_clock::now();
    if (run.totalSteps() <= 0) return drawCurrentStep(run);
    const std::int64_t step = run.lastStep() ? run.lastStep()->step : 0;
    const double part = std::min(1.0, static_cast<double>(step) / static_cast<double>(run.totalSteps()));
    std::string text = fmt::format(" {:3.0f} %", std::floor(100 * part)) + "  step " + grouped(step) + " of " +
                       grouped(run.totalSteps());
    if (!run.curves().throughput().points().empty()) {
        const float rate = run.curves().throughput().points().back().mean;
        text += "  " + grouped(static_cast<std::int64_t>(rate)) + " samples/s (last steps)";
    }
    text += gpuText(run);
    if (const std::optional<MissingRanks> missing = findMissingRanks(run.ranks()))
        text = "  " + missing->text(run.lastTimeUs());
    if (run.secondsLeft()) text += "  " + duration(*run.secondsLeft()) + " left";
    const int width = std::clamp(terminalWidth() - static_cast<int>(text.size()) - 4, 0, 40);
    const int filled = static_cast<int>(part * width);
    const std::string bar =
        std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(width - filled), '.');
    m_screen.out("\r[" + bar + "]" + text + "\033[K");
    m_barShown = true;
}

// Draws the current step instead of the progress bar, for a run of unknown length such as that of a watched script.
void ProgressView::drawCurrentStep(const RunData& run) {
    if (!run.lastStep()) return;
    std::string text = "epoch " + std::to_string(run.lastStep()->epoch + 1) + "  step " + grouped(run.lastStep()->step);
    if (const std::optional<double> rate = run.stepsPerSecond()) text += fmt::format("  {:.1f} steps/s", *rate);
    if (const std::optional<MissingRanks> missing = findMissingRanks(run.ranks()))
        text = missing->text(run.lastTimeUs());
    m_screen.out("\r" + text + gpuText(run) + "\033[K");
    m_barShown = true;
}

void ProgressView::clearBar() {
    if (m_barShown) m_screen.out("\r\033[K");
    m_barShown = false;
}

void ProgressView::printShards(const RunEnded& end, bool repeatsOrder) const {
    if (!end.planVerified) return;
    if (!*end.planVerified) {
        m_screen.error("shards differ from the plan: " + terminalText(end.planMismatch) + "\n");
    } else if (!m_quiet) {
        m_screen.out("shards " + verifiedShardsText(end.auditedEpochs, repeatsOrder) + "\n");
    }
}

void ProgressView::finish(const RunData& run, const std::string& runDirectory) {
    update(run, kEpochsChanged);
    clearBar();
    if (run.ended()) {
        const RunEnded& end = *run.ended();
        if (end.state == RunOutcome::kFailed) {
            // Print the verdict if the log does not end with it: a supervisor that was killed could not log its
            // verdict.
            const bool wasShown = !run.log().empty() && run.log().back().text == end.verdict;
            if (!wasShown) m_screen.error(terminalText(end.verdict) + "\n");
            for (const std::string& line : end.lastLines) m_screen.error("  | " + terminalText(line) + "\n");
        } else {
            m_screen.out(
                terminalText(end.verdict) + ": " +
                (end.trainSeconds < 60 ? fmt::format("{:.2f} s", end.trainSeconds) : duration(end.trainSeconds)) +
                ", " + rateNumber(end.stepsPerSecond) + " steps/s, " + rateNumber(end.samplesPerSecond) +
                " samples/s over the whole run" + throttleText(run) + "\n");
        }
    }
    if (!run.validationEpochs().empty()) {
        const EpochResult& last = run.validationEpochs().back();
        const bool padded = isPaddingCountedInValidation(run);
        const double accuracy = padded ? last.accuracyPadded : last.accuracy;
        const double loss = padded ? last.lossPadded : last.loss;
        const std::int64_t samples = padded ? last.samplesPadded : last.samples;
        std::string line = "final validation ";
        line += std::isnan(accuracy) ? "" : fmt::format("accuracy: {:.2f} %, ", 100 * accuracy);
        line += fmt::format("loss {:.4f} (", loss) + grouped(samples) + " samples, " +
                (padded ? "padded as by DistributedSampler)" : "each sample counted once)");
        m_screen.out(line + "\n");
    }
    if (run.ended()) printShards(*run.ended(), run.settings().repeatsOrder);
    if (!m_quiet) printClocks(run);
    if (run.ended() && !run.ended()->timeVerdict.empty()) m_screen.out(terminalText(run.ended()->timeVerdict) + "\n");
    m_screen.out("run directory: " + runDirectory + "\n");
}

}  // namespace ringside
