// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"

namespace {

struct Outcome {
    int code = -1;
    std::string output;
};

Outcome run(const std::string& command) {
    Outcome outcome;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> piece{};
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
        outcome.output.append(piece.data(), got);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
    return outcome;
}

Outcome mpirun(int ranks, const std::string& part) {
    return run(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 100 mpirun --oversubscribe --mca "
        "btl_vader_single_copy_mechanism none -np " +
        std::to_string(ranks) + " " + ringside::testProgram("mpi_rank") + " " + part);
}

bool canRun() {
    const bool can = RINGSIDE_HAS_MPI && std::system("mpirun --version >/dev/null 2>&1") == 0;
    if (!can) WARN("skipped: Open MPI (libopenmpi-dev, openmpi-bin) was not there when this was built");
    return can;
}

}  // namespace

TEST_CASE("ranks of mpirun agree on every collective") {
    if (!canRun()) return;
    const int ranks = GENERATE(1, 2, 4);
    CAPTURE(ranks);
    const Outcome outcome = mpirun(ranks, "checks");
    INFO(outcome.output);
    CHECK(outcome.code == 0);
}

TEST_CASE("a missing rank of mpirun ends the other ranks and the job at the deadline") {
    if (!canRun()) return;
    const Outcome outcome = mpirun(2, "missing");
    INFO(outcome.output);
    CHECK(outcome.code == 10);
    CHECK(outcome.output.find("did not take part in all-reduce of 1,000 floats (collective 1) within 500 ms") !=
          std::string::npos);
}

TEST_CASE("a message over MPI with an unexpected size is refused") {
    if (!canRun()) return;
    const Outcome outcome = mpirun(2, "messages");
    INFO(outcome.output);
    CHECK(outcome.code == 10);
    CHECK(outcome.output.find("rank 0 sent 8 bytes where rank 1 expects 12") != std::string::npos);
}

TEST_CASE("MPI without its launcher is refused with the remedy") {
    const Outcome outcome =
        run("env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMIX_RANK " + ringside::testProgram("mpi_rank") + " checks");
    CHECK(outcome.code == 10);
    CHECK(outcome.output.find("start it with mpirun -np 1 ringside-worker") != std::string::npos);
}

TEST_CASE("without the MPI module, the error names both locations and how to build it") {
    const ringside::TemporaryDirectory directory;
    const auto rank = directory.path() / "mpi_rank";
    std::filesystem::copy_file(ringside::testProgram("mpi_rank"), rank);
    const Outcome outcome = run("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 " + rank.string() + " checks");
    CHECK(outcome.code == 10);
    INFO(outcome.output);
    CHECK(outcome.output.find("libringside-mpi.so is neither in " + directory.path().string() +
                              " nor in the lib/ringside folder next to it") != std::string::npos);
    CHECK(outcome.output.find("./run --build") != std::string::npos);
    CHECK(outcome.output.find("set parallel.backend to gloo") != std::string::npos);
}
