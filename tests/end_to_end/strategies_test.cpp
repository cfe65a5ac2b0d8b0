// SPDX-License-Identifier: Apache-2.0
// Tests of the costs of strategies: the predictions of the command line, and the costs of real runs.
#include <sched.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "program.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;

namespace {

std::map<std::string, Json> strategiesOf(std::vector<std::string> more) {
    std::vector<std::string> arguments{"strategies", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments);
    INFO(program.output());
    REQUIRE(program.wait() == 0);
    std::map<std::string, Json> lines;
    std::istringstream text(program.output());
    for (std::string line; std::getline(text, line);) {
        Json json = Json::parse(line);
        lines[json["strategy"].get<std::string>()] = json;
    }
    return lines;
}

// Runs an experiment and returns its summary, which contains the counts of memory and traffic.
Json summaryOf(const std::vector<std::string>& settings, const std::filesystem::path& out) {
    std::vector<std::string> arguments{"run", "--out", out, "--set", "training.epochs=1"};
    for (const std::string& one : settings) arguments.insert(arguments.end(), {"--set", one});
    Program program(arguments);
    REQUIRE(program.wait() == 0);
    return jsonOf(out / "summary.json");
}

// Lets this process and the programs that it starts use a single CPU, for the lifetime of the object.
class SingleCpu {
  public:
    SingleCpu() {
        REQUIRE(sched_getaffinity(0, sizeof m_before, &m_before) == 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
            if (CPU_ISSET(cpu, &m_before)) CPU_SET(cpu, &one);
        REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    }
    ~SingleCpu() { sched_setaffinity(0, sizeof m_before, &m_before); }
    SingleCpu(const SingleCpu&) = delete;
    SingleCpu& operator=(const SingleCpu&) = delete;

  private:
    cpu_set_t m_before;
};

}  // namespace

TEST_CASE("the costs printed by strategies equal those that a run counts") {
    const std::vector<std::string> settings{"parallel.world_size=2", "model.hidden=32,32,32"};
    std::vector<std::string> more{"--no-rates"};
    for (const std::string& one : settings) more.insert(more.end(), {"--set", one});
    const std::map<std::string, Json> lines = strategiesOf(more);
    CHECK(lines.at("ddp")["current"] == true);
    CHECK(lines.at("ddp")["measured_step_ms"].is_null());
    for (const char* strategy : {"ddp", "fsdp:parameters", "pipeline:1f1b"}) {
        CAPTURE(strategy);
        const Json& line = lines.at(strategy);
        CHECK(line["suits"] == true);
        const TemporaryDirectory scratch;
        std::vector<std::string> taken = settings;
        for (const auto& [path, value] : line["settings"].items())
            taken.push_back(path + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
        const Json summary = summaryOf(taken, scratch.path() / "run");
        for (std::size_t rank = 0; rank < 2; ++rank) {
            CHECK(summary["memory"][rank]["peak"] == line["memory"][rank]["peak"]);
            CHECK(summary["memory"][rank]["predicted_peak"] == line["memory"][rank]["peak"]);
            CHECK(summary["bytes_per_step"][rank] == line["bytes_per_step"][rank]);
        }
        CHECK(summary["idle_share"].get<double>() >= 0);
        CHECK(summary["idle_share"].get<double>() < 1);
    }
}

TEST_CASE("strategies measures the selected ones, and gives reasons for impossible ones") {
    const auto lines = strategiesOf(
        {"--measure", "--seconds", "0.2", "--only", "ddp,model_parallel", "--set", "parallel.world_size=4"});
    CHECK(lines.at("ddp")["measured_step_ms"].get<double>() > 0);
    CHECK(lines.at("ddp")["samples_per_step"] == 128);
    CHECK(lines.at("ddp")["measured_samples_per_second"].get<double>() ==
          Approx(128e3 / lines.at("ddp")["measured_step_ms"].get<double>()));
    CHECK(lines.at("ddp")["measured_memory_per_rank"] == lines.at("ddp")["memory_per_rank"]);
    CHECK(lines.at("model_parallel")["suits"] == false);
    CHECK(contains(lines.at("model_parallel")["why_not"],
                   "makes 4 stages, but the model can be cut into at most 3 parts"));
}

TEST_CASE("the idle share that more ranks than CPUs have is marked as not comparable") {
    const SingleCpu single;
    const auto lines = strategiesOf(
        {"--measure", "--seconds", "0.3", "--only", "pipeline:1f1b,ddp", "--set", "parallel.world_size=2"});
    const Json& pipeline = lines.at("pipeline:1f1b");
    CHECK(pipeline["measured_idle_share"].get<double>() > 0);
    CHECK(contains(pipeline["note"], "2 ranks on 1 CPU: the measured idle share is not comparable"));
    CHECK_FALSE(lines.at("ddp").contains("note"));
}

TEST_CASE("the marked line is the experiment itself, and its run uses the printed memory") {
    const std::vector<std::string> settings{"parallel.world_size=4", "parallel.strategy=pipeline", "mesh.shard=2",
                                            "model.hidden=32,32,32"};
    std::vector<std::string> more{"--no-rates", "--only", "sharded_stages"};
    for (const std::string& one : settings) more.insert(more.end(), {"--set", one});
    const Json line = strategiesOf(more).at("sharded_stages");
    CHECK(line["current"] == true);
    CHECK(line["samples_per_step"] == 64);
    const TemporaryDirectory scratch;
    const Json summary = summaryOf(settings, scratch.path() / "run");
    for (std::size_t rank = 0; rank < 4; ++rank) CHECK(summary["memory"][rank]["peak"] == line["memory"][rank]["peak"]);
}

TEST_CASE("a strategy with a diverging loss is measured, and its line mentions it") {
    const Json line =
        strategiesOf({"--measure", "--seconds", "0.2", "--only", "ddp", "--set", "optimizer.lr=1e6", "--set",
                      "dataset.kind=synthetic", "--set", "model.kind=toy_linear", "--set", "parallel.world_size=1"})
            .at("ddp");
    CHECK(line["measured_step_ms"].get<double>() > 0);
    CHECK(line["measured_samples_per_second"].get<double>() > 0);
    CHECK_FALSE(line.contains("problem"));
    CHECK(contains(line["note"], "the loss diverged at step 5; the measured time is valid"));
}

TEST_CASE("invalid requests to strategies are refused with one line and exit code 2") {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"strategies", "--only", "ddp,nothing"},
          std::vector<std::string>{"strategies", "--seconds", "0"},
          std::vector<std::string>{"strategies", "/nonexistent.json"},
          std::vector<std::string>{"run", "--set", "parallel.strategy=pipeline", "--set", "parallel.world_size=4"},
          std::vector<std::string>{"run", "--set", "parallel.strategy=pipeline", "--set", "parallel.world_size=2",
                                   "--set", "pipeline.split=1,1"},
          std::vector<std::string>{"run", "--set", "parallel.strategy=pipeline", "--set", "parallel.world_size=2",
                                   "--set", "pipeline.schedule_file=/nonexistent.csv"},
          std::vector<std::string>{"run", "--set", "parallel.memory_limit_mb=0.1"},
          std::vector<std::string>{"run", "--set", "parallel.strategy=fsdp", "--set", "mesh.replicate=3"}}) {
        Program program(arguments);
        CHECK(program.wait() == 2);
        INFO(program.output());
        CHECK(std::ranges::count(program.output(), '\n') == 1);
    }
}

