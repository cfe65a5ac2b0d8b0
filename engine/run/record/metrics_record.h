// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <optional>

#include "run/record/append_file.h"
#include "run/record/epoch_gate.h"
#include "run/record/record_budget.h"
#include "telemetry/data/run_data.h"
#include "telemetry/steps/step_grain.h"

namespace ringside {

// Writer of metrics.jsonl: steps of the global batch and results of epochs, in order. Steps of a long run are combined
// into windows of 2, 4, 8, ... logged steps. Functions that write throw IoError if the disk refuses the data.
class MetricsRecord {
  public:
    struct Options {
        // true: the main result of a validation also counts the samples repeated by the sampler (training.validate)
        bool paddedFirst = false;
        std::int64_t stepsBefore = 0;
        std::int64_t logEvery = 1;
    };
    MetricsRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs, const Options& options);

    void add(const GlobalStep& step);
    void add(const EpochResult& result);
    void add(const Controlled& command);
    // Writes a scalar that rank 0 logs. Ignores scalars of other ranks, because all ranks log the same tags.
    void add(const LoggedScalar& scalar);
    // Writes the pending results of epochs that end at this step or before.
    void writeEpochsUpTo(std::int64_t step);
    // Continues in a new file `path` after the run directory, and the old file with it, was deleted.
    void startNewFile(const std::filesystem::path& path) { m_file = AppendFile(path); }
    // Writes the current, incomplete window and all pending results of epochs.
    void finish();
    // Adjusts the number of steps per window to the budget, and writes the buffered lines to the file.
    void flush();
    std::int64_t bytes() const { return m_file.bytes(); }
    // Returns the first step that was recorded as part of a window; empty while each step has its own line.
    std::optional<std::int64_t> thinnedFrom() const { return m_thinnedFrom; }

  private:
    struct Open {
        StepGrain::Window window;
        GlobalStep last;
        std::int64_t steps = 0, samples = 0;
        double lossSum = 0, accuracySum = 0;  // sums over the steps of the window, each step weighted by its samples
        double plainLossSum = 0;
        double lossMinimum = 0, lossMaximum = 0, accuracyMinimum = 0, accuracyMaximum = 0;
    };
    void writeStep(const GlobalStep& step);
    void gather(const GlobalStep& step);
    void close();
    void write(const std::string& line);

    AppendFile m_file;
    RecordBudget& m_budget;
    EpochGate& m_epochs;
    const Options m_options;
    StepGrain m_grain;
    int m_halvings = 0;
    std::int64_t m_lastStep = 0;
    std::optional<std::int64_t> m_thinnedFrom;
    std::optional<Open> m_open;
    std::deque<EpochResult> m_waitingEpochs;  // epoch results to be written after the line that contains the epoch's
                                              // last step
};

}  // namespace ringside
