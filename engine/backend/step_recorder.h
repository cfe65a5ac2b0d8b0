// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ringside {

// Work of a device that was recorded once and runs again as a whole (a CUDA graph).
class RecordedWork {
  public:
    virtual ~RecordedWork() = default;
    virtual void launch() = 0;  // enqueues it
};

// What a recording depends on: another batch buffer, batch size or part of the step needs another recording.
struct WorkKey {
    const void* input = nullptr;
    std::int64_t rows = 0;
    int part = 0;
    bool operator==(const WorkKey&) const = default;
};

// What a device offers for recording.
struct RecordingDevice {
    // Records what work enqueues without running it; throws when that cannot be recorded.
    std::function<std::unique_ptr<RecordedWork>(const std::function<void()>& work)> record;
    // Copies between host and device so far: work with some in it cannot be recorded.
    std::function<std::int64_t()> hostCopies;
};

// Runs the same work step after step. With one key it runs as it is at first, so that memory and algorithms are there,
// is recorded the second time and launched as one from then on; the kKept keys used last are remembered. Work that
// copies from or to the host, or that the device fails to record, always runs as it is, and `tell` learns why, once.
class StepRecorder {
  public:
    static constexpr std::size_t kKept = 8;  // two batch buffers, whole and smaller last batches, parts of a step
    using Tell = std::function<void(const std::string& why)>;

    explicit StepRecorder(RecordingDevice device, Tell tell = {})
        : m_device(std::move(device)), m_tell(std::move(tell)) {}

    void run(const WorkKey& key, const std::function<void()>& work);

  private:
    struct Kept {
        WorkKey key;
        std::unique_ptr<RecordedWork> recorded;  // null: it ran as it is and may be recorded next time
    };

    void runAsItIs(const WorkKey& key, const std::function<void()>& work);
    std::unique_ptr<RecordedWork> record(const std::function<void()>& work);
    void giveUp(const std::string& why);

    RecordingDevice m_device;
    Tell m_tell;
    std::vector<Kept> m_kept;  // the one used last in front
    bool m_possible = true;
};

}  // namespace ringside
