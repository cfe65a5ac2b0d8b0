// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/guest_folder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <set>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void failMaking(const fs::path& path, int error) {
    throw IoError(path.string() + " cannot be created (" + errnoText(error) +
                  "): free space, or choose another folder (--folder)");
}

void makeFolders(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) failMaking(folder, error.value());
}

// Returns "join-HOST-", the prefix of the folders of guests on this computer. Contains the name of the computer,
// because several computers can share a home directory, and each removes only its own folders.
std::string prefixHere() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    std::string host(name.data());
    std::ranges::replace(host, '/', '_');
    return "join-" + host + "-";
}

// Removes the folders of this computer's guests whose process no longer exists. Folder names are join-HOST-PID-RANDOM.
void removeLeftovers(const fs::path& parent, const std::string& prefix) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix)) continue;
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), pid);
        const bool isGone = error == std::errc{} && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
        if (isGone && *end == '-') fs::remove_all(entry.path(), ignored);
    }
}

Problem conflict(const std::string& name, const std::string& why) {
    return {"the data of the classroom", "have a file " + name + " that " + why, "ask the host to rename it"};
}

}  // namespace

std::optional<Problem> offerConflict(const std::vector<ClassroomFile>& files) {
    std::set<std::string> names{kOfferedExperiment};
    for (const ClassroomFile& file : files) {
        if (!names.insert(file.name).second)
            return conflict(file.name, file.name == kOfferedExperiment ? "has the name of the experiment's file"
                                                                       : "is offered twice under the same name");
    }
    for (const std::string& name : names) {
        for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
            if (names.contains(name.substr(0, slash)))
                return conflict(name.substr(0, slash), "has the same path as the folder that contains " + name);
        }
    }
    return {};
}

void GuestFolder::Remove::operator()(const fs::path* folder) const noexcept {
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    delete folder;
}

GuestFolder::GuestFolder(const fs::path& parent) {
    makeFolders(parent);
    const std::string prefix = prefixHere();
    removeLeftovers(parent, prefix);
    std::string name = (parent / (prefix + std::to_string(::getpid()) + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) failMaking(name, errno);
    m_folder.reset(new fs::path(name));
}

void GuestFolder::beginOffer(int number) {
    std::error_code ignored;
    if (!m_offer.empty()) fs::remove_all(m_offer, ignored);
    fs::remove(partialFile(), ignored);
    m_offer = *m_folder / std::to_string(number);
    makeFolders(m_offer);
}

fs::path GuestFolder::preparePath(const std::string& name) const {
    const fs::path path = m_offer / name;
    makeFolders(path.parent_path());
    return path;
}

}  // namespace ringside
