// SPDX-License-Identifier: Apache-2.0
// Tests of collectives that are part of a recorded step (a CUDA graph), with the fake NCCL: their order, their timeout
// and their failures.
#include "backend/step_recorder.h"
#include "base/errors/errors.h"
#include "comm/fake_nccl.h"
#include "parallel/reduce/recorded_collectives.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

// Rank 0 of 4 with two buckets of gradients. Its steps reduce the buckets as GradientReducer does.
struct Rank {
    struct Launched final : RecordedWork {
        Launched(FakeDevice::Graph recorded, std::function<void()> whenGone)
            : graph(std::move(recorded)), gone(std::move(whenGone)) {}
        ~Launched() override { gone(); }
        void launch() override { FakeDevice::launch(graph); }
        FakeDevice::Graph graph;
        std::function<void()> gone;
    };

    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>(clock);
    std::shared_ptr<FakeNccl> nccl = std::make_shared<FakeNccl>(device);
    FakeStore store;
    std::unique_ptr<NcclCommunicator> communicator;
    std::span<float> first;
    std::span<float> last;
    std::vector<std::string> reported;
    std::unique_ptr<StepRecorder> recorder;

    Rank() {
        NcclOptions options;
        options.deadlines = {300ms, 2s, 60s};
        options.computeStream = device->computeStream();
        options.hostWaits = false;
        communicator = std::make_unique<NcclCommunicator>(NcclDependencies{nccl, device, clock}, store, 0, 4, options);
        first = communicator->allocate(2);
        last = communicator->allocate(1);
        RecordingDevice recording;
        recording.hostCopies = [] { return 0; };
        recording.record = [this](const std::function<void()>& work) {
            return std::make_unique<Launched>(device->recorded(work), [this] { nccl->releaseAbort(); });
        };
        recorder = std::make_unique<StepRecorder>(withCollectives(std::move(recording), *communicator),
                                                  [this](const std::string& why) { reported.push_back(why); });
    }

    void compute(const std::function<void()>& work) {
        device->enqueue(
            device->computeStream(), [] { return true; }, work);
    }
    // Enqueues one step: the backward pass sets the gradients to 1, they are summed over 4 ranks, and the update
    // doubles them.
    void enqueueStep() {
        compute([this] { std::fill(first.begin(), first.end(), 1.0F); });
        const auto handle = communicator->allReduceAsync(CommBuffer::of(first), ReduceOp::kSum);
        compute([this] { last[0] = 1; });
        communicator->allReduce(CommBuffer::of(last), ReduceOp::kSum);
        handle.wait();
        compute([this] {
            first[0] *= 2;
            last[0] *= 2;
        });
    }
    void step() {
        recorder->run({this, 32}, [this] { enqueueStep(); });
    }
    // Runs `count` steps, each of which is complete before the next one starts, and checks the gradients: 4 x 2 = 8.
    void steps(int count) {
        for (int i = 0; i < count; ++i) {
            step();
            synchronize();
            CHECK(first[0] == 8);
            CHECK(last[0] == 8);
        }
    }
    // Waits until all enqueued work is done, as a backend waits on the host.
    void synchronize() {
        DeviceEvent all = device->createEvent();
        device->record(all, device->computeStream());
        while (!device->finished(all)) {
            communicator->poll();
            device->pause();
        }
    }
};

