// SPDX-License-Identifier: Apache-2.0
#include "results/training_child.h"

#include <poll.h>
#include <unistd.h>

#include <array>

#include "base/errors/errors.h"
#include "base/system/child_process.h"
#include "base/system/files.h"
#include "base/text/last_complaint.h"
#include "run/read/run_directory.h"

namespace ringside {
namespace {

// Waits until the program has ended and returns all of its output.
std::string outputOf(ChildProcess& child) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count = 1; count != 0;) {
        count = ::read(child.outputFd(), buffer.data(), buffer.size());
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
        if (count >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) break;
        pollfd more{child.outputFd(), POLLIN, 0};
        ::poll(&more, 1, 1000);
    }
    pollfd end{child.exitFd(), POLLIN, 0};
    while (!child.poll()) ::poll(&end, 1, 1000);
    return text;
}

}  // namespace

WorkDirectory::WorkDirectory(const std::string& name) {
    std::string wanted = (std::filesystem::temp_directory_path() / ("ringside-" + name + "-XXXXXX")).string();
    if (::mkdtemp(wanted.data()) == nullptr) throw IoError("no temporary directory can be created in " + wanted);
    m_path = wanted;
}

WorkDirectory::~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

Result<TrainedChild> trainAsChild(const RunConfig& config, const std::string& name,
                                  const std::filesystem::path& directory) {
    const std::filesystem::path out = directory / name;
    writeFileAtomically(directory / (name + ".json"), config.toText(2));
    ChildOptions options;
    options.program = "/proc/self/exe";
    options.arguments = {"run", (directory / (name + ".json")).string(), "--out", out.string()};
    ChildProcess child(options);
    const std::string said = outputOf(child);
    const Result<RunSummary> summary = readRunSummary(RunPaths(out).summary());
    if (!child.end()->signalled && child.end()->code == 0 && summary) return TrainedChild{out, summary.value()};
    const std::string verdict = summary ? summary.value().verdict : "";
    return Problem{"", verdict.empty() ? lastComplaint(said) : verdict, "omit it, or change the experiment"};
}

}  // namespace ringside
