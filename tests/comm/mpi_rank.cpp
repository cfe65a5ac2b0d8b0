// SPDX-License-Identifier: Apache-2.0
// mpi_rank checks | missing | messages | bench BYTES REPETITIONS: one rank that mpirun has started, for mpi_test and
// the benchmarks.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "base/errors/errors.h"
#include "comm/collective_checks.h"
#include "comm/communicator_factory.h"

using namespace ringside;
using namespace ringside::test;

namespace {

int numberOf(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
}

void bench(Communicator& ranks, std::size_t bytes, int repetitions) {
    constexpr int kBatches = 15;
    std::array<double, kBatches> batches{};
    std::vector<float> values(bytes / sizeof(float));
    for (int batch = -1; batch < kBatches; ++batch) {
        ranks.barrier();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < repetitions; ++i) ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        if (batch >= 0) batches[static_cast<std::size_t>(batch)] = spent.count() / repetitions;
    }
    std::ranges::sort(batches);
    if (ranks.rank() == 0) std::cout << batches[kBatches / 2] << ' ' << batches[0] << std::endl;
}

void play(const std::string& part, Communicator& ranks, char** more) {
    if (part == "checks") {
        checkEverything(ranks, false);
    } else if (part == "missing") {
        if (ranks.rank() == 1)
            std::this_thread::sleep_for(std::chrono::seconds(60));  // rank 1 does not take part; mpirun ends it
        std::vector<float> values(1000);
        ranks.allReduce(CommBuffer::of(std::span(values)), ReduceOp::kSum);
    } else if (part == "messages") {
        std::vector<float> two(2);
        std::vector<float> three(3);
        if (ranks.rank() == 0) ranks.send(CommBuffer::of(std::span(two)), 1);
        if (ranks.rank() == 1) ranks.recv(CommBuffer::of(std::span(three)), 0);
    } else {
        bench(ranks, std::stoul(more[0]), std::atoi(more[1]));
    }
}

}  // namespace

// Disables leak detection, because Open MPI does not free all memory before the process ends.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}

int main(int argc, char** argv) {
    const std::string part = argc > 1 ? argv[1] : "checks";
    try {
        const int size = numberOf(part == "outside" ? "" : "OMPI_COMM_WORLD_SIZE");
        const auto ranks = makeMpiCommunicator(nullptr, numberOf("OMPI_COMM_WORLD_RANK"), std::max(size, 1),
                                               {.timeout = std::chrono::milliseconds(part == "missing" ? 500 : 30000)});
        play(part, *ranks, argv + 2);
    } catch (const CommError& error) {
        std::cerr << error.what() << std::endl;
        ::_exit(static_cast<int>(error.exitCode()));
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        ::_exit(1);
    }
    return 0;
}
