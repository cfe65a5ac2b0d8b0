// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ringside {

// Work of a device that was recorded once and is replayed as a whole: a CUDA graph, as torch.cuda.CUDAGraph.
class RecordedWork {
  public:
    virtual ~RecordedWork() = default;
    virtual void launch() = 0;  // enqueues the recorded work on the backend's stream
};

// Inputs on which a recording depends. Work with another batch buffer, another batch size or another part of the step
// is recorded separately.
struct WorkKey {
    const void* input = nullptr;
    std::int64_t rows = 0;
    int part = 0;
    bool operator==(const WorkKey&) const = default;
};

// Functions by which a device records work.
struct RecordingDevice {
    // Records the operations that `work` enqueues, without running them. Throws if the device cannot record them.
    std::function<std::unique_ptr<RecordedWork>(const std::function<void()>& work)> record;
    // Returns the number of copies between host and device until now. Work that makes such copies cannot be recorded.
    std::function<std::int64_t()> hostCopies;
};

// Runs work that is the same in every step and replays it from a recording where possible. The first run with a key
// executes the work normally, so that it can allocate memory and choose algorithms; the second run records it; later
// runs launch the recording. Recordings of the kKept last used keys are kept. If the work copies from or to the host,
// or if the device cannot record it, all work is executed normally from then on, and the callback receives the
// reason once.
class StepRecorder {
  public:
    // Twelve keys are possible: two batch buffers, two batch sizes (last batches are smaller) and up to three parts of
    // a step (the first, the inner and the last accumulated micro-batch).
    static constexpr std::size_t kKept = 16;
    using Log = std::function<void(const std::string& why)>;

    explicit StepRecorder(RecordingDevice device, Log log = {}) : m_device(std::move(device)), m_log(std::move(log)) {}

    void run(const WorkKey& key, const std::function<void()>& work);

  private:
    // Key and recording of the work that was run with this key.
    struct Kept {
        WorkKey key;
        std::unique_ptr<RecordedWork> recorded;  // recorded work; null if the work has been executed only once, so that
                                                 // the next run records it
    };

    void runAsItIs(const WorkKey& key, const std::function<void()>& work);
    std::unique_ptr<RecordedWork> record(const std::function<void()>& work);
    void stopRecording(const std::string& why);

    RecordingDevice m_device;
    Log m_log;
    std::vector<Kept> m_kept;  // works that have been run, with their recordings, most recently used first
    bool m_possible = true;
};

}  // namespace ringside
