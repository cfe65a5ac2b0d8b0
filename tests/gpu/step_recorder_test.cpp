// SPDX-License-Identifier: Apache-2.0
#include "backend/step_recorder.h"

#include <array>
#include <string>
#include <vector>

#include "base/errors/errors.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// A device that logs: w = work ran directly, r = work was recorded, l = a recording was launched.
struct LoggingDevice {
    struct Launched final : RecordedWork {
        explicit Launched(LoggingDevice& whole) : device(whole) {}
        void launch() override { device.log += 'l'; }
        LoggingDevice& device;
    };

    std::string log;
    std::int64_t copies = 0;
    bool workCopies = false;
    bool refuses = false;
    std::vector<std::string> reported;
    StepRecorder recorder{{[this](const std::function<void()>&) -> std::unique_ptr<RecordedWork> {
                               if (refuses) throw DeviceError("cannot be recorded");
                               log += 'r';
                               return std::make_unique<Launched>(*this);
                           },
                           [this] { return copies; }},
                          [this](const std::string& why) { reported.push_back(why); }};

    void step(const WorkKey& key) {
        recorder.run(key, [this] {
            log += 'w';
            if (workCopies) ++copies;
        });
    }
};

constexpr int kInput = 0;
const WorkKey kWhole{&kInput, 32};
const WorkKey kLast{&kInput, 5};

}  // namespace

TEST_CASE("a step runs directly once, is recorded the second time and launched afterwards") {
    LoggingDevice device;
    for (int i = 0; i < 4; ++i) device.step(kWhole);
    CHECK(device.log == "wrlll");
}

TEST_CASE("accumulated micro-batches in two buffers with smaller last batches are each recorded once") {
    const std::array<int, 2> buffers{};
    LoggingDevice device;
    for (int epoch = 0; epoch < 5; ++epoch)
        for (const int& buffer : buffers)
            for (const std::int64_t rows : {32, 5})
                for (const int part : {0, 1, 2}) device.step({&buffer, rows, part});
    std::string expected(12, 'w');
    for (int key = 0; key < 12; ++key) expected += "rl";
    CHECK(device.log == expected + std::string(3 * 12, 'l'));
}

TEST_CASE("a smaller last batch gets its own recording, and the first one is kept") {
    LoggingDevice device;
    for (const WorkKey& key : {kWhole, kWhole, kLast, kWhole, kWhole, kLast, kWhole}) device.step(key);
    CHECK(device.log == "wrlwllrll");
}

TEST_CASE("two alternating batch buffers have separate recordings") {
    LoggingDevice device;
    const int elsewhere = 0;
    const WorkKey other{&elsewhere, 32};
    for (const WorkKey& key : {kWhole, other, kWhole, other, kWhole, other}) device.step(key);
    CHECK(device.log == "wwrlrlll");
}

TEST_CASE("a different input, batch size or part of the step is recorded separately") {
    LoggingDevice device;
    const int elsewhere = 0;
    for (const WorkKey& key :
         {kWhole, kWhole, WorkKey{&kInput, 31}, WorkKey{&elsewhere, 32}, WorkKey{&kInput, 32, 1}, kWhole})
        device.step(key);
    CHECK(device.log == "wrlwwwl");
}

TEST_CASE("recordings that were not used for a while are discarded, used ones are kept") {
    LoggingDevice device;
    device.step(kWhole);
    device.step(kWhole);
    for (std::int64_t rows = 1; rows <= static_cast<std::int64_t>(StepRecorder::kKept); ++rows) {
        device.step({&kInput, rows});
        device.step(kWhole);
    }
    device.log.clear();
    device.step({&kInput, 1});
    device.step(kWhole);
    CHECK(device.log == "wl");
}

TEST_CASE("work that copies to or from the host is never recorded, and this is logged once") {
    LoggingDevice device;
    device.workCopies = true;
    for (int i = 0; i < 3; ++i) device.step(kWhole);
    CHECK(device.log == "www");
    CHECK(device.reported == std::vector<std::string>{"a step copies between host and device"});
}

TEST_CASE("work that cannot be recorded runs directly, and the reason is logged once") {
    LoggingDevice device;
    device.refuses = true;
    for (int i = 0; i < 3; ++i) device.step(kWhole);
    CHECK(device.log == "www");
    CHECK(device.reported == std::vector<std::string>{"cannot be recorded"});
}
