// SPDX-License-Identifier: Apache-2.0
#include "exported_run.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "backend/cpu/cpu_backend.h"
#include "base/files.h"
#include "base/unique_fd.h"
#include "data/dataset.h"
#include "end_to_end/program.h"
#include "model/model_description.h"
#include "nn/model_factory.h"
#include "support/catch.h"
#include "train/checkpoint.h"

namespace ringside {
namespace {

constexpr std::chrono::seconds kDeadline(200);

// One that nobody has at this moment.
int freePort() {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof address;
    REQUIRE(::bind(socket.get(), any, length) == 0);
    REQUIRE(::getsockname(socket.get(), any, &length) == 0);
    return ntohs(address.sin_port);
}

}  // namespace

void runPython(const std::vector<std::string>& arguments) {
    Program python(arguments, -1, RINGSIDE_TORCH_PYTHON);
    const int rc = python.wait(kDeadline);
    INFO("python3-torch must be installed (or configure with RINGSIDE_WITHOUT_PYTORCH=ON)\n" << python.output());
    REQUIRE(rc == 0);
}

void runRanksAsTorchrun(const std::vector<std::string>& arguments, int ranks) {
    const std::string port = std::to_string(freePort());
    std::vector<std::unique_ptr<Program>> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string number = std::to_string(rank);
        std::vector<std::string> command = {
            "RANK=" + number,        "LOCAL_RANK=" + number, "WORLD_SIZE=" + std::to_string(ranks),
            "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port,  "GLOO_SOCKET_IFNAME=lo",
            RINGSIDE_TORCH_PYTHON};
        command.insert(command.end(), arguments.begin(), arguments.end());
        programs.push_back(std::make_unique<Program>(command, -1, "/usr/bin/env"));
    }
    for (const auto& program : programs) {
        const int rc = program->wait(kDeadline);
        INFO(program->output());
        REQUIRE(rc == 0);
    }
}

TrainedTwice::TrainedTwice(const RunConfig& config) {
    const std::string file = (m_directory.path() / "experiment.json").string();
    writeFileAtomically(file, config.toJson().dump());
    const std::string script = (m_directory.path() / "train.py").string();
    Program own({"run", file, "--quiet", "--out", ringside().string()});
    INFO(own.output());
    REQUIRE(own.wait() == 0);
    Program writer({"export", file, "--to", "pytorch", "-o", script});
    REQUIRE(writer.wait() == 0);
    runPython({script, "--out", pytorch().string()});
}

RunComparison TrainedTwice::compare(double tolerance) const {
    const Result<RunRecord> own = readRunRecord(ringside());
    const Result<RunRecord> other = readRunRecord(pytorch());
    REQUIRE(own);
    REQUIRE(other);
    return compareRuns(own.value(), other.value(), tolerance);
}

Json TrainedTwice::lastValidation(const std::filesystem::path& run) {
    Json last;
    for (const Json& line : linesOf(run / "metrics.jsonl"))
        if (line["kind"] == "epoch" && line["split"] == "val") last = line;
    return last;
}

std::string initialWeightsHash(const RunConfig& config) {
    const DataSplit data = loadDataset(config.dataset).value();
    const Shape sample = modelInput(data.training->shape());
    CpuBackend backend(1);
    auto model = makeModel(config.model, sample, modelOutputs(*data.training), backend);
    REQUIRE(model);
    REQUIRE(model.value()->prepare(sample, 1));
    model.value()->initialise(config.training.seed);
    return parameterChecksum(model.value()->parameters(), backend);
}

}  // namespace ringside
