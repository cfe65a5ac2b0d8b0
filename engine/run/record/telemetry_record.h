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

// telemetry.jsonl: what the ranks and the supervisor say, line by line as it came, and within a budget. Steps of a long
// run are put together in windows; of signs of life the latest of every rank is written, the less often the less room
// there is; epochs are left out whole, on all ranks the same.
class TelemetryRecord {
  public:
    struct Options {
        int worldSize = 1;
        std::int64_t stepsBefore = 0;
        std::int64_t logEvery = 1;
    };
    TelemetryRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs, const Options& options);

    void add(const Event& event, std::string_view line);
    void addVital(const std::string& line);  // whatever the budget says; with its newline
    // In a new file, where the old one is gone.
    void startAgain(const std::filesystem::path& path, std::string_view firstLine);
    void finish();  // ends the open windows
    void flush(std::int64_t nowUs);
    std::int64_t bytes() const { return m_file.bytes(); }
    void flushFile() { m_file.flush(); }
    std::optional<std::int64_t> thinnedFrom() const { return m_thinnedFrom; }

  private:
    struct Signs {  // of one rank, held back
        std::string state, beat;
        std::int64_t writtenUs = 0;
    };
    void addSteps(const StepsFrame& frame, std::string_view line);
    void addGradients(const GradientView& view, std::string_view line);
    void addSign(int rank, bool isState, std::string_view line);
    void writeSigns(std::int64_t nowUs);
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
    std::vector<StepWindows> m_windows;  // by rank
    std::vector<bool> m_skipsReplica;    // by rank: its latest epoch is left out
    std::vector<Signs> m_signs;
    std::int64_t m_gradientsOf = -1;  // step
    bool m_wholeGradients = true;     // of that step
    std::int64_t m_wholeGradientsUs = 0;
};

}  // namespace ringside
