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

// metrics.jsonl: steps over the global batch and results of epochs, in order; the steps of a long run in windows.
class MetricsRecord {
  public:
    struct Options {
        bool paddedFirst = false;  // training.validate
        std::int64_t stepsBefore = 0;
        std::int64_t logEvery = 1;
    };
    MetricsRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs, const Options& options);

    void add(const GlobalStep& step);
    void add(const EpochResult& result);
    void add(const Controlled& told);
    void add(const LoggedScalar& scalar);  // of rank 0 only: other ranks log the same tags
    void writeEpochsUpTo(std::int64_t step);
    void startAgain(const std::filesystem::path& path) { m_file = AppendFile(path); }  // where the old file is gone
    void finish();                                                                     // what is still held back
    void flush();
    std::int64_t bytes() const { return m_file.bytes(); }
    // The first step that is recorded together with others; nothing while each is on its own.
    std::optional<std::int64_t> thinnedFrom() const { return m_thinnedFrom; }

  private:
    struct Open {
        StepGrain::Window window;
        GlobalStep last;
        std::int64_t steps = 0, samples = 0;
        double lossSum = 0, accuracySum = 0;  // weighted by samples
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
    std::deque<EpochResult> m_waitingEpochs;  // until the steps before them are written
};

}  // namespace ringside
