// SPDX-License-Identifier: Apache-2.0
#include "base/system/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <functional>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// The folder "offer" with a file, next to a file "secret" that must stay unreadable. forbidden() lists names that try
// to leave the folder: links, "..", absolute paths and an embedded zero byte.
struct Folder {
    TemporaryDirectory scratch;
    fs::path inside = scratch.path() / "offer";
    UniqueFd fd;

    Folder() {
        fs::create_directories(inside / "data");
        std::ofstream(inside / "data" / "a.csv") << "offered";
        std::ofstream(scratch.path() / "secret") << "secret";
        fs::create_symlink("../secret", inside / "link");
        fs::create_symlink(scratch.path(), inside / "folder");
        fs::create_symlink("/proc/self/cwd", inside / "magic");
        fs::create_symlink("data/a.csv", inside / "harmless");
        fd = UniqueFd(::open(inside.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        REQUIRE(fd);
    }
    std::vector<std::string> forbidden() const {
        return {"link",
                "folder/secret",
                "magic/x",
                "magic",
                "harmless",
                "..",
                "../secret",
                "data/../../x",
                "data/../a.csv",
                (scratch.path() / "secret").string(),
                "",
                "/",
                "data/a.csv/..",
                "./../secret",
                std::string("data/a.csv\0x", 12)};
    }
};

std::string contentOf(const UniqueFd& fd) {
    std::array<char, 64> bytes{};
    const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
    return got < 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(got));
}

// Runs `check` in a child process and returns its result. confineFilesTo() restricts the process that calls it until
// its end, so the tests must not call it themselves.
bool holdsInChild(const std::function<bool()>& check) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(check() ? 0 : 1);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a relative name opens files in the directory; links, parents and absolute names are refused") {
    const Folder folder;
    for (const auto open : {openBeneath, walkBeneath}) {
        CHECK(contentOf(open(folder.fd.get(), "data/a.csv", O_RDONLY)) == "offered");
        CHECK(contentOf(open(folder.fd.get(), "./data//a.csv", O_RDONLY)) == "offered");
        CHECK(open(folder.fd.get(), ".", O_RDONLY | O_DIRECTORY));
        for (const std::string& name : folder.forbidden()) {
            CAPTURE(name);
            errno = 0;
            CHECK_FALSE(open(folder.fd.get(), name, O_RDONLY | O_NONBLOCK));
            CHECK(errno != 0);
        }
    }
}

TEST_CASE("a confined process can read only files in its folder") {
    const Folder folder;
    REQUIRE(::mkfifo((folder.inside / "pipe").c_str(), 0600) == 0);
    CHECK(holdsInChild(
        [&] { return confineFilesTo(folder.inside).ok() && readFile("data/a.csv", 100).value() == "offered"; }));
    for (std::string name : folder.forbidden()) {
        CAPTURE(name);
        CHECK(holdsInChild([&] { return confineFilesTo(folder.inside).ok() && !readFile(name, 100).ok(); }));
    }
    // A pipe without a writer is refused instead of waited for.
    CHECK(holdsInChild([&] { return confineFilesTo(folder.inside).ok() && !readFile("pipe", 100).ok(); }));
    // Messages of a confined process name neither the file nor a folder outside.
    CHECK(holdsInChild([&] {
        const std::string secret = (folder.scratch.path() / "secret").string();
        return confineFilesTo(folder.inside).ok() &&
               readFile(secret, 100).problem().text().find(folder.scratch.path().string()) == std::string::npos;
    }));
    CHECK(holdsInChild([&] {
        return confineFilesTo(folder.inside).ok() && readKernelFile("/proc/sys/kernel/random/boot_id", 256).ok() &&
               !readFile("/proc/sys/kernel/random/boot_id", 256).ok();
    }));
    // The test process itself is not confined.
    CHECK(readFile(folder.scratch.path() / "secret", 100).value() == "secret");
}
