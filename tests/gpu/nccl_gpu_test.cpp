// SPDX-License-Identifier: Apache-2.0
// Tests with the real NCCL: one rank, and two ranks as processes that share one GPU.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "backend/cuda/cuda_backend.h"
#include "base/errors/errors.h"
#include "base/system/files.h"
#include "comm/nccl/nccl_communicator.h"
#include "devices/gpu_placement.h"
#include "parallel/reduce/recorded_collectives.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// Key-value store whose keys are files of a directory.
class DirectoryStore final : public Store {
  public:
    explicit DirectoryStore(std::filesystem::path directory) : m_directory(std::move(directory)) {}
    void set(const std::string& key, const std::vector<char>& value) override {
        writeFileAtomically(m_directory / key, {value.data(), value.size()});
    }
    std::vector<char> get(const std::string& key, std::chrono::milliseconds deadline) override {
        const auto end = std::chrono::steady_clock::now() + deadline;
        while (std::chrono::steady_clock::now() < end) {
            const Result<std::string> value = readFile(m_directory / key, 1 << 20);
            if (value) return {value.value().begin(), value.value().end()};
            ::usleep(2000);
        }
        throw CommError("no rank has set " + key);
    }

  private:
    std::filesystem::path m_directory;
};

// Throws if a result of a rank is wrong.
void demand(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error(what);
}

void exchange(CudaBackend& gpu, Communicator& communicator) {
    const int size = communicator.size();
    const auto memory = communicator.allocate(1001);
    const Tensor tensor{memory.data(), {1001}, DType::kFloat32, gpu.device()};
    std::vector<float> values(1001);
    for (int round = 0; round < 3; ++round) {
        gpu.fill(tensor, static_cast<float>(communicator.rank() + 1));
        communicator.allReduce(CommBuffer::of(memory), ReduceOp::kSum);
        gpu.download(tensor, values.data());
        const auto sum = static_cast<float>(size * (size + 1) / 2);
        demand(values.front() == sum && values.back() == sum, "the all-reduce is wrong");
    }
    gpu.fill(tensor, static_cast<float>(communicator.rank()));
    communicator.broadcast(CommBuffer::of(memory), size - 1);
    gpu.download(tensor, values.data());
    demand(values[500] == static_cast<float>(size - 1), "the broadcast is wrong");

    std::vector<double> sums{1.0, communicator.rank() * 1.0};
    communicator.allReduce(CommBuffer::of(std::span<double>(sums)), ReduceOp::kSum);
    demand(sums[0] == size && sums[1] == size * (size - 1) / 2, "the staged all-reduce is wrong");
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(size));
    std::vector<std::int64_t> mine{communicator.rank()};
    communicator.allGather(CommBuffer::of(std::span<std::int64_t>(mine)),
                           CommBuffer::of(std::span<std::int64_t>(ranks)));
    std::vector<std::int64_t> expected(ranks.size());
    std::iota(expected.begin(), expected.end(), 0);
    demand(ranks == expected, "the all-gather is wrong");
    communicator.barrier();
}

// Runs a step with two all-reduces, which is launched as one graph from the second round on.
void exchangeRecorded(CudaBackend& gpu, Communicator& communicator, int rounds) {
    const auto first = communicator.allocate(1001);
    const auto last = communicator.allocate(3);
    const Tensor tensor{first.data(), {1001}, DType::kFloat32, gpu.device()};
    const auto step = [&] {
        gpu.fill(tensor, 1);
        const auto handle = communicator.allReduceAsync(CommBuffer::of(first), ReduceOp::kSum);
        communicator.allReduce(CommBuffer::of(last), ReduceOp::kSum);
        handle.wait();
        gpu.scale(tensor, 2);
    };
    std::string whyNot;
    StepRecorder recorder(withCollectives(*gpu.recordingDevice(), communicator),
                          [&whyNot](const std::string& why) { whyNot = why; });
    std::vector<float> values(1001);
    const std::int64_t before = communicator.collectiveNumber();
    for (int round = 0; round < rounds; ++round) {
        recorder.run({first.data(), 1}, step);
        gpu.download(tensor, values.data());
        demand(values.back() == 2 * static_cast<float>(communicator.size()), "the recorded all-reduce is wrong");
    }
    demand(whyNot.empty(), "not recorded: " + whyNot);
    demand(communicator.collectiveNumber() == before + 2 * rounds, "recorded collectives are not counted");
}

struct Rank {
    CudaBackend gpu;
    DirectoryStore store;
    std::unique_ptr<NcclCommunicator> communicator;

    Rank(const std::filesystem::path& directory, int rank, int size, std::chrono::milliseconds timeout)
        : gpu(CudaOptions{}), store(directory) {
        NcclOptions options;
        options.deadlines.collective = timeout;
        options.computeStream = gpu.stream();
        options.hostWaits = false;
        communicator = makeNcclCommunicator(store, rank, size, options);
        gpu.setWaitCallback([this] { communicator->poll(); });
    }
};