template <class Action>
std::string commErrorOf(Action action) {
    try {
        action();
    } catch (const CommError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("recorded collectives run between earlier and later work in every launch") {
    Rank rank;
    rank.steps(5);
    CHECK(rank.reported.empty());
    // The first step makes two calls directly and the second makes two while it is recorded. Launches of the recording
    // make none.
    CHECK(std::count(rank.nccl->calls.begin(), rank.nccl->calls.end(), "allReduce") == 4);
}

TEST_CASE("recorded collectives are counted when they run, not when they are recorded") {
    Rank rank;
    rank.step();
    CHECK(rank.communicator->collectiveNumber() == 2);
    rank.synchronize();
    rank.step();
    CHECK(rank.communicator->collectiveNumber() == 4);
    rank.synchronize();
    rank.step();
    CHECK(rank.communicator->collectiveNumber() == 6);
}

TEST_CASE("a group for messages exchanges a value with each peer before its first message") {
    Rank rank0;
    NcclOptions options;
    options.computeStream = rank0.device->computeStream();
    const auto rank1 = std::make_unique<NcclCommunicator>(NcclDependencies{rank0.nccl, rank0.device, rank0.clock},
                                                          rank0.store, 1, 4, options);
    rank0.nccl->calls.clear();
    const auto collectives = rank1->split(0, 0, GroupUse::kCollectives);
    CHECK(std::ranges::count(rank0.nccl->calls, "send to 0") == 0);
    rank0.nccl->calls.clear();
    const auto messages = rank1->split(0, 0, GroupUse::kMessages);
    const std::vector<std::string> exchange{"groupStart",  "send to 0", "recv from 0", "send to 2",
                                            "recv from 2", "send to 3", "recv from 3", "groupEnd"};
    const auto& calls = rank0.nccl->calls;
    REQUIRE(calls.size() >= exchange.size());
    CHECK(std::vector<std::string>(calls.end() - 8, calls.end()) == exchange);
    CHECK(messages->bytesSent() == 0);
    CHECK(messages->collectiveNumber() == 0);
}

// A ring all-reduce of 2 floats among 4 ranks sends 2 x 8 x 3/4 = 12 bytes, a message of one float 4. The two steps
// that run directly or are recorded count once each, and so does each launch.
TEST_CASE("calls of sub-groups are recorded with their parent and counted in each launch") {
    Rank rank;
    const auto joining =
        std::make_unique<NcclCommunicator>(NcclDependencies{rank.nccl, rank.device, rank.clock}, rank.store, 1, 4,
                                           NcclOptions{});  // the fake NCCL needs two ranks
    const auto reducing = rank.communicator->split(0, 0, GroupUse::kCollectives);
    const auto sending = rank.communicator->split(1, 0, GroupUse::kMessages);
    const std::int64_t before = rank.communicator->collectiveNumber();
    StepRecorder recorder(withCollectives({[&](const std::function<void()>& work) {
                                               return std::make_unique<Rank::Launched>(rank.device->recorded(work),
                                                                                       [] {});
                                           },
                                           [] { return 0; }},
                                          *rank.communicator));
    for (int step = 1; step <= 4; ++step) {
        recorder.run({&rank, 32}, [&] {
            rank.compute([&rank] { std::fill(rank.first.begin(), rank.first.end(), 1.0F); });
            reducing->allReduceAsync(CommBuffer::of(rank.first), ReduceOp::kSum).wait();
            sending->sendAsync(CommBuffer::of(rank.first.first(1)), 2).wait();
            rank.compute([&rank] { rank.first[0] *= 2; });
        });
        rank.synchronize();
        CHECK(rank.first[0] == 8);
        CHECK(reducing->collectiveNumber() == step);
        CHECK(reducing->bytesSent() == 12 * step);
        CHECK(sending->bytesSent() == 4 * step);
    }
    CHECK(rank.communicator->collectiveNumber() == before);
    // Three sends: when connecting, in the direct step, and in the recorded step.
    CHECK(std::ranges::count(rank.nccl->calls, "send to 2") == 3);
}

TEST_CASE("a recorded step whose collectives hang ends at the deadline, with the number of its last one") {
    Rank rank;
    rank.steps(3);
    rank.nccl->stalled = true;
    rank.step();
    const std::string error = commErrorOf([&] { rank.synchronize(); });
    CHECK_THAT(error,
               containing("collective 8 (the last collective of a launched CUDA graph) did not finish within 300 ms"));
}

TEST_CASE("a failure is reported before NCCL's abort finishes, which waits for the recorded steps to be released") {
    Rank rank;
    rank.steps(3);
    rank.nccl->stalled = true;
    rank.nccl->abortHangs = true;  // until the recorded steps are released
    rank.step();
    CHECK_THAT(commErrorOf([&] { rank.synchronize(); }), containing("did not finish within 300 ms"));
    CHECK(rank.nccl->aborts == 0);
    rank.recorder.reset();
    rank.communicator.reset();
    CHECK(rank.nccl->aborts == 1);
}

TEST_CASE("a peer that fails during a recorded step is detected before the deadline") {
    Rank rank;
    rank.steps(3);
    rank.nccl->stalled = true;
    rank.step();
    rank.nccl->asyncError = NcclResult::kRemoteError;
    CHECK_THAT(commErrorOf([&] { rank.synchronize(); }), containing("remote error (6)"));
    CHECK(rank.clock->time.time_since_epoch() < 300ms);
}

TEST_CASE("if NCCL cannot be recorded, steps run without recording and one log line gives the reason") {
    Rank rank;
    rank.steps(1);
    rank.nccl->refusesRecording = true;
    rank.steps(3);
    REQUIRE(rank.reported.size() == 1);
    CHECK_THAT(rank.reported.front(), containing("NCCL cannot record collective 3 (all-reduce of 2 floats)"));
    CHECK(rank.nccl->aborts == 0);
    CHECK(rank.communicator->collectiveNumber() == 8);
}

TEST_CASE("if recording breaks NCCL, the ranks reconnect, steps continue and one log line gives the reason") {
    Rank rank;
    rank.step();
    rank.nccl->refusesRecording = true;
    rank.nccl->breaksByRefusing = true;
    rank.steps(3);
    REQUIRE(rank.reported.size() == 1);
    CHECK_THAT(rank.reported.front(), containing("NCCL cannot record collective 3 (all-reduce of 2 floats)"));
    CHECK(rank.nccl->aborts == 1);
    CHECK(std::count(rank.nccl->calls.begin(), rank.nccl->calls.end(), "commInitRank") == 2);
    CHECK(rank.store.values.size() == 2);  // each connection has a different unique id
    CHECK(rank.communicator->collectiveNumber() == 8);
}

TEST_CASE("before NCCL reconnects, the current step is waited for until its deadline") {
    Rank rank;
    rank.nccl->stalled = true;
    rank.step();
    rank.nccl->refusesRecording = true;
    rank.nccl->breaksByRefusing = true;
    CHECK_THAT(commErrorOf([&] { rank.step(); }),
               containing("collective 1 (all-reduce of 2 floats) did not finish within "
                          "300 ms"));
    CHECK(rank.clock->time.time_since_epoch() >= 300ms);
}

TEST_CASE("if recording breaks NCCL and it cannot reconnect, the step without recording reports it") {
    Rank rank;
    rank.steps(1);
    rank.nccl->refusesRecording = true;
    rank.nccl->breaksByRefusing = true;
    rank.nccl->answers["commInitRank"] = NcclResult::kInternalError;
    CHECK_THAT(commErrorOf([&] { rank.step(); }),
               containing("rank 0: NCCL: connecting 4 ranks failed") && containing("internal error") &&
                   containing("set the environment variable RINGSIDE_CUDA_GRAPHS=off and start the run again"));
}

TEST_CASE("events of a recording are reused after it") {
    Rank rank;
    rank.steps(2);
    const std::size_t events = rank.device->eventsMade();
    rank.enqueueStep();
    rank.synchronize();
    CHECK(rank.first[0] == 8);
    CHECK(rank.device->eventsMade() == events + 1);  // synchronize() creates one event
}
