// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_communicator.h"

#include <algorithm>
#include <cstring>

#include "base/errors/errors.h"
#include "comm/fake_nccl.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

struct World {
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>(clock);
    std::shared_ptr<FakeNccl> nccl = std::make_shared<FakeNccl>(device);
    FakeStore store;
    NcclOptions options;

    World() {
        options.deadlines = {300ms, 2s, 60s};
        options.computeStream = device->computeStream();
    }
    std::unique_ptr<NcclCommunicator> connect(int rank = 0, int size = 4) {
        return std::make_unique<NcclCommunicator>(NcclDependencies{nccl, device, clock}, store, rank, size, options);
    }
    std::span<float> onDevice(NcclCommunicator& communicator, std::vector<float> values) {
        auto memory = communicator.allocate(values.size());
        std::copy(values.begin(), values.end(), memory.begin());
        return memory;
    }
};

template <class Action>
std::string errorOf(Action action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("rank 0 publishes the unique id and the NCCL version, and the other ranks join with them") {
    World world;
    auto rank0 = world.connect(0);
    const auto value = world.store.values.at("nccl-unique-id");
    REQUIRE(value.size() == 4 + 128);
    int version = 0;
    std::memcpy(&version, value.data(), 4);
    CHECK(version == 22809);
    CHECK(value[4] == 'u');

    auto rank1 = world.connect(1);
    CHECK(world.nccl->joinedWith.bytes[127] == 'u');
    CHECK(rank1->rank() == 1);
    CHECK(rank1->size() == 4);
    CHECK(rank1->name() == "nccl");
}

TEST_CASE("NCCL splits off a group whose size follows from all ranks' requests") {
    World world;
    const auto rank0 = world.connect(0);
    const auto rank1 = world.connect(1);
    world.nccl->inProgressFor = 20;
    // The fake NCCL behaves as if every rank requested the same split as this one.
    const auto group = rank1->split(3, 0, GroupUse::kCollectives);
    REQUIRE(group);
    CHECK(std::ranges::count(world.nccl->calls, "commSplit 3") == 1);
    CHECK(group->size() == 4);
    CHECK(group->rank() == 1);
    CHECK(group->canBeRecordedInGraph());
    const auto values = world.onDevice(*rank1, {1, 2});
    const CommHandle handle =
        group->allGatherAsync(CommBuffer::of(values.first(1)), CommBuffer::of(world.onDevice(*rank1, {0, 0, 0, 0})));
    handle.wait();
    CHECK(group->bytesSent() == 4 * 3);
    CHECK(rank1->split(-1, 0, GroupUse::kCollectives) == nullptr);
    CHECK(std::ranges::count(world.nccl->calls, "commSplit -1") == 1);
}

TEST_CASE("a split that ends without a communicator fails with a sentence, not in NCCL") {
    World world;
    const auto rank0 = world.connect(0);
    const auto rank1 = world.connect(1);
    world.nccl->splitGivesComm = false;
    CHECK_THAT(errorOf([&] { rank1->split(3, 0, GroupUse::kCollectives); }),
               containing("splitting the ranks into groups has not created a communicator"));
}

TEST_CASE("messages in flight on device memory are distinguished by their order") {
    World world;
    const auto rank0 = world.connect(0);
    const auto communicator = world.connect(1);
    const auto values = world.onDevice(*communicator, {1, 2});
    const CommHandle sent = communicator->sendAsync(CommBuffer::of(values), 2);
    const CommHandle received = communicator->recvAsync(CommBuffer::of(values), 0);
    sent.wait();
    received.wait();
    CHECK(std::ranges::count(world.nccl->calls, "send to 2") == 1);
    CHECK(std::ranges::count(world.nccl->calls, "recv from 0") == 1);
    CHECK(communicator->bytesSent() == 8);
}

TEST_CASE("ranks with different NCCL versions are refused with both versions") {
    World world;
    auto rank0 = world.connect(0);
    world.nccl->libraryVersion = 22703;
    const std::string error = errorOf([&] { world.connect(1); });
    CHECK_THAT(error, containing("rank 1"));
    CHECK_THAT(error, containing("NCCL 2.27.3, rank 0 has 2.28.9"));
}

TEST_CASE("a unique id of the wrong length is refused") {
    World world;
    world.store.set("nccl-unique-id", std::vector<char>(7));
    CHECK_THAT(errorOf([&] { world.connect(2); }), containing("wrong length"));
}

TEST_CASE("connecting waits while NCCL is in progress, until its deadline") {
    World world;
    world.nccl->answers["commInitRank"] = NcclResult::kInProgress;
    world.nccl->inProgressFor = 50;
    CHECK(world.connect()->size() == 4);
    CHECK(world.device->pauses == 50);

    world.nccl->inProgressFor = 1 << 30;
    const std::string error = errorOf([&] { world.connect(); });
    CHECK_THAT(error, containing("connecting the ranks did not finish within 2 s"));
    CHECK(world.nccl->aborts == 1);
}

TEST_CASE("a refusal to connect names NCCL's code, its reason and the likely cause") {
    World world;
    world.nccl->answers["commInitRank"] = NcclResult::kInvalidUsage;
    world.nccl->detail = "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000";
    world.nccl->initGivesComm = GENERATE(true, false);
    const std::string error = errorOf([&] { world.connect(); });
    CHECK_THAT(error, containing("invalid usage (5)"));
    CHECK_THAT(error, containing("two ranks on one GPU"));
    if (world.nccl->initGivesComm) CHECK_THAT(error, containing("Duplicate GPU detected"));
    CHECK(world.nccl->aborts == (world.nccl->initGivesComm ? 1 : 0));
}

TEST_CASE("collectives on device memory work in place and are numbered") {
    World world;
    auto communicator = world.connect();
    auto values = world.onDevice(*communicator, {1, 2, 3});
    communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum);
    CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{4, 8, 12});
    CHECK(communicator->collectiveNumber() == 1);
    communicator->broadcast(CommBuffer::of(values), 2);
    communicator->barrier();
    CHECK(communicator->collectiveNumber() == 3);

    auto gathered = communicator->allocate(12);
    communicator->allGather(CommBuffer::of(values), CommBuffer::of(gathered));
    CHECK(gathered[0] == 4);
    CHECK(gathered[11] == 12);
    auto block = communicator->allocate(3);
    communicator->reduceScatter(CommBuffer::of(gathered), CommBuffer::of(block), ReduceOp::kSum);
    CHECK(block[1] == 8);
    communicator->send(CommBuffer::of(values), 3);
    communicator->recv(CommBuffer::of(values), 1);
    CHECK(communicator->collectiveNumber() == 5);
    CHECK(world.nccl->calls == std::vector<std::string>{"getUniqueId", "commInitRank", "allReduce", "broadcast",
                                                        "allReduce", "allGather", "reduceScatter", "send to 3",
                                                        "recv from 1"});
}

