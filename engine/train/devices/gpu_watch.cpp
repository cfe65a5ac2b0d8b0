// SPDX-License-Identifier: Apache-2.0
#include "train/devices/gpu_watch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/processors/processors.h"

namespace ringside {
namespace {

using Time = std::chrono::steady_clock;

constexpr int kIntervalsUntilOld = 5;

}  // namespace

struct GpuWatch::State {
    std::function<GpuReading()> read;
    std::chrono::milliseconds interval;
    std::mutex mutex;  // guards the members below
    std::condition_variable changed;
    bool stopping = false;
    bool ended = false;
    GpuReading latest;
    Time::time_point at;

    void work() {
        for (;;) {
            const GpuReading reading = read();
            std::unique_lock lock(mutex);
            latest = reading;
            at = Time::now();
            if (changed.wait_for(lock, interval, [this] { return stopping; })) break;
        }
    }
    void end() {
        const std::lock_guard lock(mutex);
        ended = true;
        changed.notify_all();
    }
};

GpuWatch::GpuWatch(std::function<GpuReading()> read, std::chrono::milliseconds interval)
    : m_state(std::make_shared<State>()) {
    m_state->read = std::move(read);
    m_state->interval = interval;
    std::thread([state = m_state] {
        nameThread("gpu watch");
        state->work();
        state->end();
    }).detach();
}

GpuWatch::~GpuWatch() {
    std::unique_lock lock(m_state->mutex);
    m_state->stopping = true;
    m_state->changed.notify_all();
    m_state->changed.wait_for(lock, m_state->interval, [this] { return m_state->ended; });
}

GpuReading GpuWatch::latest() const {
    const std::lock_guard lock(m_state->mutex);
    const bool old = Time::now() - m_state->at > kIntervalsUntilOld * m_state->interval;
    return old ? GpuReading{} : m_state->latest;
}

}  // namespace ringside
