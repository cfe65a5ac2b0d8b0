// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "telemetry/events/events.h"
#include "telemetry/events/sink.h"

namespace ringside {

// Receives the events of a Trainer. Called in the training thread. Calls must not block, except flush().
class TrainerObserver {
  public:
    virtual ~TrainerObserver() = default;
    virtual void onStep(const StepRecord& record) = 0;
    virtual void onEvent(Event event) = 0;
    virtual void onState(RankStage stage) = 0;
    virtual void onTrace(const StepTrace& trace) = 0;
    virtual std::int64_t nowUs() const = 0;  // returns the time since the start of the run, in microseconds
    // Returns the start of the run on CLOCK_MONOTONIC, in nanoseconds.
    virtual std::int64_t startNs() const { return 0; }
    virtual Progress& progress() = 0;
    virtual void flush() {}  // blocks until all events are sent, at most for one second
};

// Forwards all events to the rank's telemetry sink, which must outlive the observer.
class SinkObserver final : public TrainerObserver {
  public:
    explicit SinkObserver(TelemetrySink& sink) : m_sink(sink) {}
    void onStep(const StepRecord& record) override { m_sink.step(record); }
    void onEvent(Event event) override { m_sink.send(std::move(event)); }
    void onState(RankStage stage) override { m_sink.state(stage); }
    void onTrace(const StepTrace& trace) override { m_sink.send(trace); }
    std::int64_t nowUs() const override { return m_sink.nowUs(); }
    std::int64_t startNs() const override { return m_sink.startNs(); }
    Progress& progress() override { return m_sink.progress(); }
    void flush() override { m_sink.flush(std::chrono::seconds(1)); }

  private:
    TelemetrySink& m_sink;
};

}  // namespace ringside