TEST_CASE("host memory is staged through the device") {
    World world;
    auto communicator = world.connect();
    std::vector<float> values{1, 2, 3};
    communicator->allReduce(CommBuffer::of(std::span<float>(values)), ReduceOp::kSum);
    CHECK(values == std::vector<float>{4, 8, 12});
    communicator->allReduceAsync(CommBuffer::of(std::span<float>(values)), ReduceOp::kMaximum).wait();
    CHECK(values == std::vector<float>{4, 8, 12});

    std::vector<std::int64_t> mine{41, 42};
    std::vector<std::int64_t> all(8);
    communicator->allGather(CommBuffer::of(std::span<std::int64_t>(mine)),
                            CommBuffer::of(std::span<std::int64_t>(all)));
    CHECK(all == std::vector<std::int64_t>{41, 42, 41, 42, 41, 42, 41, 42});

    std::vector<std::byte> bytes(5);
    communicator->recv(CommBuffer::of(std::span<std::byte>(bytes)), 2);
    CHECK(bytes[4] == std::byte{7});
}

TEST_CASE("a collective starts after all earlier work of the compute stream") {
    World world;
    world.options.hostWaits = false;
    auto communicator = world.connect();
    auto values = world.onDevice(*communicator, {1, 1});
    bool backwardDone = false;
    world.device->enqueue(
        world.device->computeStream(), [&] { return backwardDone; }, [&] { values[0] = 5; });

    communicator->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum);
    world.device->advance();
    CHECK(values[0] == 1);
    backwardDone = true;
    world.device->advance();
    CHECK(values[0] == 20);
}

