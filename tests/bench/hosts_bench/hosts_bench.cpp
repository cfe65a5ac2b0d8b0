// SPDX-License-Identifier: Apache-2.0
// hosts_bench [--delays-us 0,200,2000] [--bytes 40000,4000000] [--rounds 3]: measures in-place all-reduces of floats in
// memory of the communicator, one directly after the other, by two ranks on each of two hosts (network namespaces).
// Compares, alternately: shared memory within a host with one exchange between the hosts, Gloo between all ranks, and
// PyTorch's Gloo. Delays are one-way, in microseconds.
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

#include "comm/communicator_factory.h"
#include "comm/ranks_as_processes.h"
#include "comm/socket_store.h"
#include "comm/store_server_thread.h"
#include "launch/channels/shared_memory.h"
#include "support/network_hosts.h"

namespace {

using namespace ringside;
using namespace ringside::test;

const std::vector<int> kHosts{0, 0, 1, 1};
constexpr int kRepetitions = 10;
constexpr int kBatches = 9;
constexpr std::size_t kMaxSizes = 8;

struct Figure {
    double medianMs = 0;
    double bestMs = 0;
    double cpuMs = 0;  // CPU time of rank 0
};
using Figures = std::array<Figure, kMaxSizes>;  // one figure for each size

double cpuMs() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

Figure measure(Communicator& ranks, std::span<float> values) {
    std::array<double, kBatches> batches{};
    const double cpu = cpuMs();
    for (int batch = -1; batch < kBatches; ++batch) {
        ranks.barrier();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < kRepetitions; ++i) ranks.allReduce(CommBuffer::of(values), ReduceOp::kSum);
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        if (batch >= 0) batches[static_cast<std::size_t>(batch)] = spent.count() / kRepetitions;
    }
    const double spent = cpuMs() - cpu;
    std::ranges::sort(batches);
    return {batches[kBatches / 2], batches[0], spent / kRepetitions / (kBatches + 1)};
}

Figures runOurs(const NetworkHosts& network, const std::vector<std::size_t>& sizes, bool hierarchical) {
    void* page = ::mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* figures = new (page) Figures();
    std::array<UniqueFd, 2> memory{createSharedMemory(sharedMemoryBytes(2)), createSharedMemory(sharedMemoryBytes(2))};
    const auto count = static_cast<int>(kHosts.size());
    StoreServerThread server(count, false);
    RankProcesses processes(count, [&](int rank, const auto&) {
        const int host = kHosts[static_cast<std::size_t>(rank)];
        network.enter(host);
        const CommOptions options{.interface = NetworkHosts::kInterface};
        auto store = std::make_shared<SocketStore>(server.takeSocket(rank));
        const auto ranks = hierarchical
                               ? makeHierarchicalCommunicator(store, memory[static_cast<std::size_t>(host)].get(), rank,
                                                              kHosts, options)
                               : makeGlooCommunicator(store, rank, count, options);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::span<float> values = ranks->allocate(sizes[i] / sizeof(float));
            const Figure own = measure(*ranks, values);
            if (rank == 0) (*figures)[i] = own;
        }
        ranks->barrier();
    });
    server.dropSockets();
    server.start();
    for (int rank = 0; rank < count; ++rank) {
        const auto report = processes.report(rank);
        if (!report.finished || report.threw) std::cerr << "rank " << rank << ": " << report.text << '\n';
    }
    const Figures result = *figures;
    ::munmap(page, sizeof(Figures));
    return result;
}

Figures runPyTorch(const NetworkHosts& network, const std::vector<std::size_t>& sizes) {
    static int port = 29600;
    ++port;
    std::ostringstream line;
    for (int rank = static_cast<int>(kHosts.size()) - 1; rank >= 0; --rank) {
        line << "RANK=" << rank << " WORLD_SIZE=" << kHosts.size() << " MASTER_ADDR=" << NetworkHosts::address(0)
             << " MASTER_PORT=" << port << " GLOO_SOCKET_IFNAME=" << NetworkHosts::kInterface << ' '
             << network.prefix(kHosts[static_cast<std::size_t>(rank)]) << "timeout 300 " RINGSIDE_PYTORCH_PEER " "
             << kRepetitions << ' ' << kBatches;
        for (const std::size_t size : sizes) line << ' ' << size;
        line << (rank > 0 ? " & " : "; wait");
    }
    Figures figures{};
    std::FILE* output = ::popen(line.str().c_str(), "r");
    std::array<char, 256> text{};
    for (std::size_t i = 0; i < sizes.size() && output && std::fgets(text.data(), text.size(), output); ++i) {
        std::istringstream(text.data()) >> figures[i].medianMs >> figures[i].bestMs >> figures[i].cpuMs;
    }
    if (output) ::pclose(output);
    return figures;
}

double middle(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

void runDelay(int delayUs, const std::vector<std::size_t>& sizes, int rounds, bool alone) {
    const NetworkHosts network{std::chrono::microseconds(delayUs)};
    std::map<std::string, std::vector<Figures>> all;
    for (int round = 0; round < rounds; ++round) {  // all variants are measured in each round, so that changes of the
                                                    // machine's load affect all of them
        all["hierarchical"].push_back(runOurs(network, sizes, true));
        if (alone) continue;
        all["gloo"].push_back(runOurs(network, sizes, false));
        all["pytorch"].push_back(runPyTorch(network, sizes));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto of = [&](const char* name, double Figure::*what) {
            std::vector<double> values;
            for (const Figures& figures : all[name]) values.push_back(figures[i].*what);
            return middle(values);
        };
        const double ours = of("hierarchical", &Figure::medianMs);
        const double torch = of("pytorch", &Figure::medianMs);
        std::printf("%9d%10zu", delayUs, sizes[i]);
        for (const char* name : {"hierarchical", "gloo", "pytorch"}) {
            std::printf("%13.4f (%6.2f)", of(name, &Figure::medianMs), of(name, &Figure::cpuMs));
        }
        std::printf("%9.2fx\n", ours > 0 ? torch / ours : 0);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("All-reduce between two hosts of two ranks each");
    std::vector<int> delays{0, 200, 2000};
    std::vector<std::size_t> sizes{40000, 4000000};
    int rounds = 3;
    bool alone = false;
    app.add_option("--delays-us", delays, "One way, microseconds")->delimiter(',');
    app.add_option("--bytes", sizes, "Of the buffer")->delimiter(',')->expected(1, kMaxSizes);
    app.add_option("--rounds", rounds, "Of all by turns");
    app.add_flag("--alone", alone, "The hierarchical one only");
    CLI11_PARSE(app, argc, argv);
    if (const std::string why = NetworkHosts::whyNot(); !why.empty()) {
        std::cout << "skipped: " << why << '\n';
        return 0;
    }
    std::printf("%9s%10s%21s%21s%21s%10s\n", "delay us", "bytes", "hosts, ms (CPU)", "our Gloo, ms (CPU)",
                "PyTorch's, ms (CPU)", "faster");
    for (const int delay : delays) runDelay(delay, sizes, rounds, alone);
    return 0;
}
