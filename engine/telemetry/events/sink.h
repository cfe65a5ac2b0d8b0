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

// Position of a rank in its training. Written by the training thread and read by the heartbeat thread, without locks.
struct Progress {
    std::atomic<std::int64_t> step{0};
    std::atomic<std::int64_t> epoch{0};
    std::atomic<std::int64_t> batches{0};
    PhaseTrack phase;
};

struct SinkOptions {
    // File descriptor of the socket or pipe to the supervisor, owned by the caller, who closes it after the sink was
    // destroyed. The sink makes it non-blocking. -1: all events are dropped.
    int fd = -1;
    int rank = 0;
    std::int64_t runStartUs = 0;  // start of the run on CLOCK_MONOTONIC, in microseconds
    std::size_t ringCapacity = 1U << 16;
    std::chrono::milliseconds frameInterval{40};  // minimum time between two writes of steps to the stream
    std::chrono::milliseconds heartbeatInterval{1000};
    // true: the encoder thread runs only while a CPU is idle; set if a host has more ranks than CPUs
    bool onlyWhereIdle = false;
};

// Sends the telemetry of one rank to the supervisor.
//
// The training thread stores step records in a ring buffer and events in a queue. It never waits for the supervisor:
// records and events that do not fit are dropped and counted. The sink has two threads. The encoder thread encodes
// records and events and writes them to the stream. The heartbeat thread sends heartbeats even if the encoder thread is
// blocked, and takes over encoding when the encoder thread gets no CPU time (with SinkOptions::onlyWhereIdle).
//
// No function throws an error of the stream. After the supervisor has closed the stream, all records and events are
// dropped, and the rank continues. The stream is a sequence of lines, in the format of telemetry/events/codec.h.
//
// Thread safety: step() may be called by one thread only, all other functions by any thread.
class TelemetrySink {
  public:
    explicit TelemetrySink(const SinkOptions& options);
    // Sends the pending records and events, waiting about one second at most, and joins both threads.
    ~TelemetrySink();
    TelemetrySink(const TelemetrySink&) = delete;
    TelemetrySink& operator=(const TelemetrySink&) = delete;

    // Stores the record of one step. Must always be called by the same thread. Never waits and never allocates memory;
    // drops the record if the ring buffer is full.
    void step(const StepRecord& record);
    // Queues an event and returns without waiting for the supervisor. It is sent after all steps that were recorded
    // before this call. If the queue is full, drops the event, unless it is a RankState.
    void send(Event event);
    void log(LogLevel level, const std::string& text);
    void state(RankStage state, const std::string& device = {});  // sends a RankState of this rank
    // Sends the state "failed". missingRank: rank that did not enter a collective and thereby made this rank fail; -1:
    // the reason is different.
    void failed(int missingRank);

    // Returns the position of the rank that heartbeats report. The training thread updates it.
    Progress& progress() { return m_progress; }
    // The following functions set a callback of the heartbeat thread. Pass {} before the objects that the callback uses
    // are destroyed: when the call returns, the previous callback does not run any more. Callbacks run under the lock
    // of the event queue; they must not call the sink and must not block.
    //
    // Sets the function that returns the number of the current collective, which heartbeats report.
    void watchCollective(std::function<std::int64_t()> collective);
    // Sets the function that returns the trace of the current, unfinished step. It is called when the rank has made no
    // progress for a second.
    void watchStep(std::function<std::optional<StepTrace>()> step);
    // Sets the function that reads the state of this rank's GPU for heartbeats.
    void watchGpu(std::function<GpuReading()> gpu);

    // Writes all records and events that were queued before this call, in the calling thread. Blocks for `deadline` at
    // most. Returns false if the time has passed before everything was written, or if the stream is closed.
    bool flush(std::chrono::milliseconds deadline);

    // Return the numbers of records and events that were dropped because the memory for them was full.
    std::int64_t droppedSteps() const { return m_droppedSteps.load(std::memory_order_relaxed); }
    std::int64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::int64_t nowUs() const;  // returns the time since the start of the run, in microseconds
    // Returns the start of the run on CLOCK_MONOTONIC, in nanoseconds.
    std::int64_t startNs() const { return m_runStartUs * 1000; }
    // Corrects the start of the run after another comparison of the hosts' clocks. Callable from any thread.
    void setStart(std::int64_t runStartUs) { m_runStartUs = runStartUs; }

  private:
    struct Queued {
        // number of step records that had been pushed into the ring buffer when the event was queued
        std::uint64_t stepsBefore;
        Event event;
    };
    // Numbers of events and of step records that had been queued at one moment.
    struct Mark {
        std::uint64_t events = 0;
        std::uint64_t steps = 0;
    };
    Mark deliveredMark();
    void runEncoder();
    void runHeartbeatThread();
    bool isOverdue();
    // Encodes all records and events up to the mark in small pieces, and releases m_encoding after each piece: a thread
    // that gets no CPU time would otherwise block the other threads. Calls `next` after each piece.
    void encodeUpTo(const Mark& mark, const std::function<void()>& next);
    // encodes one piece of the records and events before the mark; returns false if all of them were already encoded
    bool encodePiece(const Mark& mark);
    std::string takeSteps(std::uint64_t until);
    std::string heartbeat();
    std::string encodeUnfinishedTrace();
    bool isStalled();
    bool isBacklogged();
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
    std::uint64_t m_sentEvents = 0;  // number of events queued by send() since the start
    std::size_t m_queuedIndices = 0;
    std::function<std::int64_t()> m_collective;
    std::function<GpuReading()> m_gpu;
    std::function<std::optional<StepTrace>()> m_step;
    // time of the last trace that was sent immediately, in microseconds since the start of the run
    std::int64_t m_traceUs = 0;
    bool m_urgent = false;
    bool m_stopping = false;

    // Position of the rank at the previous check by the heartbeat thread. Used by this thread only.
    struct Position {
        std::int64_t step = -1, batches = 0, collective = 0;
        Phase phase = Phase::kConnect;
        bool operator==(const Position&) const = default;
    };
    Position m_position;
    std::int64_t m_positionUs = 0;
    std::int64_t m_reportedDrops = 0;  // total number of dropped steps and events that the last heartbeat reported

    // divides the work of the encoder thread into short slices, and yields the CPU after each slice
    WorkSlices m_slices;
    // Last time at which no record or event was left to encode, in microseconds.
    std::atomic<std::int64_t> m_encodedUs{0};

    // Guards m_encodedEvents and the consumer side of m_ring; locked before m_mutex and m_writing.
    std::mutex m_encoding;
    std::uint64_t m_encodedEvents = 0;  // number of events encoded since the start

    std::mutex m_writing;  // guards m_out; never locked while the thread holds m_mutex
    std::string m_out;     // encoded bytes that have not been written to the stream yet

    std::atomic<bool> m_readerGone{false};
    std::thread m_thread;
    std::thread m_heartbeatThread;
};

}  // namespace ringside
