// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iostream>

#include "base/errors/errors.h"
#include "base/text/terminal_text.h"
#include "experiment/config_command.h"
#include "experiment/devices_command.h"
#include "experiment/export_command.h"
#include "experiment/sweep_command.h"
#include "live/attach_command.h"
#include "live/control_run_command.h"
#include "live/host_command.h"
#include "live/join_command.h"
#include "live/run_command.h"
#include "live/watch_command.h"
#include "plan/plan_command.h"
#include "results/compare_command.h"
#include "results/prove_command.h"
#include "results/show_command.h"
#include "results/strategies_command.h"
#include "results/whatif_command.h"
#include "terminal/completion_command.h"
#include "terminal/usage_message.h"

namespace ringside {
namespace {

constexpr const char* kDescription =
    "Ringside: see and run distributed training, from the command line.\n"
    "\n"
    "  ringsidectl run                       train the built-in digits experiment on 4 ranks\n"
    "  ringsidectl run my.json --set parallel.world_size=8\n"
    "  ringsidectl watch -- torchrun --nproc-per-node 4 train.py   see your own PyTorch script\n"
    "  ringsidectl plan --size 10 --world-size 4   which rank gets which sample\n"
    "  ringsidectl show runs/NAME            result of a run";

constexpr const char* kFooter =
    "ringsidectl COMMAND --help explains a command with examples.\n"
    "Exit codes: 0 ok, 2 bad configuration or usage, 3 mistakes found, 10 communication failed, 11 device failed,\n"
    "12 a rank died, 13 a rank hung, 20 stopped by request, 70 internal error.";

// Flushes standard output. Throws IoError if a file or device did not take all of it, for example on a full disk. A
// closed pipe is no error, because programs such as head close it on purpose.
void finishOutput() {
    std::cout.flush();
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    struct stat output {};
    if (isWritten || ::fstat(STDOUT_FILENO, &output) != 0 || S_ISFIFO(output.st_mode) || S_ISSOCK(output.st_mode))
        return;
    throw IoError("standard output cannot be written completely: free space, or write elsewhere");
}

int runCommandLine(int argc, char** argv) {
    CLI::App app(kDescription, "ringsidectl");
    app.set_version_flag("--version", "ringsidectl " RINGSIDE_VERSION);
    app.footer(kFooter);
    app.require_subcommand(1);
    std::function<int()> action;
    addPlanCommand(app, action);
    addConfigCommand(app, action);
    addRunCommand(app, action);
    addWatchCommand(app, action);
    addAttachCommand(app, action);
    addControlCommand(app, action);
    addHostCommand(app, action);
    addJoinCommand(app, action);
    addShowCommand(app, action);
    addCompareCommand(app, action);
    addWhatifCommand(app, action);
    addProveCommand(app, action);
    addStrategiesCommand(app, action);
    addExportCommand(app, action);
    addDevicesCommand(app, action);
    addSweepCommand(app, action);
    addCompletionCommand(app, action);
    const std::string firstWord = argc > 1 ? argv[1] : "";
    app.failure_message([&](const CLI::App*, const CLI::Error& error) { return usageMessage(app, error, firstWord); });
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (app.exit(error) != 0) return static_cast<int>(ExitCode::kBadConfiguration);
        finishOutput();  // reports if the text of --help or --version could not be written
        return 0;
    }
    const CLI::App& chosen = *app.get_subcommands().front();
    if (const std::string option = findEmptyOption(chosen); !option.empty()) {
        std::cerr << "ringsidectl " << chosen.get_name() << ": " << option << " is empty: give it a value or omit it\n";
        return static_cast<int>(ExitCode::kBadConfiguration);
    }
    const int code = action();
    if (code == 0) finishOutput();
    return code;
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f then fails as on a full disk
    try {
        return ringside::runCommandLine(argc, argv);
    } catch (const ringside::Error& error) {
        std::cerr << "ringsidectl: " << ringside::terminalText(error.what()) << '\n';
        return static_cast<int>(error.exitCode());
    } catch (const std::exception& error) {
        std::cerr << "ringsidectl: internal error: " << error.what() << "; please report it\n";
        return static_cast<int>(ringside::ExitCode::kInternal);
    }
}
