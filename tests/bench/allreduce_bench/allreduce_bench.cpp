// SPDX-License-Identifier: Apache-2.0
// allreduce_bench [--ranks 2,4] [--bytes 40000,400000,4000000] [--only shm]: measures in-place all-reduces of floats,
// one directly after the other, with ranks as processes. Also measures Open MPI and PyTorch's Gloo in the same run, if
// they are installed.
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

#include "comm/communicator_factory.h"
#include "comm/ranks_as_processes.h"
#include "comm/socket_store.h"
#include "comm/store_server_thread.h"
#include "launch/channels/shared_memory.h"

namespace {

using namespace ringside;
using namespace ringside::test;

constexpr int kMpiRounds = 3;

struct Figure {
    double medianMs = 0;
    double bestMs = 0;
};

struct Case {
    int ranks;
    std::size_t bytes;
    // Number of all-reduces between two barriers: about 40 ms in total, so that the time of the barriers is negligible.
    int repetitions(double expectedMs) const { return std::clamp(static_cast<int>(40 / expectedMs), 4, 1000); }
};

Figure measure(Communicator& ranks, std::span<float> values, int repetitions) {
    constexpr int kBatches = 15;
    std::array<double, kBatches> batches{};
    for (int batch = -1; batch < kBatches; ++batch) {
        ranks.barrier();
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < repetitions; ++i) ranks.allReduce(CommBuffer::of(values), ReduceOp::kSum);
        std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        if (batch >= 0) batches[static_cast<std::size_t>(batch)] = spent.count() / repetitions;
    }
    std::sort(batches.begin(), batches.end());
    return {batches[kBatches / 2], batches[0]};
}

using Maker = std::function<std::unique_ptr<Communicator>(int rank)>;

// Forks the ranks. Rank 0 returns its result through a memory page that all processes share.
std::optional<Figure> runRanks(Case one, int repetitions, bool allocated, const Maker& make,
                               const std::function<void()>& afterFork) {
    void* page = ::mmap(nullptr, sizeof(Figure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* figure = static_cast<Figure*>(page);
    RankProcesses processes(one.ranks, [&](int rank, const auto&) {
        auto ranks = make(rank);
        std::vector<float> plain(one.bytes / sizeof(float));
        std::span<float> values = allocated ? ranks->allocate(plain.size()) : std::span<float>(plain);
        Figure own = measure(*ranks, values, repetitions);
        if (rank == 0) *figure = own;
        ranks->barrier();
    });
    afterFork();
    for (int rank = 0; rank < one.ranks; ++rank) {
        auto report = processes.report(rank);
        if (report.finished && !report.threw) continue;
        std::cerr << "rank " << rank << ": " << report.text << '\n';
        return {};
    }
    Figure result = *figure;
    ::munmap(page, sizeof(Figure));
    return result;
}

std::optional<Figure> runShared(Case one, bool allocated) {
    UniqueFd memory = createSharedMemory(sharedMemoryBytes(one.ranks));
    auto make = [&](int rank) { return makeSharedMemoryCommunicator(memory.get(), rank, one.ranks); };
    return runRanks(one, one.repetitions(static_cast<double>(one.bytes) / 3e6), allocated, make, [] {});
}

std::optional<Figure> runGloo(Case one) {
    if (!glooAvailable()) return {};
    StoreServerThread server(one.ranks, false);
    auto make = [&](int rank) {
        return makeGlooCommunicator(std::make_shared<SocketStore>(server.takeSocket(rank)), rank, one.ranks);
    };
    return runRanks(one, 10, false, make, [&] {
        server.dropSockets();
        server.start();
    });
}

std::optional<Figure> runCommand(const std::string& command) {
    std::FILE* output = ::popen((command + " 2>/dev/null").c_str(), "r");
    std::array<char, 256> line{};
    Figure figure;
    bool read = output && std::fgets(line.data(), line.size(), output);
    if (output) ::pclose(output);
    if (!read) return {};
    std::istringstream text(line.data());
    if (!(text >> figure.medianMs >> figure.bestMs)) return {};
    return figure;
}

std::string programPath() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::optional<Figure> runMpi(Case one, const std::string& program) {
    return runCommand(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun --oversubscribe -n " +
        std::to_string(one.ranks) + " " + program + " " + std::to_string(one.bytes) + " " +
        std::to_string(one.repetitions(static_cast<double>(one.bytes) / 3e6)));
}

// Runs Open MPI's own program and this engine over MPI alternately, kMpiRounds times each, and returns the median of
// each. Results of one program differ between starts by more than the two programs differ.
std::array<std::optional<Figure>, 2> runMpiBesideOurs(Case one) {
    const std::array<std::string, 2> programs{RINGSIDE_MPI_PEER, programPath() + " --mpi-rank"};
    std::array<std::vector<Figure>, 2> all;
    if (programs[0].empty()) return {};
    for (int round = 0; round < kMpiRounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (const auto figure = runMpi(one, programs[i])) all[i].push_back(*figure);
        }
    }
    std::array<std::optional<Figure>, 2> middle;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::ranges::sort(all[i], {}, &Figure::medianMs);
        if (!all[i].empty()) middle[i] = all[i][all[i].size() / 2];
    }
    return middle;
}

