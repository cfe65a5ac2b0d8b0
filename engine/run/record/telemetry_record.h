// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run/record/append_file.h"
#include "run/record/epoch_gate.h"
#include "run/record/record_budget.h"
#include "telemetry/events/events.h"
#include "telemetry/events/step_windows.h"

namespace ringside {

// Writer of telemetry.jsonl: lines of the ranks and the supervisor, unchanged and in order, within a budget. When space
// becomes scarce: steps are combined into windows; only the latest heartbeat and state of each rank are written, at
// growing intervals; whole epochs are left out, the same epochs for all ranks. Functions that write throw IoError if
// the disk refuses the data.
class TelemetryRecord {
  public:
    struct Options {
        int worldSize = 1;
        std::int64_t stepsBefore = 0;
        std::int64_t logEvery = 1;
    };
    TelemetryRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs, const Options& options);

    void add(const Event& event, std::string_view line);
    // Writes a line, with its newline, even if the budget is used up.
    void addVital(const std::string& line);
    // Starts a new file with the line firstLine after the run directory, and the old file with it, was deleted.
    void startNewFile(const std::filesystem::path& path, std::string_view firstLine);
    // Writes unfinished windows and pending states. Called at the end of a run.
    void finish();
    // Writes finished windows, and heartbeats and states that are due; adjusts the width of windows to the budget;
    // passes buffered lines to the file. nowUs: time since the start of the run, in microseconds.
    void flush(std::int64_t nowUs);
    std::int64_t bytes() const { return m_file.bytes(); }
    void flushFile() { m_file.flush(); }
    // Returns the first step that was recorded as part of a window; empty while each step has its own values.
    std::optional<std::int64_t> thinnedFrom() const { return m_thinnedFrom; }

  private:
    struct PendingReports {  // pending heartbeats and states of one rank
        std::string state, beat;
        std::int64_t writtenUs = 0;
    };
    void addSteps(const StepsFrame& frame, std::string_view line);
    // Limit of the bytes of requested gradients in a run.
    static constexpr std::size_t kMaxRequestedBytes = 16U << 20;

    bool isRequested(std::int64_t step) const;
    void addGradients(const GradientView& view, std::string_view line);
    void addReport(int rank, bool isState, std::string_view line);
    void writePendingReports(std::int64_t nowUs);
    void writeWindows();
    void write(RecordKind kind, std::string_view line);
    void writeWhole(RecordKind kind, const std::string& lines);
    void adjust();

    AppendFile m_file;
    RecordBudget& m_budget;
    EpochGate& m_epochs;
    StepGrain m_steps;
    int m_halvings = 0;
    std::int64_t m_lastStep = 0;
    std::optional<std::int64_t> m_thinnedFrom;
    std::vector<StepWindows> m_windows;  // windows of steps, by rank
    // By rank: true if the checksums of the rank's weights are not written for the latest epoch.
    std::vector<bool> m_skipsReplica;
    std::vector<PendingReports> m_reports;
    std::int64_t m_gradientsOf = -1;  // step of the latest recorded gradients
    // True if the gradient values of the step m_gradientsOf are written; false: only their norms.
    bool m_wholeGradients = true;
    std::int64_t m_wholeGradientsUs = 0;
    std::int64_t m_requestedFrom = 0;  // first step of the latest request for gradients; 0: no request
    std::size_t m_requestedBytes = 0;  // bytes written for gradients that a user has requested
};

}  // namespace ringside
