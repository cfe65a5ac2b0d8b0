// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace ringside {

// Work of a device that was recorded once and runs again as a whole (a CUDA graph).
class RecordedWork {
  public:
    virtual ~RecordedWork() = default;
    virtual void launch() = 0;  // enqueues it
};

// What a recording depends on: another batch, batch size or factor needs another recording.
struct WorkKey {
    const void* input = nullptr;
    std::int64_t rows = 0;
    float factor = 1;
    bool operator==(const WorkKey&) const = default;
};

// What a device offers for recording.
struct RecordingDevice {
    // Records what work enqueues without running it; throws DeviceError when that cannot be recorded.
    std::function<std::unique_ptr<RecordedWork>(const std::function<void()>& work)> record;
    // Copies between host and device so far: work with some in it cannot be recorded.
    std::function<std::int64_t()> hostCopies;
};

// Runs the same work step after step. With one key it runs as it is at first, so that memory and algorithms are there,
// is recorded the second time and launched as one from then on. Other keys (a smaller last batch) run as they are. Work
// that copies from or to the host, or that the device fails to record, always runs as it is.
class StepRecorder {
  public:
    explicit StepRecorder(RecordingDevice device) : m_device(std::move(device)) {}

    void run(const WorkKey& key, const std::function<void()>& work);
    bool hasRecording() const { return m_recorded != nullptr; }

  private:
    void runAsItIs(const WorkKey& key, const std::function<void()>& work);
    bool record(const WorkKey& key, const std::function<void()>& work);

    RecordingDevice m_device;
    std::unique_ptr<RecordedWork> m_recorded;
    WorkKey m_recordedKey;
    WorkKey m_ran;  // ran as it is and may be recorded next time
    bool m_possible = true;
};

}  // namespace ringside
