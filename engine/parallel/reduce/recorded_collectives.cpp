// SPDX-License-Identifier: Apache-2.0
#include "parallel/reduce/recorded_collectives.h"

namespace ringside {
namespace {

// CUDA graph that reports each launch and its number of collectives to the communicator.
class WorkWithCollectives final : public RecordedWork {
  public:
    WorkWithCollectives(std::unique_ptr<RecordedWork> work, Communicator& communicator, std::int64_t collectives)
        : m_work(std::move(work)), m_communicator(communicator), m_collectives(collectives) {}

    void launch() override {
        m_work->launch();
        m_communicator.launched(m_collectives);
    }

  private:
    std::unique_ptr<RecordedWork> m_work;
    Communicator& m_communicator;
    std::int64_t m_collectives;
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

}  // namespace ringside
