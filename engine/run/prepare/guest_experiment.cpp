// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/guest_experiment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "base/json/json.h"
#include "base/system/beneath.h"
#include "base/system/files.h"
#include "config/config_fields.h"
#include "launch/classroom/guest_folder.h"

namespace ringside {
namespace {

constexpr int kMaxDepth = 64;

bool isOffered(const std::string& name, const std::set<std::string>& offered) {
    if (!isSafeName(name)) return false;
    const std::string folder = name + "/";
    const auto next = offered.lower_bound(folder);
    return offered.contains(name) || (next != offered.end() && next->starts_with(folder));
}

Problem unreadable(int error) {
    return {"the folder of the files that the classroom offers", "cannot be read (" + errnoText(error) + ")",
            "join the classroom again"};
}

// Adds to `files` the names, relative to `root`, of all files below the directory `name`, except the experiment.
// Returns a problem if an entry is neither a file nor a directory, or cannot be read.
std::optional<Problem> collect(int root, const std::string& name, int depth, std::set<std::string>& files) {
    UniqueFd directory = openBeneath(root, name.empty() ? "." : name, O_RDONLY | O_DIRECTORY);
    if (!directory || depth > kMaxDepth) return unreadable(directory ? ELOOP : errno);
    const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(directory.get()), ::closedir);
    if (!list) return unreadable(errno);
    const int fd = directory.release();  // closedir() closes the descriptor, so `directory` must not close it
    while (const dirent* entry = ::readdir(list.get())) {
        const std::string own = entry->d_name;
        if (own == "." || own == "..") continue;
        const std::string whole = name.empty() ? own : name + "/" + own;
        struct stat info {};
        if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return unreadable(errno);
        if (S_ISDIR(info.st_mode)) {
            if (auto problem = collect(root, whole, depth + 1, files)) return problem;
        } else if (!S_ISREG(info.st_mode)) {
            return Problem{whole, "is not a regular file", "join the classroom again"};
        } else if (whole != kOfferedExperiment) {
            files.insert(whole);
        }
    }
    return {};
}

}  // namespace

std::optional<Problem> guestProblem(const RunConfig& given, const std::set<std::string>& offered) {
    RunConfig config = given;
    for (const ConfigField& field : configFields()) {
        if (!field.isPath) continue;
        const std::string& name = *std::get<std::string*>(field.slot(config));
        if (!name.empty() && !isOffered(name, offered))
            return Problem{std::string(field.path),
                           "of the offered experiment is not an offered file; a guest opens offered files only",
                           "ask the host to offer the file"};
    }
    return {};
}

std::optional<Problem> guestProblem(const ClassroomOffer& offer) {
    const Result<Json> json = parseJson(offer.config, "the offered experiment", kMaxClassroomLine);
    if (!json) return json.problem();
    const Result<RunConfig> config = RunConfig::fromJson(json.value());
    if (!config) return config.problem();
    std::set<std::string> names;
    for (const ClassroomFile& file : offer.files) names.insert(file.name);
    return guestProblem(config.value(), names);
}

Result<std::set<std::string>> filesOfOffer(const std::filesystem::path& folder) {
    const UniqueFd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!root) return unreadable(errno);
    std::set<std::string> files;
    if (auto problem = collect(root.get(), {}, 0, files)) return *problem;
    return files;
}

}  // namespace ringside
