// SPDX-License-Identifier: Apache-2.0
#include "live/join_command.h"

#include <csignal>
#include <cstdlib>
#include <memory>

#include "base/system/signal_input.h"
#include "experiment/experiment_file.h"
#include "live/guest_view.h"
#include "live/join_code_source.h"
#include "run/classroom/classroom_client.h"
#include "run/ranks/worker_program.h"

namespace ringside {
namespace {

constexpr const char* kJoinFooter =
    "ringsidectl host (or Run > Invite ranks) shows the join code. Any person who knows it can join, and\n"
    "other users of this computer can read command lines: enter the code after \"ringsidectl join -\", or\n"
    "pass it in RINGSIDE_CODE or in a file. This computer computes one rank on its CPU. It receives the\n"
    "data from the host, checks them and keeps them for the next time. If the connection is lost, it\n"
    "reconnects. Ctrl-C leaves the classroom.\n"
    "\n"
    "Examples:\n"
    "  ringsidectl join - --name Ada                      reads the code without showing it\n"
    "  ringsidectl join --code-file code.txt --name Ada\n"
    "  RINGSIDE_CODE=... ringsidectl join --name Ada      in a job script, from a file that only you can read";

struct JoinArguments {
    std::string code;
    std::string codeFile;
    std::string name;
    std::string folder;
    std::int64_t maxMb = 512;
    bool lines = false;
};

std::filesystem::path cacheFolder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "ringside" / "class";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".cache" / "ringside" / "class";
    return std::filesystem::temp_directory_path() / "ringside-class";
}

// Checks the name under which other members see this rank.
Problems nameProblems(const std::string& name) {
    if (name.empty())
        return {
            {"--name", "is missing: it names this rank on the screens of the other participants", "use --name Ada"}};
    if (name.size() > kMaxClassName)
        return {{"--name",
                 "has " + std::to_string(name.size()) + " characters; the maximum is " + std::to_string(kMaxClassName),
                 "choose a shorter name"}};
    return {};
}

int joinClass(const JoinArguments& arguments) {
    const UniqueFd signals = signalInput({SIGINT, SIGTERM, SIGHUP});
    const Result<JoinCode> code = findJoinCode({arguments.code, arguments.codeFile, 0, signals.get()});
    if (!code) return reportProblems({code.problem()});
    if (const Problems wrong = nameProblems(arguments.name); !wrong.empty()) return reportProblems(wrong);
    const Result<std::filesystem::path> worker = findWorkerProgram(DeviceChoice::kCpu);
    if (!worker) return reportProblems({worker.problem()});
    ClientSettings plan;
    plan.code = code.value();
    plan.name = arguments.name;
    plan.worker = worker.value();
    plan.folder = arguments.folder.empty() ? cacheFolder() : std::filesystem::path(arguments.folder);
    plan.maxBytes = arguments.maxMb << 20;
    plan.program = RINGSIDE_VERSION;
    if (arguments.lines) plan.inputFd = 0;
    GuestView view(arguments.lines);
    return ClassroomClient(std::move(plan), view).run(signals.get());
}

}  // namespace

void addJoinCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand("join", "Makes this computer a rank of another person's run");
    command->footer(kJoinFooter);
    auto arguments = std::make_shared<JoinArguments>();
    command->add_option("CODE", arguments->code,
                        "\"-\" to enter the join code, or the code itself, which other users can see");
    command->add_option("--code-file", arguments->codeFile, "File with the join code")->type_name("FILE");
    command
        ->add_option("--name", arguments->name, "Your name, shown to the other participants as the name of this rank")
        ->type_name("NAME");
    command->add_option("--folder", arguments->folder, "Folder for received data (default: ~/.cache/ringside/class)")
        ->type_name("DIR");
    command->add_option("--most-mb", arguments->maxMb, "Maximum MiB of data to receive from the host and keep")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->type_name("MiB");
    command->add_flag("--lines", arguments->lines, "Print JSON lines for programs");
    command->callback([arguments, &action] { action = [arguments] { return joinClass(*arguments); }; });
}

}  // namespace ringside
