// SPDX-License-Identifier: Apache-2.0
#include "train/gpu_watch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace ringside {
namespace {

using Time = std::chrono::steady_clock;

constexpr int kIntervalsUntilOld = 5;

}  // namespace

struct GpuWatch::State {
    std::function<GpuReading()> read;
    std::chrono::milliseconds interval;
    std::mutex mutex;  // guards what follows
    std::condition_variable stopped;
    bool stopping = false;
    GpuReading latest;
    Time::time_point at;

    void work() {
        for (;;) {
            const GpuReading reading = read();
            std::unique_lock lock(mutex);
            latest = reading;
            at = Time::now();
            if (stopped.wait_for(lock, interval, [this] { return stopping; })) return;
        }
    }
};

GpuWatch::GpuWatch(std::function<GpuReading()> read, std::chrono::milliseconds interval)
    : m_state(std::make_shared<State>()) {
    m_state->read = std::move(read);
    m_state->interval = interval;
    std::thread([state = m_state] { state->work(); }).detach();
}

GpuWatch::~GpuWatch() {
    const std::lock_guard lock(m_state->mutex);
    m_state->stopping = true;
    m_state->stopped.notify_all();
}

GpuReading GpuWatch::latest() const {
    const std::lock_guard lock(m_state->mutex);
    const bool old = Time::now() - m_state->at > kIntervalsUntilOld * m_state->interval;
    return old ? GpuReading{} : m_state->latest;
}

}  // namespace ringside
