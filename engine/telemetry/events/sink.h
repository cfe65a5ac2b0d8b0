// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/processors/work_slices.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/step_ring.h"

namespace ringside {

// Position of a rank in its training. The training thread writes, the heartbeat thread reads, both without locks.
struct Progress {
    std::atomic<std::int64_t> step{0};
    std::atomic<std::int64_t> epoch{0};
    std::atomic<std::int64_t> batches{0};
    PhaseTrack phase;
};

struct SinkOptions {
    // Descriptor of the stream to the supervisor (socket or pipe). The caller owns it; the sink makes it non-blocking.
    // -1: all events are dropped.
    int fd = -1;
    int rank = 0;
    std::int64_t runStartUs = 0;  // start of the run in microseconds of CLOCK_MONOTONIC
    std::size_t ringCapacity = 1U << 16;
    std::chrono::milliseconds frameInterval{40};  // shortest time between two frames of steps
    std::chrono::milliseconds heartbeatInterval{1000};
    bool onlyWhereIdle = false;  // true: the encoder thread runs only on idle CPUs; for runs with more ranks than CPUs
};

// Sends the telemetry of one rank to the supervisor.
//
// The training thread stores step records in a ring and events in a queue, and never waits for the reader of the
// stream. Records and events that do not fit are dropped and counted. Two threads of the sink do the rest: the encoder
// thread encodes and writes; the heartbeat thread sends heartbeats even if the encoder thread is blocked, and takes
// over encoding when the encoder thread is starved of CPU time.
//
// Thread safety: step() may be called by one thread only, all other functions by any thread.
class TelemetrySink {
  public:
    explicit TelemetrySink(const SinkOptions& options);
    ~TelemetrySink();  // flushes the pending events, for at most one second
    TelemetrySink(const TelemetrySink&) = delete;
    TelemetrySink& operator=(const TelemetrySink&) = delete;

    // Stores the record of one step. Called by one thread only. Never waits and never allocates; drops the record if
    // the ring is full.
    void step(const StepRecord& record);
    // Queues an event, which is sent after all steps that were recorded before this call. Drops the event if the queue
    // is full, unless the event is a RankState.
    void send(Event event);
    void log(LogLevel level, const std::string& text);
    void state(RankStage state, const std::string& device = {});  // sends a RankState of this rank
    // Sends the state "failed"; missingRank: the rank that did not take part in a collective, -1: another reason.
    void failed(int missingRank);

    // Returns the position that heartbeats report; the training thread updates it.
    Progress& progress() { return m_progress; }
    // Sets the function that returns the number of the current collective for heartbeats. Pass {} before the objects
    // that it uses are destroyed.
    void watchCollective(std::function<std::int64_t()> collective);

    // Sets the function that returns the unfinished trace of the current step. The heartbeat thread calls it when the
    // rank has not advanced for a second. Pass {} before the objects that it uses are destroyed.
    void watchStep(std::function<std::optional<StepTrace>()> step);

    // Sets the function that reads this rank's GPU for heartbeats; it must return at once. Pass {} before the objects
    // that it uses are destroyed.
    void watchGpu(std::function<GpuReading()> gpu);

    // Writes all records and events queued before this call, in the calling thread. Returns false if the deadline
    // passes or the stream is closed.
    bool flush(std::chrono::milliseconds deadline);

    std::int64_t droppedSteps() const { return m_droppedSteps.load(std::memory_order_relaxed); }
    std::int64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::int64_t nowUs() const;  // returns the time since the start of the run
    // Start of the run, in nanoseconds of CLOCK_MONOTONIC.
    std::int64_t startNs() const { return m_runStartUs * 1000; }
    // Corrects the start of the run after the clocks of the hosts were compared again. Callable from any thread.
    void setStart(std::int64_t runStartUs) { m_runStartUs = runStartUs; }

  private:
    struct Queued {
        std::uint64_t stepsBefore;  // number of records pushed into the ring before the event was queued
        Event event;
    };
    // Number of events queued and of step records pushed at one moment.
    struct Mark {
        std::uint64_t events = 0;
        std::uint64_t steps = 0;
    };
    Mark deliveredMark();
    void runEncoder();
    void runHeartbeatThread();
    bool isOverdue();
    // Encodes all records and events up to the mark in small pieces, so that no thread without CPU time holds
    // m_encoding for long. Calls `next` after each piece.
    void encodeUpTo(const Mark& mark, const std::function<void()>& next);
    bool encodePiece(const Mark& mark);  // encodes one piece of the events before the mark; returns false if nothing
                                         // was left to encode
    std::string takeSteps(std::uint64_t until);
    std::string heartbeat();
    std::string stepUnderWay();
    bool isStalled();
    bool backlogged();
    bool write(const std::string& lines, std::chrono::milliseconds patience);

    const SinkOptions m_options;
    std::atomic<std::int64_t> m_runStartUs;
    Progress m_progress;
    StepRing m_ring;
    std::atomic<std::int64_t> m_droppedSteps{0};
    std::atomic<std::int64_t> m_droppedEvents{0};

    std::mutex m_mutex;  // guards the members from m_events to m_stopping
    std::condition_variable m_wake;
    std::condition_variable m_stopped;
    std::deque<Queued> m_events;
    std::uint64_t m_sentEvents = 0;  // number of events that send() has queued since the start
    std::size_t m_queuedIndices = 0;
    std::function<std::int64_t()> m_collective;
    std::function<GpuReading()> m_gpu;
    std::function<std::optional<StepTrace>()> m_step;
    std::int64_t m_traceUs = 0;  // time of the last trace that was sent without waiting for a frame
    bool m_urgent = false;
    bool m_stopping = false;

    // Position of the rank at the last check of the heartbeat thread. Used by the heartbeat thread only.
    struct Position {
        std::int64_t step = -1, batches = 0, collective = 0;
        Phase phase = Phase::kConnect;
        bool operator==(const Position&) const = default;
    };
    Position m_position;
    std::int64_t m_positionUs = 0;
    std::int64_t m_reportedDrops = 0;  // number of dropped steps and events in the last heartbeat

    WorkSlices m_slices;  // splits the work of the encoder thread into short slices with a yield after each
    // Last time at which the encoder thread had encoded all records and events, in microseconds.
    std::atomic<std::int64_t> m_encodedUs{0};

    // Guards m_encodedEvents and the consumer side of m_ring; locked before m_mutex and m_writing.
    std::mutex m_encoding;
    std::uint64_t m_encodedEvents = 0;  // number of events that were encoded since the start

    std::mutex m_writing;  // guards m_out; never locked while the thread holds m_mutex
    std::string m_out;     // encoded bytes that are not yet written

    std::atomic<bool> m_readerGone{false};
    std::thread m_thread;
    std::thread m_heartbeatThread;
};

}  // namespace ringside
