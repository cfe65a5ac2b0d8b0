// SPDX-License-Identifier: Apache-2.0
// Tests that training is repeatable: the same experiment gives the same weights, byte for byte.
#include <fstream>

#include "program.h"
#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Environment variable for the programs that are started during the lifetime of this object.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : m_name(name) { ::setenv(name, value.c_str(), 1); }
    ~Variable() { ::unsetenv(m_name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* m_name;
};

struct TrainedModel {
    std::string name;
    std::vector<std::string> settings;
};

std::string train(const fs::path& out, const TrainedModel& kind, int ranks) {
    std::vector<std::string> arguments{"run", "--quiet", "--out", out};
    std::vector<std::string> settings{"parallel.device=cpu", "training.epochs=1", "dataset.validation_fraction=0.8",
                                      "parallel.world_size=" + std::to_string(ranks)};
    settings.insert(settings.end(), kind.settings.begin(), kind.settings.end());
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    Program run(arguments);
    const int code = run.wait();
    INFO(run.output());
    REQUIRE(code == 0);
    const auto metrics = linesOf(out / "metrics.jsonl");
    REQUIRE_FALSE(metrics.empty());
    for (const auto& entry : fs::directory_iterator(out / "checkpoints"))
        return contentOf(entry.path() / "model.safetensors");
    return "no checkpoint";
}

std::vector<TrainedModel> modelKinds(const fs::path& text) {
    const std::string narrow = R"(model.layers=[{"kind":"conv2d","out":4,"kernel":3,"padding":1},{"kind":"relu"},)"
                               R"({"kind":"conv2d","out":8,"kernel":1,"stride":2},{"kind":"gelu"},{"kind":"flatten"},)"
                               R"({"kind":"dropout","p":0.25},{"kind":"linear"}])";
    return {{"toy_linear", {}},
            {"mlp", {}},
            {"simple_cnn", {}},
            {"residual_cnn", {"model.width=4", "model.depth=1"}},
            {"transformer",
             {"dataset.kind=text", "dataset.path=" + text.string(), "dataset.context_length=12", "model.width=12",
              "model.heads=3", "model.depth=1"}},
            {"layers", {narrow}}};
}

}  // namespace

TEST_CASE("every kind of model has the same weights when it is trained again") {
    const TemporaryDirectory scratch;
    std::ofstream text(scratch.path() / "text.txt");
    for (int line = 0; line < 120; ++line) text << line << " It was the best of rings, it was the worst of rings.\n";
    text.close();
    // With two threads per rank, and with the instructions of processors without AVX-512.
    const int ranks = GENERATE(1, 2);
    const std::string instructions = GENERATE("", "AVX2");
    const Variable limit("ONEDNN_MAX_CPU_ISA", instructions);
    for (TrainedModel kind : modelKinds(scratch.path() / "text.txt")) {
        INFO(kind.name << ", " << ranks << " ranks, " << instructions);
        kind.settings.push_back("model.kind=" + kind.name);
        const fs::path first = scratch.path() / (kind.name + "-1"), second = scratch.path() / (kind.name + "-2");
        const std::string weights = train(first, kind, ranks);
        CHECK(weights.size() > 100);
        CHECK(weights == train(second, kind, ranks));
    }
}

TEST_CASE("without convolutions the weights do not depend on the number of threads") {
    const TemporaryDirectory scratch;
    std::ofstream text(scratch.path() / "text.txt");
    for (int line = 0; line < 120; ++line) text << line << " It was the best of rings, it was the worst of rings.\n";
    text.close();
    for (TrainedModel kind : modelKinds(scratch.path() / "text.txt")) {
        if (kind.name != "mlp" && kind.name != "transformer") continue;
        INFO(kind.name);
        kind.settings.push_back("model.kind=" + kind.name);
        kind.settings.push_back("parallel.threads_per_rank=1");
        const std::string weights = train(scratch.path() / (kind.name + "-1"), kind, 1);
        CHECK(weights.size() > 100);
        kind.settings.back() = "parallel.threads_per_rank=3";
        CHECK(weights == train(scratch.path() / (kind.name + "-3"), kind, 1));
    }
}

TEST_CASE("a run reports if the environment selects the CPU instructions") {
    const TemporaryDirectory scratch;
    const TrainedModel small{"mlp", {"model.hidden=[8]"}};
    train(scratch.path() / "free", small, 1);
    CHECK(jsonOf(scratch.path() / "free/summary.json")["cpu_setting"].is_null());
    const Variable limit("ONEDNN_MAX_CPU_ISA", "AVX2");
    train(scratch.path() / "held", small, 1);
    CHECK(jsonOf(scratch.path() / "held/summary.json")["cpu_setting"] == "ONEDNN_MAX_CPU_ISA=AVX2");
    CHECK(contains(contentOf(scratch.path() / "held/log.txt"), "ONEDNN_MAX_CPU_ISA=AVX2 in the environment"));
}
