// SPDX-License-Identifier: Apache-2.0
#include "live/host_command.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "experiment/experiment_file.h"
#include "launch/place/launch_sources.h"
#include "launch/wire/own_addresses.h"
#include "live/class_run.h"
#include "run/ranks/worker_program.h"
#include "run/read/default_run_directory.h"
#include "terminal/signal_input.h"

namespace ringside {
namespace {

constexpr const char* kHostFooter =
    "This computer becomes rank 0 and waits for parallel.world_size - 1 others, who enter\n"
    "the join code after\n"
    "  ringsidectl join - --name Ada\n"
    "or choose Run > Join in the window. The experiment and its data travel to those who lack them.\n"
    "It listens at one address, at two ports, and lets in who knows the code; what is said is not\n"
    "encrypted: use a network you trust.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl host                               the digits experiment with three others\n"
    "  ringsidectl host my.json --ranks 12 --min-ranks 4   a class; it goes on while four are left\n"
    "  ringsidectl host --address 192.168.1.20 --port 21000\n"
    "\n"
    "Enter starts with those who are there; Ctrl-C stops the run and saves its weights.";

constexpr std::int64_t kMegabyte = 1'000'000;

struct HostArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string out;
    std::string address;
    std::string name = "host";
    int port = 0;
    std::int64_t ranks = 0;
    std::int64_t minRanks = -1;
    std::int64_t mostMb = 512;
    bool lines = false;
};

Result<std::string> addressOf(const std::string& wanted, bool quiet) {
    if (!wanted.empty()) return wanted;
    const std::vector<OwnAddress> own = ownAddresses();
    std::string others;
    for (std::size_t i = 1; i < own.size(); ++i)
        others += (i == 1 ? "" : ", ") + own[i].address + " (" + own[i].interface + ")";
    if (!others.empty() && !quiet)
        std::fprintf(stderr, "ringsidectl: other networks of this computer (--address): %s\n", others.c_str());
    if (!own.empty()) return own.front().address;
    return Problem{"--address", "is not given, and this computer has none that others reach",
                   "connect it to a network, or name 127.0.0.1 to try it alone"};
}

// Enables a checkpoint per epoch if parallel.min_ranks is set, because a run can continue with fewer ranks only from
// the end of an epoch.
void keepEpochs(RunConfig& config) {
    if (config.parallel.minRanks == 0 || config.training.checkpointEvery > 0) return;
    config.training.checkpointEvery = 1;
    config.training.keepCheckpoints = 2;
}

int hostClass(HostArguments arguments) {
    if (arguments.ranks > 0) arguments.assignments.push_back("parallel.world_size=" + std::to_string(arguments.ranks));
    if (arguments.minRanks >= 0)
        arguments.assignments.push_back("parallel.min_ranks=" + std::to_string(arguments.minRanks));
    Problems problems;
    Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    RunConfig& config = experiment.value().config;
    if (config.parallel.worldSize < 2)
        return reportProblems({{"parallel.world_size", "is 1: that leaves no rank for anybody who joins",
                                "set it to the number of computers, yours included"}});
    keepEpochs(config);
    if (const Problems wrong = classConfig(config, config.parallel.worldSize).validateForTraining(); !wrong.empty())
        return reportProblems(wrong);
    const Result<std::string> address = addressOf(arguments.address, arguments.lines);
    if (!address) return reportProblems({address.problem()});
    const Result<std::filesystem::path> worker = findWorkerProgram(DeviceChoice::kCpu);
    if (!worker) return reportProblems({worker.problem()});
    const UniqueFd signals = signalInput({SIGINT, SIGTERM});
    ClassHost host({address.value(), arguments.port, RINGSIDE_VERSION, hostKey()});
    if (const Problems wrong = host.listen(); !wrong.empty()) return reportProblems(wrong);
    Screen screen;
    ClassView view(screen, arguments.lines);
    std::optional<ReservedRunDirectory> reserved;
    if (arguments.out.empty()) {
        Result<ReservedRunDirectory> made = ReservedRunDirectory::make(config.name);
        if (!made) return reportProblems({made.problem()});
        arguments.out = reserved.emplace(std::move(made).value()).path();
    }
    ClassPlan plan{experiment.value(), std::filesystem::absolute(arguments.out).lexically_normal(), worker.value(),
                   arguments.name, arguments.mostMb * kMegabyte};
    return ClassRun(std::move(plan), host, view, screen)
        .run(arguments.config == "-" && !arguments.lines ? -1 : 0, signals.get());
}

}  // namespace

void addHostCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("host", "Train together with the computers of those who join");
    command->footer(kHostFooter);
    auto arguments = std::make_shared<HostArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file; none: the built-in one");
    command->add_option("--set", arguments->assignments, "Change one field: --set loader.batch_size=64")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("A.B=VALUE");
    command->add_option("--out", arguments->out, "Run directory to make; must be new or empty")->type_name("DIR");
    command->add_option("--ranks", arguments->ranks, "Computers in all, this one included (parallel.world_size)")
        ->check(CLI::Range(2, 256))
        ->type_name("N");
    command
        ->add_option("--min-ranks", arguments->minRanks,
                     "Go on with so many, this one included, where others stay away (parallel.min_ranks)")
        ->check(CLI::Range(0, 256))
        ->type_name("N");
    command
        ->add_option("--address", arguments->address,
                     "The one address of this computer to listen at; none: that of its first network")
        ->type_name("IP");
    command->add_option("--port", arguments->port, "To listen at, with the next; none: two that are free")
        ->check(CLI::Range(1, 65534))
        ->type_name("P");
    command->add_option("--name", arguments->name, "How this computer's card is called")->capture_default_str();
    command->add_option("--most-mb", arguments->mostMb, "Of data that travel to each who joins, at most")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->type_name("MB");
    command->add_flag("--lines", arguments->lines, "JSON lines for programs; \"start\" and \"stop\" on standard input");
    command->callback([arguments, &action] { action = [arguments] { return hostClass(*arguments); }; });
}

}  // namespace ringside