// Runs a step in which the group of all ranks reduces while pairs of ranks exchange messages in both directions.
void exchangeInGroups(CudaBackend& gpu, Communicator& world, int rounds) {
    const auto reducing = world.split(0, 0);
    const auto forward = world.split(0, 0, GroupUse::kMessages);
    const auto backward = world.split(0, 0, GroupUse::kMessages);
    const auto summed = world.allocate(1001);
    const auto sent = world.allocate(64);
    const auto received = world.allocate(64);
    const Tensor sum{summed.data(), {1001}, DType::kFloat32, gpu.device()};
    const Tensor out{sent.data(), {64}, DType::kFloat32, gpu.device()};
    const Tensor in{received.data(), {64}, DType::kFloat32, gpu.device()};
    const auto step = [&] {
        const auto peer = 1 - world.rank();
        gpu.fill(sum, 1);
        const auto reduced = reducing->allReduceAsync(CommBuffer::of(summed), ReduceOp::kSum);
        gpu.fill(out, static_cast<float>(world.rank() + 1));
        Communicator& way = world.rank() == 0 ? *forward : *backward;
        Communicator& back = world.rank() == 0 ? *backward : *forward;
        const auto message = way.sendAsync(CommBuffer::of(sent), peer);
        back.recvAsync(CommBuffer::of(received), peer).wait();
        message.wait();
        reduced.wait();
        gpu.scale(in, 2);
        gpu.scale(sum, 3);
    };
    std::string whyNot;
    StepRecorder recorder(withCollectives(*gpu.recordingDevice(), world),
                          [&whyNot](const std::string& why) { whyNot = why; });
    std::vector<float> sums(1001);
    std::vector<float> values(64);
    for (int round = 0; round < rounds; ++round) {
        recorder.run({summed.data(), 1}, step);
        gpu.download(sum, sums.data());
        gpu.download(in, values.data());
        demand(sums.back() == 6, "the recorded all-reduce of a group is wrong");
        demand(values.back() == static_cast<float>(2 * (2 - world.rank())), "the recorded message is wrong");
    }
    demand(whyNot.empty(), "not recorded: " + whyNot);
}

// Runs `play` in a child process as one of two ranks that share a GPU. The exit code of the child is 0 if `play` did
// not throw.
template <class Play>
pid_t forkRank(const std::filesystem::path& directory, int rank, std::chrono::milliseconds timeout, Play play) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (const auto& [name, value] : placeRank({"test", rank, 2}, 1).environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    int code = 1;
    try {
        Rank self(directory, rank, 2, timeout);
        play(self);
        code = 0;
    } catch (const CommError& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        code = 10;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    ::_exit(code);
}

int exitOf(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("two ranks share a GPU by the documented recipe and agree") {
    TemporaryDirectory directory;
    const auto play = [](Rank& self) {
        exchange(self.gpu, *self.communicator);
        exchangeRecorded(self.gpu, *self.communicator, 5);
        exchange(self.gpu, *self.communicator);
    };
    const pid_t first = forkRank(directory.path(), 0, 60s, play);
    const pid_t second = forkRank(directory.path(), 1, 60s, play);
    CHECK(exitOf(first) == 0);
    CHECK(exitOf(second) == 0);
}

TEST_CASE("two ranks split into a group of both and into groups of one, which exchange values") {
    TemporaryDirectory directory;
    const auto play = [](Rank& self) {
        const int rank = self.communicator->rank();
        const auto reversed = self.communicator->split(0, 1 - rank, GroupUse::kCollectives);
        demand(reversed->rank() == 1 - rank && reversed->size() == 2, "the reversed group is wrong");
        exchange(self.gpu, *reversed);
        const auto alone = self.communicator->split(rank, 0, GroupUse::kCollectives);
        demand(alone->size() == 1, "the group of one rank is wrong");
        exchange(self.gpu, *alone);
        const auto first = self.communicator->split(rank == 0 ? 0 : -1, 0, GroupUse::kCollectives);
        demand((first != nullptr) == (rank == 0), "the rank with a negative colour got a group");
        exchange(self.gpu, *self.communicator);
    };
    const pid_t first = forkRank(directory.path(), 0, 60s, play);
    const pid_t second = forkRank(directory.path(), 1, 60s, play);
    CHECK(exitOf(first) == 0);
    CHECK(exitOf(second) == 0);
}

TEST_CASE("collectives and messages of several groups can be recorded into one CUDA graph") {
    TemporaryDirectory directory;
    const auto play = [](Rank& self) { exchangeInGroups(self.gpu, *self.communicator, 6); };
    const pid_t first = forkRank(directory.path(), 0, 60s, play);
    const pid_t second = forkRank(directory.path(), 1, 60s, play);
    CHECK(exitOf(first) == 0);
    CHECK(exitOf(second) == 0);
}

TEST_CASE("a rank that is killed leaves the other with an error, not a hang") {
    TemporaryDirectory directory;
    const pid_t survivor = forkRank(directory.path(), 0, 10s, [](Rank& self) {
        exchange(self.gpu, *self.communicator);
        for (;;) exchange(self.gpu, *self.communicator);
    });
    const pid_t victim = forkRank(directory.path(), 1, 60s, [](Rank& self) {
        exchange(self.gpu, *self.communicator);
        ::raise(SIGKILL);
    });
    CHECK(exitOf(victim) == -SIGKILL);
    CHECK(exitOf(survivor) == 10);
}

TEST_CASE("a rank that is killed between recorded steps leaves the other with an error, not a hang") {
    TemporaryDirectory directory;
    const pid_t survivor =
        forkRank(directory.path(), 0, 10s, [](Rank& self) { exchangeRecorded(self.gpu, *self.communicator, 1000); });
    const pid_t victim = forkRank(directory.path(), 1, 60s, [](Rank& self) {
        exchangeRecorded(self.gpu, *self.communicator, 5);
        ::raise(SIGKILL);
    });
    CHECK(exitOf(victim) == -SIGKILL);
    CHECK(exitOf(survivor) == 10);
}

TEST_CASE("a single rank can use NCCL") {
    TemporaryDirectory directory;
    const pid_t alone = ::fork();
    if (alone == 0) {
        int code = 1;
        try {
            Rank self(directory.path(), 0, 1, 30s);
            exchange(self.gpu, *self.communicator);
            exchangeRecorded(self.gpu, *self.communicator, 5);
            code = 0;
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        ::_exit(code);
    }
    CHECK(exitOf(alone) == 0);
}
