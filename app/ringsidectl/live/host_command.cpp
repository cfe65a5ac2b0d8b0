// SPDX-License-Identifier: Apache-2.0
#include "live/host_command.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/system/signal_input.h"
#include "experiment/experiment_file.h"
#include "launch/layout/launch_sources.h"
#include "launch/wire/own_addresses.h"
#include "live/classroom_view.h"
#include "run/classroom/classroom_run.h"
#include "run/ranks/worker_program.h"
#include "run/read/default_run_directory.h"

namespace ringside {
namespace {

constexpr const char* kHostFooter =
    "This computer becomes rank 0 and waits for parallel.world_size - 1 other computers. They enter\n"
    "the join code after\n"
    "  ringsidectl join - --name Ada\n"
    "or in Run > Join of the window. They receive the experiment and its data.\n"
    "The host listens at one address and two ports, and accepts computers that know the code.\n"
    "Traffic is not encrypted: use a network that you trust.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl host                               the digits experiment with three other computers\n"
    "  ringsidectl host my.json --ranks 12 --min-ranks 4   a classroom; the run continues while four ranks remain\n"
    "  ringsidectl host --address 192.168.1.20 --port 21000\n"
    "\n"
    "Enter starts with the computers that have joined; Ctrl-C stops the run and saves its weights.";

struct HostArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string out;
    std::string address;
    std::string name = "host";
    int port = 0;
    std::int64_t ranks = 0;
    std::int64_t minRanks = -1;
    std::int64_t maxMb = 512;
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
    return Problem{"--address", "is not given, and this computer has no address that others can reach",
                   "connect it to a network, or use 127.0.0.1 to try it on this computer only"};
}

// Enables a checkpoint per epoch if the run can be restarted: with fewer ranks it continues only from the end of an
// epoch.
void enableEpochCheckpoints(RunConfig& config) {
    const bool canRestart = config.parallel.minRanks > 0 || config.parallel.maxRestarts > 0;
    if (!canRestart || config.training.checkpointEvery > 0) return;
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
        return reportProblems({{"parallel.world_size", "is 1, so no other computer can join",
                                "set it to the number of computers, including this one"}});
    enableEpochCheckpoints(config);
    if (const Problems wrong = classConfig(config, config.parallel.worldSize).validateForTraining(); !wrong.empty())
        return reportProblems(wrong);
    const Result<std::string> address = addressOf(arguments.address, arguments.lines);
    if (!address) return reportProblems({address.problem()});
    const Result<std::filesystem::path> worker = findWorkerProgram(DeviceChoice::kCpu);
    if (!worker) return reportProblems({worker.problem()});
    const UniqueFd signals = signalInput({SIGINT, SIGTERM});
    ClassroomHost host({address.value(), arguments.port, RINGSIDE_VERSION, hostKey()});
    if (const Problems wrong = host.listen(); !wrong.empty()) return reportProblems(wrong);
    Screen screen;
    std::optional<ReservedRunDirectory> reserved;
    if (arguments.out.empty()) {
        Result<ReservedRunDirectory> made = ReservedRunDirectory::make(config.name);
        if (!made) return reportProblems({made.problem()});
        arguments.out = reserved.emplace(std::move(made).value()).path();
    }
    ClassroomPlan plan{experiment.value(),    std::filesystem::absolute(arguments.out).lexically_normal(),
                       worker.value(),        arguments.name,
                       arguments.maxMb << 20, RINGSIDE_VERSION,
                       arguments.lines};
    ClassroomView view(screen, arguments.lines, plan.out.string());
    return ClassroomRun(std::move(plan), host, view)
        .run(arguments.config == "-" && !arguments.lines ? -1 : 0, signals.get());
}

}  // namespace

void addHostCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("host", "Trains together with other computers that join");
    command->footer(kHostFooter);
    auto arguments = std::make_shared<HostArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file (default: the built-in experiment)");
    command->add_option("--set", arguments->assignments, "Change one field: --set loader.batch_size=64")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("A.B=VALUE");
    command->add_option("-o,--out", arguments->out, "Run directory to create; must be new or empty")->type_name("DIR");
    command->add_option("--ranks", arguments->ranks, "Number of computers, including this one (parallel.world_size)")
        ->check(CLI::Range(2, 256))
        ->type_name("N");
    command
        ->add_option(
            "--min-ranks", arguments->minRanks,
            "Minimum number of computers, including this one, with which the run continues (parallel.min_ranks)")
        ->check(CLI::Range(0, 256))
        ->type_name("N");
    command
        ->add_option("--address", arguments->address,
                     "Address of this computer at which to listen (default: its address in its first network)")
        ->type_name("IP");
    command
        ->add_option("--port", arguments->port,
                     "Port at which to listen; the next port is also used (default: two free ports)")
        ->check(CLI::Range(1, 65534))
        ->type_name("P");
    command->add_option("--name", arguments->name, "Name of this computer, shown to the other participants")
        ->capture_default_str();
    command->add_option("--most-mb", arguments->maxMb, "Maximum MiB of data sent to each computer")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->type_name("MiB");
    command->add_flag("--lines", arguments->lines,
                      "Print JSON lines for programs; read \"start\" and \"stop\" from standard input");
    command->callback([arguments, &action] { action = [arguments] { return hostClass(*arguments); }; });
}

}  // namespace ringside