TEST_CASE("the last line of prove counts strategies that could not be tested") {
    Program program(
        {"prove", "--steps", "1", "--strategies", "single,model_parallel", "--set", "parallel.world_size=4"});
    CHECK(program.wait() == 2);  // no strategy has a result
    CHECK(contains(program.output(), "\n0 equal, 1 could not be tested, so its result is unknown\n"));
}

TEST_CASE("prove returns 1 if weights differ that must be equal, with the first step and tensor") {
    // Rank 2 trains another sample in the first step; the reference with one rank has no rank 2.
    ::setenv("RINGSIDE_TEST_WRONG_INDEX", "2:0:0:17", 1);
    Program program({"prove", "--steps", "2", "--strategies", "single,ddp:4", "--set", "training.reduction=canonical"},
                    -1, testProgram("faults/ringsidectl"));
    ::unsetenv("RINGSIDE_TEST_WRONG_INDEX");
    CHECK(program.wait() == 1);
    INFO(program.output());
    CHECK(contains(program.output(), "step 1"));
    CHECK(contains(program.output(), "\n0 equal, 1 differs and must not differ\n"));
}

TEST_CASE("prove reports for each strategy whether its bits are equal, or why it cannot be tested") {
    // Three layers: a pipeline of two stages, but not of four.
    Program program({"prove", "--json", "--steps", "2", "--strategies", "single,pipeline:1f1b:2,pipeline:interleaved:2",
                     "--set", "training.reduction=canonical", "--set", "parallel.world_size=1"});
    CHECK(program.wait() == 0);
    INFO(program.output());
    std::map<std::string, Json> lines;
    std::istringstream text(program.output());
    for (std::string line; std::getline(text, line);) {
        Json json = Json::parse(line);
        lines[json["strategy"].get<std::string>()] = json;
    }
    REQUIRE(lines.size() == 3);
    CHECK(lines["pipeline:1f1b:2"]["equal"] == true);
    CHECK(lines["pipeline:1f1b:2"]["sha256"] == lines["single"]["sha256"]);
    CHECK(lines["pipeline:interleaved:2"]["equal"].is_null());
    // The problem does not repeat the names of the program and the strategy.
    CHECK_THAT(lines["pipeline:interleaved:2"]["problem"].get<std::string>(),
               Catch::StartsWith("parallel.world_size makes 4 stages, but the model can be cut into at most 3 parts"));
}
