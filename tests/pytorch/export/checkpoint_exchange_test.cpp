// SPDX-License-Identifier: Apache-2.0
// Tests that Ringside and its exported script under real PyTorch can each continue from a checkpoint of the other.
#include <cmath>
#include <map>

#include "base/system/files.h"
#include "config/run_config.h"
#include "end_to_end/program.h"
#include "exported_run.h"
#include "support/catch.h"
#include "support/choices.h"

using namespace ringside;

namespace {

constexpr double kTolerance = 1e-5;

std::map<std::int64_t, double> lossesOf(const std::filesystem::path& run) {
    std::map<std::int64_t, double> losses;
    for (const Json& line : linesOf(run / "metrics.jsonl"))
        if (line["kind"] == "step") losses[line["step"].get<std::int64_t>()] = line["loss"].get<double>();
    return losses;
}

// An experiment with the digits on two ranks, in a directory: its file and its exported script.
struct Exported {
    TemporaryDirectory directory;

    explicit Exported(const RunConfig& config) {
        writeFileAtomically(path("experiment.json"), config.toText());
        Program writer({"export", path("experiment.json"), "-o", path("train.py")});
        REQUIRE(writer.wait() == 0);
    }
    std::string path(const char* name) const { return (directory.path() / name).string(); }
};

RunConfig digits(const char* optimizer) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.parallel.timeoutSeconds = 120;
    config.training.epochs = 2;
    config.training.checkpointEvery = 1;
    choose(config.optimizer.kind, optimizer);
    config.optimizer.lr = config.optimizer.kind == OptimizerKind::kSgd ? 0.05 : 0.002;
    return config;
}

void checkRingsideGoesOn(const char* optimizer) {
    const Exported exported(digits(optimizer));
    runPython({exported.path("train.py"), "--out", exported.path("pytorch")});
    Program more({"run", exported.path("experiment.json"), "--quiet", "--out", exported.path("more"), "--resume",
                  exported.path("pytorch/checkpoints/step-00000023")});
    const int rc = more.wait();
    INFO(more.output());
    REQUIRE(rc == 0);
    const auto expected = lossesOf(exported.path("pytorch"));
    const auto found = lossesOf(exported.path("more"));
    REQUIRE(found.size() == 23);  // the second epoch's ceil(719 / 32)
    for (const auto& [step, loss] : found) CHECK(loss == Approx(expected.at(step)).epsilon(kTolerance));
}

}  // namespace

TEST_CASE("Ringside resumes from a checkpoint of the exported script") {
    checkRingsideGoesOn("sgd");
    checkRingsideGoesOn("adam");
}

TEST_CASE("the exported script starts from weights saved by Ringside") {
    RunConfig config = digits("sgd");
    config.training.epochs = 1;
    const Exported exported(config);
    Program own({"run", exported.path("experiment.json"), "--quiet", "--out", exported.path("own")});
    REQUIRE(own.wait() == 0);
    const std::string weights = exported.path("own/checkpoints/step-00000023/model.safetensors");
    runPython({exported.path("train.py"), "--out", exported.path("pytorch"), "--weights", weights});
    std::string saved;
    for (const Json& line : linesOf(exported.path("own/telemetry.jsonl")))
        if (line["kind"] == "replica" && line["rank"] == 0 && line["step"] == 23) saved = line["hash"];
    CHECK(jsonOf(exported.path("pytorch/summary.json"))["initial_parameters_sha256"] == saved);
}
