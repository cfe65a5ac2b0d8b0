// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/recorded_collectives.h"

namespace ringside {
namespace {

// CUDA graph that also reports each launch, with the collectives in the graph, to the communicator.
class WorkWithCollectives final : public RecordedWork {
  public:
    WorkWithCollectives(std::unique_ptr<RecordedWork> work, Communicator& communicator, CallsPerGraphLaunch calls)
        : m_work(std::move(work)), m_communicator(communicator), m_calls(std::move(calls)) {}

    void launch() override {
        m_work->launch();
        m_communicator.countGraphLaunch(m_calls);
    }

  private:
    std::unique_ptr<RecordedWork> m_work;
    Communicator& m_communicator;
    CallsPerGraphLaunch m_calls;
};

std::unique_ptr<RecordedWork> recordWith(Communicator& communicator, const RecordingDevice& device,
                                         const std::function<void()>& work) {
    communicator.beginRecording();
    std::unique_ptr<RecordedWork> recorded;
    try {
        recorded = device.record(work);
    } catch (...) {
        communicator.endRecording();
        throw;
    }
    return std::make_unique<WorkWithCollectives>(std::move(recorded), communicator, communicator.endRecording());
}

}  // namespace

RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator) {
    RecordingDevice both;
    both.hostCopies = device.hostCopies;
    both.record = [device = std::move(device), &communicator](const std::function<void()>& work) {
        return recordWith(communicator, device, work);
    };
    return both;
}

std::unique_ptr<StepRecorder> makeStepRecorder(Backend& backend, Communicator& communicator,
                                               const std::function<void(const std::string&)>& log) {
    std::optional<RecordingDevice> device = backend.recordingDevice();
    const bool alone = communicator.size() == 1;
    if (!device || !(alone || communicator.canBeRecordedInGraph())) return nullptr;
    if (!alone) device = withCollectives(std::move(*device), communicator);
    return std::make_unique<StepRecorder>(std::move(*device), [log](const std::string& why) {
        if (log) log("steps run kernel by kernel because they cannot be recorded as a CUDA graph: " + why);
    });
}

}  // namespace ringside