TEST_CASE("without host waits, a handle only makes the compute stream wait for its collective") {
    World world;
    world.options.hostWaits = false;
    auto communicator = world.connect();
    auto values = world.onDevice(*communicator, {1});
    world.nccl->stalled = true;
    auto handle = communicator->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum);
    handle.wait();
    CHECK(world.device->pauses == 0);

    float seen = 0;
    world.device->enqueue(
        world.device->computeStream(), [] { return true; }, [&] { seen = values[0]; });
    world.device->advance();
    CHECK(seen == 0);
    world.nccl->stalled = false;
    world.device->advance();
    CHECK(seen == 4);
}

TEST_CASE("asynchronous collectives run in the order they were started") {
    World world;
    auto communicator = world.connect();
    auto first = world.onDevice(*communicator, {1});
    auto second = world.onDevice(*communicator, {2});
    auto handle1 = communicator->allReduceAsync(CommBuffer::of(first), ReduceOp::kSum);
    auto handle2 = communicator->allReduceAsync(CommBuffer::of(second), ReduceOp::kSum);
    handle2.wait();
    CHECK(first[0] == 4);
    CHECK(second[0] == 8);
    handle1.wait();
    CHECK(communicator->collectiveNumber() == 2);
}

TEST_CASE("events are reused, so that a long run creates only a few") {
    World world;
    auto communicator = world.connect();
    auto values = communicator->allocate(4);
    for (int i = 0; i < 1000; ++i) communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum);
    CHECK(world.device->eventsMade() <= 3);
}

TEST_CASE("a collective that never ends fails at the deadline, is aborted and is named") {
    World world;
    auto rank0 = world.connect(0);
    auto communicator = world.connect(2);
    auto values = communicator->allocate(10634);
    world.nccl->stalled = true;
    const TimePoint start = world.clock->now();
    const std::string error = errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); });
    CHECK_THAT(error,
               containing("rank 2: NCCL: collective 1 (all-reduce of 10,634 floats) did not finish within 300 ms"));
    CHECK(world.clock->now() - start >= 300ms);
    CHECK(world.clock->now() - start < 310ms);

    const auto calls = world.nccl->calls.size();
    CHECK(errorOf([&] { communicator->barrier(); }) == error);
    CHECK(world.nccl->calls.size() == calls);
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
    world.nccl->stalled = false;
}

TEST_CASE("an abort that hangs is reported with its cause when the communicator ends") {
    World world;
    world.options.deadlines.abort = 10ms;
    std::string cause;
    {
        auto communicator = world.connect();
        communicator->setOnHungAbort([&](const Error& error) { cause = error.what(); });
        auto values = communicator->allocate(3);
        world.nccl->abortHangs = GENERATE(true, false);
        world.nccl->stalled = true;
        errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); });
        CHECK(cause.empty());
    }
    if (world.nccl->abortHangs)
        CHECK_THAT(cause, containing("rank 0: NCCL: collective 1 (all-reduce of 3 floats) did not finish"));
    else
        CHECK(cause.empty());
    world.nccl->stalled = false;
    world.nccl->releaseAbort();
}

TEST_CASE("poll() detects a late collective that no thread waits for") {
    World world;
    world.options.hostWaits = false;
    auto communicator = world.connect();
    auto values = communicator->allocate(3);
    communicator->poll();
    world.nccl->stalled = true;
    communicator->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum);
    world.clock->time += 299ms;
    communicator->poll();
    world.clock->time += 1ms;
    CHECK_THAT(errorOf([&] { communicator->poll(); }), containing("all-reduce of 3 floats"));
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
}

