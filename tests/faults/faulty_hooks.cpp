// SPDX-License-Identifier: Apache-2.0
// Rank that injects a fault at a place of its training: RINGSIDE_FAULT="kill@step=30:1" has the form fault@place:rank.
// Places: connecting, training, validating, saving, finished, each also as "saving/2" for its second occurrence;
// step=N; and committing/N: the weights of the Nth checkpoint are written but not yet renamed to their final name. The
// rank "any" means each rank whose process has the variable. RINGSIDE_TEST_WRONG_INDEX="rank:epoch:slot:sample"
// replaces a sample.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "launch/channels/rank_channels.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/rename_hook.h"
#include "support/wrong_index_text.h"
#include "worker_hooks.h"

namespace ringside {
namespace {

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
}

void sleepFor(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Ends this process by a signal with its default action, also if a sanitizer has installed a handler.
void endBy(int number) {
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// Writes a file until the disk is full to the last byte.
void fillDisk(const std::filesystem::path& beside) {
    const int file = ::open((beside / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::array<char, 4096> zeros{};
    for (std::size_t size = zeros.size(); size > 0; size /= 2) {
        while (::write(file, zeros.data(), size) > 0) {
        }
    }
    ::close(file);
}

void limitFiles(pid_t process, rlim_t bytes) {
    const rlimit limit{bytes, bytes};
    ::prlimit(process, RLIMIT_FSIZE, &limit, nullptr);
}

// Kind of garbage that this process sends to other hosts, see lyingSend().
enum class Garbage { kNone, kNotNumbers, kWrongLength };
std::atomic<Garbage> sentGarbage{Garbage::kNone};

// Drops the capabilities with which root ignores the permissions of files. Affects this thread.
void dropFilePrivileges() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> all{};
    ::syscall(SYS_capget, &header, all.data());
    all[0].effective &= ~(1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH);
    ::syscall(SYS_capset, &header, all.data());
}

// Makes a directory and all directories below it read-only; with levels = 2 its parent directory too.
void makeReadOnly(const std::filesystem::path& directory, int levels) {
    namespace fs = std::filesystem;
    constexpr auto kReadOnly = fs::perms(0555);
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(directory, ignored))
        if (entry.is_directory()) fs::permissions(entry.path(), kReadOnly, ignored);
    fs::permissions(directory, kReadOnly, ignored);
    if (levels > 1) fs::permissions(directory.parent_path(), kReadOnly, ignored);
    dropFilePrivileges();
}

class FaultyHooks final : public RankHooks {
  public:
    explicit FaultyHooks(const RankEnvironment& environment)
        : m_rank(environment.rank), m_runDirectory(environment.runDirectory) {
        const std::string fault = variable("RINGSIDE_FAULT");
        const std::size_t at = fault.find('@');
        const std::size_t colon = fault.rfind(':');
        if (at == std::string::npos || colon == std::string::npos) return;
        const std::string rank = fault.substr(colon + 1);
        if (rank != "any" && std::atoi(rank.c_str()) != m_rank) return;
        m_deed = fault.substr(0, at);
        m_place = fault.substr(at + 1, colon - at - 1);
        if (!m_place.starts_with("committing")) return;
        setRenameHook([this](const std::string& name) {
            if (name == kWeightsName) reach("committing");
        });
    }
    ~FaultyHooks() override { setRenameHook({}); }

    void onState(RankStage stage) override { reach(textOf(stage)); }
    void onStep(std::int64_t step) override {
        if (m_place == "step=" + std::to_string(step)) act();
    }
    std::optional<WrongIndex> wrongIndex() const override {
        const std::optional<WrongIndex> wrong = parseWrongIndex(variable("RINGSIDE_TEST_WRONG_INDEX"));
        return wrong && wrong->rank == m_rank ? wrong : std::nullopt;
    }

  private:
    void reach(const std::string& place) {
        const int times = ++m_times[place];
        if (m_place == place + "/" + std::to_string(times) || (times == 1 && m_place == place)) act();
    }
    void act() {
        const std::size_t equals = m_deed.find('=');
        const std::string deed = m_deed.substr(0, equals);
        const double number = equals == std::string::npos ? 0 : std::atof(m_deed.c_str() + equals + 1);
        if (deed == "signal") endBy(static_cast<int>(number));
        if (deed == "exit") ::_exit(static_cast<int>(number));
        if (deed == "throw") throw std::runtime_error("an injected exception");
        if (deed == "stall") sleepFor(number);
        // The thread does nothing else from here on, while the heartbeats continue.
        while (deed == "loop") sleepFor(0.001);
        if (deed == "cut") ::shutdown(RankChannels::kControlFd, SHUT_RDWR);
        if (deed == "supervisor") signalSupervisor(static_cast<int>(number));
        if (deed == "fill-disk") fillDisk(m_runDirectory.parent_path());
        if (deed == "limit-files") {
            limitFiles(::getppid(), static_cast<rlim_t>(number));
            limitFiles(::getpid(), static_cast<rlim_t>(number));
        }
        if (deed == "poison") sentGarbage = Garbage::kNotNumbers;
        if (deed == "misframe") sentGarbage = Garbage::kWrongLength;
        std::error_code ignored;
        if (deed == "delete-run") std::filesystem::remove_all(m_runDirectory, ignored);
        if (deed == "read-only") makeReadOnly(m_runDirectory, static_cast<int>(number));
        if (deed == "mark") {
            std::ofstream(variable("RINGSIDE_FAULT_MARK")) << "here\n";
            std::raise(SIGSTOP);  // the process that finds the mark continues this one
        }
        // A cut connection or a killed supervisor has its effect from another process after a short time. Sleeping
        // prevents further steps until then.
        if (deed == "cut" || m_deed == "supervisor=9") sleepFor(10);
    }

    // Sends a signal to the supervisor. SIGHUP is sent twice, as when a terminal is closed.
    static void signalSupervisor(int number) {
        ::kill(::getppid(), number);
        if (number == SIGHUP) {
            sleepFor(0.1);
            ::kill(::getppid(), number);
        }
        sleepFor(0.5);  // until the signal has been forwarded, so that it takes effect here and not after the last step
    }

    const int m_rank;
    const std::filesystem::path m_runDirectory;
    std::string m_deed;
    std::string m_place;
    std::map<std::string, int> m_times;
};

}  // namespace

// Replaces sendmsg() in communicators: sends gradients that are NaN, or a message with a wrong length, according to
// sentGarbage.
ssize_t lyingSend(int socket, const msghdr* message, int flags) {
    msghdr changed = *message;
    std::array<iovec, 2> pieces{};
    std::array<std::uint64_t, 2> header{};  // slot and length of the message
    std::vector<float> values;
    const Garbage garbage = sentGarbage;
    if (garbage != Garbage::kNone && changed.msg_iovlen == 2) {
        std::copy_n(changed.msg_iov, 2, pieces.begin());
        changed.msg_iov = pieces.data();
        if (garbage == Garbage::kNotNumbers && pieces[1].iov_len >= 4096) {
            values.assign(pieces[1].iov_len / sizeof(float) + 1, std::numeric_limits<float>::quiet_NaN());
            pieces[1].iov_base = values.data();
        } else if (garbage == Garbage::kWrongLength && pieces[0].iov_len == sizeof header) {
            std::memcpy(header.data(), pieces[0].iov_base, sizeof header);
            header[1] += 8;
            pieces[0].iov_base = header.data();
        }
    }
    return ::syscall(SYS_sendmsg, socket, &changed, flags);
}

std::unique_ptr<RankHooks> makeRankHooks(const RankEnvironment& environment) {
    return std::make_unique<FaultyHooks>(environment);
}

}  // namespace ringside

extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
    return ringside::lyingSend(socket, message, flags);
}
