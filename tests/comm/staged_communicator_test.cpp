// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/staged_communicator.h"

#include <algorithm>
#include <thread>

#include "base/errors/errors.h"
#include "comm/communicator_factory.h"
#include "comm/fake_nccl.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

// A rank with its own fake GPU, whose data pass through host memory and the communicator of threads.
struct StagedRank {
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>(clock);
    std::unique_ptr<StagedCommunicator> communicator;

    explicit StagedRank(std::unique_ptr<Communicator> host)
        : communicator(std::make_unique<StagedCommunicator>(StagedDependencies{std::move(host), device, clock},
                                                            StagedOptions{device->computeStream(), 300ms})) {}

    std::span<float> onDevice(const std::vector<float>& values) {
        const auto memory = communicator->allocate(values.size());
        std::copy(values.begin(), values.end(), memory.begin());
        return memory;
    }
};

// Runs `play` for each rank on its own thread. The caller makes its checks after all threads have ended.
template <class Play>
void playRanks(int size, const Play& play) {
    auto hosts = makeLocalCommunicators(size);
    std::vector<std::thread> threads;
    for (auto& host : hosts)
        threads.emplace_back([&play, &host] {
            StagedRank rank(std::move(host));
            play(rank);
        });
    for (std::thread& thread : threads) thread.join();
}

std::vector<float> copied(std::span<const float> values) {
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("device memory is reduced, gathered, scattered and broadcast through the host") {
    std::vector<std::vector<float>> sums(3), gathered(3), scattered(3), sent(3);
    playRanks(3, [&](StagedRank& self) {
        StagedCommunicator& communicator = *self.communicator;
        const auto me = static_cast<std::size_t>(communicator.rank());
        const auto mine = static_cast<float>(me + 1);
        const auto values = self.onDevice({mine, 10 * mine});
        communicator.allReduceAsync(CommBuffer::of(values), ReduceOp::kSum).wait();
        sums[me] = copied(values);

        const auto one = self.onDevice({mine});
        const auto all = self.onDevice({0, 0, 0});
        communicator.allGather(CommBuffer::of(one), CommBuffer::of(all));
        gathered[me] = copied(all);
        communicator.reduceScatter(CommBuffer::of(all), CommBuffer::of(one), ReduceOp::kSum);
        scattered[me] = copied(one);
        const auto reported = self.onDevice({mine});
        communicator.broadcast(CommBuffer::of(reported), 2);
        sent[me] = copied(reported);
        communicator.barrier();
    });
    for (std::size_t rank = 0; rank < 3; ++rank) {
        CHECK(sums[rank] == std::vector<float>{6, 60});
        CHECK(gathered[rank] == std::vector<float>{1, 2, 3});
        CHECK(scattered[rank] == std::vector<float>{3 * static_cast<float>(rank + 1)});
        CHECK(sent[rank] == std::vector<float>{3});
    }
}

TEST_CASE("device memory travels from rank to rank through the host") {
    std::vector<float> received;
    playRanks(2, [&](StagedRank& self) {
        const auto memory = self.onDevice({static_cast<float>(self.communicator->rank()) + 5});
        if (self.communicator->rank() == 0) return self.communicator->send(CommBuffer::of(memory), 1);
        self.communicator->recv(CommBuffer::of(memory), 0);
        received = copied(memory);
    });
    CHECK(received == std::vector<float>{5});
}

TEST_CASE("messages of device memory can cross, in a group too") {
    std::vector<std::vector<float>> received(2);
    playRanks(2, [&](StagedRank& self) {
        const int me = self.communicator->rank();
        const auto pair = self.communicator->split(0, 0, GroupUse::kMessages);
        const auto mine = self.onDevice({static_cast<float>(me) + 5});
        const auto theirs = self.onDevice({0});
        const CommHandle sent = pair->sendAsync(CommBuffer::of(mine), 1 - me);
        const CommHandle arrived = pair->recvAsync(CommBuffer::of(theirs), 1 - me);
        arrived.wait();
        sent.wait();
        received[static_cast<std::size_t>(me)] = copied(theirs);
    });
    CHECK(received == std::vector<std::vector<float>>{{6}, {5}});
}

TEST_CASE("a collective waits for the compute stream, and host memory stays on the host") {
    StagedRank self(std::move(makeLocalCommunicators(1).front()));
    const auto values = self.onDevice({1});
    self.device->enqueue(
        self.device->computeStream(), [] { return true; }, [&] { values[0] = 42; });
    self.communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum);
    CHECK(values[0] == 42);
    const int staged = self.device->hostMemoryHeld;
    CHECK(staged == 1);
    std::vector<float> host{7};
    self.communicator->allReduce(CommBuffer::of(std::span<float>(host)), ReduceOp::kSum);
    CHECK(host[0] == 7);
    CHECK(self.device->hostMemoryHeld == staged);
}

TEST_CASE("a GPU that never finishes fails the collective at its deadline with rank and remedy") {
    StagedRank self(std::move(makeLocalCommunicators(1).front()));
    const auto values = self.onDevice({1});
    self.device->enqueue(
        self.device->computeStream(), [] { return false; }, [] {});
    CHECK_THROWS_WITH(self.communicator->allReduce(CommBuffer::of(values), ReduceOp::kSum),
                      "rank 0: the GPU did not finish copying a collective's values to the host within 300 ms: see "
                      "dmesg for Xid messages");
}

TEST_CASE("a staged communicator releases all resources") {
    std::shared_ptr<FakeDevice> device;
    {
        StagedRank self(std::move(makeLocalCommunicators(1).front()));
        device = self.device;
        self.communicator->allReduce(CommBuffer::of(self.onDevice({1, 2, 3})), ReduceOp::kSum);
    }
    CHECK(device->hostMemoryHeld == 0);
    CHECK(device->memoryHeld() == 0);
    CHECK(device->streamsDestroyed == 1);
    CHECK(device->eventsDestroyed == 1);
}