TEST_CASE("the deadline of a queued collective starts when the one before it has finished") {
    World world;
    world.options.hostWaits = false;
    auto communicator = world.connect();
    auto values = communicator->allocate(3);
    world.nccl->stalled = true;
    communicator->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum);
    world.clock->time += 250ms;
    world.nccl->stalled = false;
    communicator->poll();
    world.nccl->stalled = true;
    auto second = communicator->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum);
    world.clock->time += 250ms;
    CHECK_NOTHROW(communicator->poll());
    world.nccl->stalled = false;
    second.wait();
}

TEST_CASE("an asynchronous error ends the wait immediately") {
    World world;
    auto communicator = world.connect();
    auto values = communicator->allocate(8);
    world.nccl->stalled = true;
    world.device->onPause = [&] {
        if (world.device->pauses == 5) world.nccl->asyncError = NcclResult::kRemoteError;
    };
    world.nccl->detail = "Connection closed by remote peer";
    const std::string error = errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); });
    CHECK_THAT(error, containing("remote error (6)"));
    CHECK_THAT(error, containing("[Connection closed by remote peer]"));
    CHECK(world.device->pauses == 5);
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
}

TEST_CASE("abort() lets the waiting thread abort NCCL, not the caller") {
    World world;
    auto communicator = world.connect();
    auto values = communicator->allocate(8);
    world.nccl->stalled = true;
    world.device->onPause = [&] {
        if (world.device->pauses == 3) {
            communicator->abort();
            CHECK(world.nccl->aborts == 0);
        }
    };
    CHECK_THAT(errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); }),
               containing("was aborted during collective 1"));
    CHECK(world.device->pauses == 3);
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
}

TEST_CASE("abort() before a call makes that call throw without reaching NCCL") {
    World world;
    auto communicator = world.connect();
    communicator->abort();
    CHECK_THAT(errorOf([&] { communicator->barrier(); }), containing("was aborted"));
    CHECK(world.nccl->calls.back() == "commInitRank");
}

TEST_CASE("a call in progress finishes before the collective counts as started") {
    World world;
    auto communicator = world.connect();
    auto values = world.onDevice(*communicator, {1});
    world.nccl->answers["allReduce"] = NcclResult::kInProgress;
    world.nccl->inProgressFor = 4;
    communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum);
    CHECK(values[0] == 4);
    CHECK(world.device->pauses >= 1);

    world.nccl->inProgressFor = 1 << 30;
    CHECK_THAT(errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); }),
               containing("did not finish within 300 ms"));
}

TEST_CASE("an invalid argument leaves the communicator usable; any other failure makes it unusable") {
    World world;
    auto communicator = world.connect();
    auto values = world.onDevice(*communicator, {1});
    world.nccl->answers["allReduce"] = NcclResult::kInvalidArgument;
    CHECK_THAT(errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); }),
               containing("refused"));
    CHECK(world.nccl->aborts == 0);
    world.nccl->answers.clear();
    communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum);
    CHECK(values[0] == 4);

    const auto [result, word] = GENERATE(table<NcclResult, std::string>({
        {NcclResult::kUnhandledCudaError, "CUDA error (1)"},
        {NcclResult::kSystemError, "system error (2)"},
        {NcclResult::kInternalError, "internal error (3)"},
        {NcclResult::kInvalidUsage, "invalid usage (5)"},
        {NcclResult::kRemoteError, "remote error (6)"},
        {static_cast<NcclResult>(99), "result (99)"},
    }));
    world.nccl->answers["allReduce"] = result;
    CHECK_THAT(errorOf([&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); }), containing(word));
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
}

