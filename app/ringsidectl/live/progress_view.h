// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "run/read/epoch_lines.h"
#include "telemetry/data/run_data.h"
#include "terminal/screen.h"

namespace ringside {

// Display of a run in a terminal: a line per epoch, a bar with the remaining time, the result. Without the bar if
// standard output is not a terminal.
class ProgressView {
  public:
    ProgressView(Screen& screen, bool isTerminal, bool quiet)
        : m_screen(screen), m_isTerminal(isTerminal), m_quiet(quiet) {}

    void update(const RunData& run, unsigned changes);
    // Prints the findings of a watched run that are new since the last call, and those that are no longer valid.
    void showFindings(std::span<const Finding> findings);
    // Prints the result and the paths of the run; errors go to standard error.
    void finish(const RunData& run, const std::string& runDirectory);

  private:
    void printStart(const RunStarted& run);
    void printEpochs(const RunData& run);
    void printClocks(const RunData& run);
    void printLog(const RunData& run);
    void drawBar(const RunData& run);
    void drawCurrentStep(const RunData& run);
    void printShards(const RunEnded& end, bool repeatsOrder) const;
    void clearBar();

    Screen& m_screen;
    const bool m_isTerminal;
    const bool m_quiet;
    bool m_started = false;
    bool m_barShown = false;
    EpochLines m_epochs;
    std::int64_t m_logSeen = 0;
    std::string m_clocks;             // text of the clock comparison that was printed last
    std::vector<Finding> m_findings;  // findings that were printed and not withdrawn
    std::chrono::steady_clock::time_point m_lastBar{};
};

}  // namespace ringside
