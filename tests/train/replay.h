// SPDX-License-Identifier: Apache-2.0
// Device that records steps without a GPU. While it records, operations and collectives are added to a tape, which a
// launch plays. As on a GPU, the tape contains the addresses of tensors and not their values, and nothing on it waits
// for the host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "train/threaded_nccl.h"

namespace ringside::test {

// Fake GPU that logs each record and poll of the events of result slots ("record 1", "poll 1"; events are numbered in
// the order of their creation) and each wait for all work ("drain"). Repeated lines are logged once.
class LoggedGpu final : public ThreadedGpu {
  public:
    LoggedGpu() : ThreadedGpu(false) {}
    DeviceEvent createEvent() override {
        const DeviceEvent made = FakeDevice::createEvent();
        if (logsNewEvents) m_numbers.emplace(made, m_numbers.size() + 1);
        return made;
    }
    void record(DeviceEvent event, DeviceStream stream) override {
        FakeDevice::record(event, stream);
        add("record", event);
    }
    bool finished(DeviceEvent event) override {
        add("poll", event);
        return FakeDevice::finished(event);
    }
    void drain() {
        add("drain");
        while (!isIdle()) pause();
    }
    bool logsNewEvents = false;
    std::vector<std::string> log;

  private:
    void add(const std::string& line) {
        if (log.empty() || log.back() != line) log.push_back(line);
    }
    void add(const std::string& line, DeviceEvent event) {
        if (m_numbers.contains(event)) add(line + " " + std::to_string(m_numbers[event]));
    }
    std::map<DeviceEvent, std::size_t> m_numbers;
};

struct Tape {
    bool recording = false;
    bool breaks = false;   // true: every recording fails at its end
    bool uploads = false;  // true: batches are copied to the device, at the latest moment that is allowed
    int recordings = 0;
    int launches = 0;
    std::vector<std::function<void()>> calls = {};
    // Fake GPU that runs operations asynchronously, on its compute stream, and records under CUDA's rules. Null:
    // operations run immediately.
    std::shared_ptr<LoggedGpu> gpu = nullptr;

    void add(std::function<void()> call) {
        if (!gpu) return recording ? calls.push_back(std::move(call)) : call();
        gpu->enqueue(
            gpu->computeStream(), [] { return true; }, std::move(call));
    }
    // Blocks until the operations have run.
    void drain() {
        if (gpu && !recording) gpu->drain();
    }
};

std::unique_ptr<Backend> makeReplayBackend(std::shared_ptr<Tape> tape);
// Returns a communicator that adds the collectives of `inner` to the tape. `inner` must outlive it.
std::unique_ptr<Communicator> makeReplayCommunicator(std::shared_ptr<Tape> tape, Communicator& inner);

}  // namespace ringside::test