TEST_CASE("a lost GPU is reported as a device failure, not as a network failure, on every path") {
    World world;
    const auto rank0 = world.connect(0);
    auto communicator = world.connect(2);
    const auto values = communicator->allocate(7);
    const auto reduce = [&] { communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum); };
    ExitCode code = ExitCode::kOk;
    std::string text;
    const bool ncclSeesIt = GENERATE(true, false);
    if (ncclSeesIt)
        world.nccl->asyncError = NcclResult::kUnhandledCudaError;
    else
        world.device->lost = true;
    for (int call = 0; call < 2; ++call) {
        try {
            reduce();
        } catch (const Error& error) {
            code = error.exitCode();
            if (call == 0) text = error.what();
        }
        CHECK(code == ExitCode::kDeviceFailed);
    }
    CHECK_THAT(text, containing("rank 2:") && containing("collective 1 (all-reduce of 7 floats)"));
    CHECK_THAT(text, containing("dmesg"));
    CHECK(text.find('\n') == std::string::npos);
    if (!ncclSeesIt) CHECK_THAT(text, containing("GPU 3 (fake) failed while ordering streams"));
    world.device->lost = false;
}

TEST_CASE("other failures of NCCL are communication failures") {
    World world;
    auto communicator = world.connect();
    world.nccl->asyncError = GENERATE(NcclResult::kRemoteError, NcclResult::kSystemError, NcclResult::kInternalError);
    try {
        communicator->barrier();
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.exitCode() == ExitCode::kCommunicationFailed);
    }
}

TEST_CASE("a hanging abort does not delay the report of the failure") {
    World world;
    world.options.deadlines.abort = 20ms;
    auto communicator = world.connect();
    world.nccl->abortHangs = true;
    world.nccl->asyncError = NcclResult::kSystemError;
    CHECK_THAT(errorOf([&] { communicator->barrier(); }), containing("system error (2)"));
    communicator.reset();
    CHECK(world.nccl->aborts == 0);
    world.nccl->releaseAbort();
}

TEST_CASE("the communicator is finalized, then destroyed, and all resources are released") {
    World world;
    world.connect()->barrier();
    CHECK(world.nccl->calls ==
          std::vector<std::string>{"getUniqueId", "commInitRank", "allReduce", "commFinalize", "commDestroy"});
    CHECK(world.nccl->aborts == 0);
    CHECK(world.device->memoryHeld() == 0);
    CHECK(world.device->streamsDestroyed == 1);
    CHECK(world.device->eventsDestroyed == static_cast<int>(world.device->eventsMade()));
}

TEST_CASE("if finalize fails or never ends, the communicator is aborted") {
    World world;
    auto communicator = world.connect();
    if (GENERATE(true, false))
        world.nccl->answers["commFinalize"] = NcclResult::kSystemError;
    else
        world.nccl->inProgressFor = 1 << 30;
    communicator.reset();
    CHECK(world.nccl->aborts == 1);
    CHECK(world.nccl->calls.back() == "commFinalize");
}

TEST_CASE("a failed communicator frees no device memory, because that would wait for a busy GPU") {
    World world;
    auto communicator = world.connect();
    const auto held = world.device->memoryHeld();
    world.nccl->asyncError = NcclResult::kRemoteError;
    CHECK_THROWS_AS(communicator->barrier(), CommError);
    communicator.reset();
    CHECK(world.device->memoryHeld() == held);
}

TEST_CASE("NCCL's version numbers are formatted in the usual way") {
    CHECK(ncclVersionText(22809) == "2.28.9");
    CHECK(ncclVersionText(21005) == "2.10.5");
    CHECK(ncclVersionText(2708) == "2.7.8");
}

