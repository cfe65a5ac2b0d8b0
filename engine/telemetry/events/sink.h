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

#include "base/processors/short_turns.h"
#include "telemetry/events/events.h"
#include "telemetry/steps/step_ring.h"

namespace ringside {

// Where a rank is, written by the training thread with plain stores and read by the heartbeat.
struct Progress {
    std::atomic<std::int64_t> step{0};
    std::atomic<std::int64_t> epoch{0};
    std::atomic<std::int64_t> batches{0};
    PhaseTrack phase;
};

struct SinkOptions {
    int fd = -1;  // stream to the supervisor (socket or pipe), not owned; -1: everything is dropped
    int rank = 0;
    std::int64_t epochUs = 0;  // CLOCK_MONOTONIC microseconds at the start of the run
    std::size_t ringCapacity = 1U << 16;
    std::chrono::milliseconds frameInterval{40};  // steps are sent at most this often
    std::chrono::milliseconds heartbeatInterval{1000};
    bool onlyWhereIdle = false;  // encode in time that no rank wants: where ranks outnumber the CPUs and often wait
};

// One rank's telemetry. The training thread hands over records and goes on at once, whatever the reader does: what
// does not fit is dropped and counted. A thread of the sink's own encodes and writes; another sends heartbeats, which
// come whatever becomes of the first, and does the first one's work where that gets no CPU.
class TelemetrySink {
  public:
    explicit TelemetrySink(const SinkOptions& options);
    ~TelemetrySink();  // flushes for at most a second
    TelemetrySink(const TelemetrySink&) = delete;
    TelemetrySink& operator=(const TelemetrySink&) = delete;

    // One thread only. Never waits, never allocates.
    void step(const StepRecord& record);
    // Any thread. Arrives after every step recorded before it.
    void send(Event event);
    void log(const std::string& level, const std::string& text);
    void state(const std::string& state, const std::string& device = {});  // a RankState of this rank
    void failed(int missingRank);  // the last RankState; the rank that did not take part, -1: another reason

    Progress& progress() { return m_progress; }
    // Number of the collective for heartbeats; pass {} before what it reads goes away.
    void watchCollective(std::function<std::int64_t()> collective);

    // The step under way, asked for by the thread of the heartbeats when the rank has been still for a second; pass {}
    // before what it reads goes away.
    void watchStep(std::function<std::optional<StepTrace>()> step);

    // This rank's GPU for heartbeats; must answer at once. Pass {} before what it reads goes away.
    void watchGpu(std::function<GpuReading()> gpu);

    // Writes everything handed over so far, in the calling thread; false when the deadline passes or the reader is
    // gone.
    bool flush(std::chrono::milliseconds deadline);

    std::int64_t droppedSteps() const { return m_droppedSteps.load(std::memory_order_relaxed); }
    std::int64_t droppedEvents() const { return m_droppedEvents.load(std::memory_order_relaxed); }
    std::int64_t nowUs() const;                                // run time
    std::int64_t startNs() const { return m_epochUs * 1000; }  // of the run, on CLOCK_MONOTONIC
    // Any thread: that start, known better since clocks were compared again.
    void setStart(std::int64_t epochUs) { m_epochUs = epochUs; }

  private:
    struct Queued {
        std::uint64_t stepsBefore;  // records pushed when it was sent
        Event event;
    };
    // How much had been handed over at some time.
    struct Mark {
        std::uint64_t events = 0;
        std::uint64_t steps = 0;
    };
    Mark handedOver();
    void work();
    void beat();
    bool isOverdue();
    // Everything up to the mark, piece by piece, so that nobody has to wait long for whoever is at it and has no CPU;
    // whenever one is done, `next` is called.
    void encodeUpTo(const Mark& mark, const std::function<void()>& next);
    bool encodePiece(const Mark& mark);  // false: there was none left
    std::string takeSteps(std::uint64_t until);
    std::string heartbeat();
    std::string stepUnderWay();
    bool standsStill();
    bool backlogged();
    bool write(const std::string& lines, std::chrono::milliseconds patience);

    const SinkOptions m_options;
    std::atomic<std::int64_t> m_epochUs;
    Progress m_progress;
    StepRing m_ring;
    std::atomic<std::int64_t> m_droppedSteps{0};
    std::atomic<std::int64_t> m_droppedEvents{0};

    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake;
    std::condition_variable m_stopped;
    std::deque<Queued> m_events;
    std::uint64_t m_sentEvents = 0;  // ever
    std::size_t m_queuedIndices = 0;
    std::function<std::int64_t()> m_collective;
    std::function<GpuReading()> m_gpu;
    std::function<std::optional<StepTrace>()> m_step;
    std::int64_t m_traceUs = 0;  // when the last trace hurried
    bool m_urgent = false;
    bool m_stopping = false;

    // Of the thread that sends heartbeats: where the rank was, and since when.
    struct Place {
        std::int64_t step = -1, batches = 0, collective = 0;
        Phase phase = Phase::kConnect;
        bool operator==(const Place&) const = default;
    };
    Place m_place;
    std::int64_t m_placeUs = 0;

    ShortTurns m_turns;                        // of the thread that encodes
    std::atomic<std::int64_t> m_encodedUs{0};  // when it was last done

    std::mutex m_encoding;              // guards what follows and who takes from the ring; taken before the others
    std::uint64_t m_encodedEvents = 0;  // ever

    std::mutex m_writing;  // guards what follows; never taken while holding m_mutex
    std::string m_out;     // encoded, not yet written

    std::atomic<bool> m_readerGone{false};
    std::thread m_thread;
    std::thread m_heart;
};

}  // namespace ringside
