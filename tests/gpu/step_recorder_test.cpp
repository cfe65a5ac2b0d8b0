// SPDX-License-Identifier: Apache-2.0
#include "backend/step_recorder.h"

#include <string>

#include "base/errors.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// A device that writes down what happens: w = work ran as it is, r = it was recorded, l = a recording was launched.
struct Device {
    struct Launched final : RecordedWork {
        explicit Launched(Device& whole) : device(whole) {}
        void launch() override { device.log += 'l'; }
        Device& device;
    };

    std::string log;
    std::int64_t copies = 0;
    bool workCopies = false;
    bool refuses = false;
    StepRecorder recorder{{[this](const std::function<void()>&) -> std::unique_ptr<RecordedWork> {
                               if (refuses) throw DeviceError("cannot be recorded");
                               log += 'r';
                               return std::make_unique<Launched>(*this);
                           },
                           [this] { return copies; }}};

    void step(const WorkKey& key) {
        recorder.run(key, [this] {
            log += 'w';
            if (workCopies) ++copies;
        });
    }
};

constexpr int kInput = 0;
const WorkKey kWhole{&kInput, 32, 1};
const WorkKey kLast{&kInput, 5, 1};

}  // namespace

TEST_CASE("A step runs as it is once, is recorded the second time and launched from then on") {
    Device device;
    for (int i = 0; i < 4; ++i) device.step(kWhole);
    CHECK(device.log == "wrlll");
}

TEST_CASE("A smaller last batch runs as it is, and the recording lives on") {
    Device device;
    for (const WorkKey& key : {kWhole, kWhole, kLast, kWhole, kWhole, kLast, kWhole}) device.step(key);
    CHECK(device.log == "wrlwllwl");
}

TEST_CASE("Another factor or another input is other work, which is recorded anew when it stays") {
    Device device;
    const int elsewhere = 0;
    for (const WorkKey& key : {kWhole, kWhole, WorkKey{&kInput, 32, 2}, WorkKey{&elsewhere, 32, 1}}) device.step(key);
    CHECK(device.log == "wrlww");
    for (int i = 0; i < 2; ++i) device.step({&elsewhere, 32, 1});
    CHECK(device.log == "wrlwwrll");
}

TEST_CASE("Work that copies to or from the host is never recorded") {
    Device device;
    device.workCopies = true;
    for (int i = 0; i < 3; ++i) device.step(kWhole);
    CHECK(device.log == "www");
}

TEST_CASE("Work that the device fails to record goes on as it is") {
    Device device;
    device.refuses = true;
    for (int i = 0; i < 3; ++i) device.step(kWhole);
    CHECK(device.log == "www");
    CHECK_FALSE(device.recorder.hasRecording());
}