// Measures the engine's all-reduce over MPI. Runs in a process that mpirun has started.
int measureAsMpiRank(std::size_t bytes, int repetitions) {
    const int rank = std::atoi(std::getenv("OMPI_COMM_WORLD_RANK"));
    const auto ranks = makeMpiCommunicator(nullptr, rank, std::atoi(std::getenv("OMPI_COMM_WORLD_SIZE")));
    std::vector<float> values(bytes / sizeof(float));
    const Figure figure = measure(*ranks, values, repetitions);
    if (rank == 0) std::printf("%g %g\n", figure.medianMs, figure.bestMs);
    return 0;
}

std::optional<Figure> runPyTorch(Case one) {
    return runCommand("timeout 300 " RINGSIDE_PYTORCH_PEER " " + std::to_string(one.ranks) + " " +
                      std::to_string(one.bytes) + " 10");
}

std::string cell(const std::optional<Figure>& figure) {
    if (!figure) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4f (%.4f)", figure->medianMs, figure->bestMs);
    return text.data();
}

std::string ratio(const std::optional<Figure>& peer, const std::optional<Figure>& ours) {
    if (!peer || !ours) return "-";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1fx", peer->medianMs / ours->medianMs);
    return text.data();
}

void printRow(const std::vector<std::string>& cells) {
    constexpr std::array kWidths{5, 9, 18, 18, 18, 18, 18, 8, 8, 18, 8};
    for (std::size_t i = 0; i < cells.size(); ++i) std::printf("%*s", kWidths[i], cells[i].c_str());
    std::printf("\n");
    std::fflush(stdout);
}

void runCase(Case one, bool onlyShared) {
    auto plain = runShared(one, false);
    auto allocated = runShared(one, true);
    auto gloo = onlyShared ? std::nullopt : runGloo(one);
    const auto [mpi, ourMpi] = onlyShared ? std::array<std::optional<Figure>, 2>{} : runMpiBesideOurs(one);
    auto torch = onlyShared ? std::nullopt : runPyTorch(one);
    printRow({std::to_string(one.ranks), std::to_string(one.bytes), cell(plain), cell(allocated), cell(gloo), cell(mpi),
              cell(torch), ratio(mpi, plain), ratio(torch, plain), cell(ourMpi), ratio(ourMpi, mpi)});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"All-reduce: shared memory and Gloo of this engine beside Open MPI and PyTorch"};
    std::vector<int> ranks{2, 4};
    std::vector<std::size_t> bytes{40'000, 400'000, 4'000'000};
    std::string only;
    app.add_option("--ranks", ranks)->delimiter(',');
    app.add_option("--bytes", bytes)->delimiter(',');
    app.add_option("--only", only, "shm: nothing but shared memory")->check(CLI::IsMember({"shm"}));
    std::vector<std::size_t> mpiRank;
    app.add_option("--mpi-rank", mpiRank, "A process that this program starts through mpirun: bytes, repetitions")
        ->expected(2);
    CLI11_PARSE(app, argc, argv);
    if (!mpiRank.empty()) return measureAsMpiRank(mpiRank[0], static_cast<int>(mpiRank[1]));
    std::printf("milliseconds per all-reduce: median (best) of 15 batches; ratios of medians against shm\n");
    printRow({"ranks", "bytes", "shm", "shm, allocated", "gloo", "Open MPI", "PyTorch gloo", "MPI", "PyTorch",
              "over MPI", "to MPI"});
    for (int count : ranks) {
        for (std::size_t size : bytes) runCase({count, size}, only == "shm");
    }
    return 0;
}
