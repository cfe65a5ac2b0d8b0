// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "telemetry/events/events.h"
#include "telemetry/events/sink.h"

namespace ringside {

// Hears from the Trainer what happens; called in the training thread, must return at once.
class TrainerObserver {
  public:
    virtual ~TrainerObserver() = default;
    virtual void onStep(const StepRecord& record) = 0;
    virtual void onEvent(Event event) = 0;
    virtual void onState(const std::string& state) = 0;  // of RankState: training, validating, saving, ...
    virtual void onTrace(const StepTrace& trace) = 0;
    virtual std::int64_t nowUs() const = 0;             // since the run started
    virtual std::int64_t startNs() const { return 0; }  // of the run, on CLOCK_MONOTONIC
    virtual Progress& progress() = 0;
    virtual void flush() {}  // waits, for a second at most, until all of it is on its way
};

// Passes everything on to this rank's telemetry.
class SinkObserver final : public TrainerObserver {
  public:
    explicit SinkObserver(TelemetrySink& sink) : m_sink(sink) {}
    void onStep(const StepRecord& record) override { m_sink.step(record); }
    void onEvent(Event event) override { m_sink.send(std::move(event)); }
    void onState(const std::string& state) override { m_sink.state(state); }
    void onTrace(const StepTrace& trace) override { m_sink.send(trace); }
    std::int64_t nowUs() const override { return m_sink.nowUs(); }
    std::int64_t startNs() const override { return m_sink.startNs(); }
    Progress& progress() override { return m_sink.progress(); }
    void flush() override { m_sink.flush(std::chrono::seconds(1)); }

  private:
    TelemetrySink& m_sink;
};

}  // namespace ringside