TEST_CASE("collectives that start together are one group of NCCL with one handle") {
    World world;
    const auto communicator = world.connect();
    const auto one = world.onDevice(*communicator, {1, 2});
    const auto two = world.onDevice(*communicator, {3});
    const auto all = world.onDevice(*communicator, {0, 0, 0, 0});
    world.nccl->calls.clear();
    std::vector<CommHandle> handles;
    const std::vector<CollectiveCall> calls{{CollectiveKind::kAllReduce, CommBuffer::of(one), {}, ReduceOp::kSum},
                                            {CollectiveKind::kAllGather, CommBuffer::of(two), CommBuffer::of(all)}};
    communicator->startTogether(calls, handles);
    CHECK(world.nccl->calls == std::vector<std::string>{"groupStart", "allReduce", "allGather", "groupEnd"});
    REQUIRE(handles.size() == 1);
    handles.front().wait();
    CHECK(std::vector<float>(one.begin(), one.end()) == std::vector<float>{4, 8});
    CHECK(std::vector<float>(all.begin(), all.end()) == std::vector<float>{3, 3, 3, 3});
    CHECK(communicator->collectiveNumber() == 2);
    CHECK(communicator->bytesSent() == 2 * 8 * 3 / 4 + 4 * 3);
}

TEST_CASE("a group of NCCL is closed after a failed call, and a hanging group is named by its collectives") {
    World world;
    const auto communicator = world.connect();
    const auto values = world.onDevice(*communicator, {1, 2, 3, 4});
    const CollectiveCall sum{CollectiveKind::kAllReduce, CommBuffer::of(values), {}, ReduceOp::kSum};
    const std::vector<CollectiveCall> calls{sum, sum, sum};
    std::vector<CommHandle> handles;
    world.nccl->stalled = true;
    communicator->startTogether(calls, handles);
    CHECK_THAT(errorOf([&] { handles.front().wait(); }), containing("collectives 1 to 3 (all-reduce of 12 floats)"));

    const auto refused = world.connect();
    world.nccl->answers["allReduce"] = NcclResult::kInvalidArgument;
    world.nccl->calls.clear();
    CHECK_THAT(errorOf([&] { refused->startTogether(calls, handles); }), containing("NCCL refused collectives 1 to 3"));
    CHECK(world.nccl->calls == std::vector<std::string>{"groupStart", "allReduce", "groupEnd"});
}

TEST_CASE("poll() detects a late collective of a sub-group") {
    World world;
    world.options.hostWaits = false;
    const auto rank0 = world.connect(0);
    auto communicator = world.connect(1);
    const auto group = communicator->split(3, 0, GroupUse::kCollectives);
    const auto values = world.onDevice(*communicator, {1, 2});
    world.nccl->stalled = true;
    group->allReduceAsync(CommBuffer::of(values), ReduceOp::kSum).wait();
    communicator->poll();
    world.clock->time += 400ms;
    CHECK_THAT(errorOf([&] { communicator->poll(); }), containing("all-reduce of 2 floats"));
}

// A block that the fake NCCL receives consists of bytes of 7. Rank 1 of 2 sums the second block, which has 2 values.
TEST_CASE("a canonical sum exchanges blocks, adds them in the tree and exchanges the sums") {
    World world;
    const auto rank0 = world.connect(0, 2);
    const auto communicator = world.connect(1, 2);
    const auto values = world.onDevice(*communicator, {1, 2, 3, 4, 5});
    world.nccl->calls.clear();
    communicator->allReduce(CommBuffer::of(values), ReduceOp::kTreeSum);
    const std::vector<std::string> exchange{"groupStart", "send to 0", "recv from 0", "groupEnd"};
    std::vector<std::string> expected = exchange;
    expected.insert(expected.end(), exchange.begin(), exchange.end());
    CHECK(world.nccl->calls == expected);
    CHECK(world.device->treeSums == 1);
    float received = 0;
    std::memset(&received, 7, sizeof received);
    CHECK(std::vector<float>(values.begin(), values.end()) ==
          std::vector<float>{received, received, received, received + 4, received + 5});
    CHECK(communicator->bytesSent() == 5 * 4);

    const auto sums = world.onDevice(*communicator, {0, 0});
    communicator->reduceScatter(CommBuffer::of(world.onDevice(*communicator, {1, 2, 3, 4})), CommBuffer::of(sums),
                                ReduceOp::kTreeSum);
    CHECK(std::vector<float>(sums.begin(), sums.end()) == std::vector<float>{received + 3, received + 4});
}
