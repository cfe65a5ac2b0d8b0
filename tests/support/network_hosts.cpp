// SPDX-License-Identifier: Apache-2.0
#include "support/network_hosts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <stdexcept>

namespace ringside::test {
namespace {

using std::chrono::steady_clock;

constexpr int kMtu = 65000;
constexpr int kPacketsAtOnce = 64;
constexpr int kAskAgainMs = 200;
constexpr std::chrono::seconds kMayTake{30};

void must(bool done, const std::string& what) {
    if (!done) throw std::runtime_error(what + ": " + std::strerror(errno));
}

void command(const std::string& line) {
    must(std::system((line + " >/dev/null 2>&1").c_str()) == 0, "'" + line + "' failed");
}

struct Packet {
    steady_clock::time_point due;
    std::string bytes;
};

struct Direction {
    int from = -1;
    int to = -1;
    std::deque<Packet> onTheWay = {};

    void take(std::chrono::microseconds delay) {
        std::array<char, kMtu + 512> buffer;
        for (int i = 0; i < kPacketsAtOnce; ++i) {
            const ssize_t got = ::read(from, buffer.data(), buffer.size());
            if (got <= 0) return;
            onTheWay.push_back(
                {steady_clock::now() + delay, std::string(buffer.data(), static_cast<std::size_t>(got))});
        }
    }
    void deliver() {
        while (!onTheWay.empty() && onTheWay.front().due <= steady_clock::now()) {
            const std::string& bytes = onTheWay.front().bytes;
            [[maybe_unused]] const ssize_t written = ::write(to, bytes.data(), bytes.size());
            onTheWay.pop_front();
        }
    }
};

int tunIn(const std::string& path) {
    const UniqueFd space(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    must(space && ::setns(space.get(), CLONE_NEWNET) == 0, path);
    const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    must(fd >= 0, "/dev/net/tun");
    ifreq request{};
    std::strncpy(request.ifr_name, NetworkHosts::kInterface, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    must(::ioctl(fd, TUNSETIFF, &request) == 0, "TUNSETIFF");
    return fd;
}

UniqueFd socketAt(const std::string& address, int flags) {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    sockaddr_in where{};
    where.sin_family = AF_INET;
    ::inet_pton(AF_INET, address.c_str(), &where.sin_addr);
    must(socket && ::bind(socket.get(), reinterpret_cast<sockaddr*>(&where), sizeof where) == 0,
         "a socket at " + address);
    return socket;
}

[[noreturn]] void carry(int a, int b, std::chrono::microseconds delay) {
    std::array<Direction, 2> ways{Direction{a, b}, Direction{b, a}};
    while (true) {
        std::chrono::nanoseconds wait = std::chrono::seconds(1);
        for (const Direction& way : ways) {
            if (way.onTheWay.empty()) continue;
            wait = std::min(wait, std::chrono::nanoseconds(way.onTheWay.front().due - steady_clock::now()));
        }
        wait = std::max(wait, std::chrono::nanoseconds(0));
        const timespec time{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
        std::array<pollfd, 2> polls{pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
        ::ppoll(polls.data(), polls.size(), &time, nullptr);
        for (Direction& way : ways) way.take(delay);
        for (Direction& way : ways) way.deliver();
    }
}

}  // namespace

std::string NetworkHosts::whyNot() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::unshare(CLONE_NEWNET) == 0 ? 0 : errno);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return std::string("this process may not make network namespaces (") + std::strerror(WEXITSTATUS(status)) + ")";
    }
    return std::system("ip -V >/dev/null 2>&1") == 0 ? "" : "the command ip is not installed";
}

pid_t NetworkHosts::fork(const std::string& what) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    must(child >= 0, what);
    if (child == 0 && (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent)) ::_exit(1);
    return child;
}

NetworkHosts::NetworkHosts(std::chrono::microseconds oneWayDelay) {
    for (int host = 0; host < 2; ++host) {
        std::array<int, 2> pipe{};
        must(::pipe2(pipe.data(), O_CLOEXEC) == 0, "pipe");
        m_keepers.push_back(fork("a host"));
        if (m_keepers.back() == 0) {
            const bool made = ::unshare(CLONE_NEWNET) == 0;
            [[maybe_unused]] const ssize_t ignored = ::write(pipe[1], made ? "y" : "n", 1);
            while (made) ::pause();
            ::_exit(1);
        }
        ::close(pipe[1]);
        const UniqueFd reader(pipe[0]);
        char answer = 'n';
        must(::read(reader.get(), &answer, 1) == 1 && answer == 'y', "a network namespace");
    }
    const std::string other = std::to_string(m_keepers[1]);
    if (oneWayDelay.count() == 0) {
        command(prefix(0) + "ip link add " + kInterface + " mtu " + std::to_string(kMtu) + " type veth peer name " +
                kInterface + " netns " + other);
    } else {
        std::array<int, 2> pipe{};
        must(::pipe2(pipe.data(), O_CLOEXEC) == 0, "pipe");
        m_carrier = fork("the cable");
        if (m_carrier == 0) {
            const int a = tunIn(namespaceOf(0));
            const int b = tunIn(namespaceOf(1));
            [[maybe_unused]] const ssize_t ignored = ::write(pipe[1], "y", 1);
            carry(a, b, oneWayDelay);
        }
        ::close(pipe[1]);
        const UniqueFd reader(pipe[0]);
        char answer = 'n';
        must(::read(reader.get(), &answer, 1) == 1, "the cable");
    }
    for (int host = 0; host < 2; ++host) {
        command(prefix(host) + "ip link set lo up");
        command(prefix(host) + "ip link set " + kInterface + " mtu " + std::to_string(kMtu) + " up");
        command(prefix(host) + "ip addr add " + address(host) + "/24 dev " + kInterface);
    }
    waitUntilItCarries();
}

// Waits until the network carries packets. A new interface drops packets until the kernel has detected its link, which
// takes a second and more on a busy machine. A lost first packet is repeated only after 1 s and 3 s, which is longer
// than some tests wait.
void NetworkHosts::waitUntilItCarries() const {
    const UniqueFd home(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    must(home.get() >= 0, "/proc/thread-self/ns/net");
    enter(0);
    const UniqueFd listener = socketAt(address(0), 0);
    must(::listen(listener.get(), 8) == 0, "listen");
    sockaddr_in where{};
    socklen_t size = sizeof where;
    must(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&where), &size) == 0, "getsockname");
    enter(1);
    const auto until = steady_clock::now() + kMayTake;
    bool carries = false;
    while (!carries && steady_clock::now() < until) {
        const UniqueFd asking = socketAt(address(1), SOCK_NONBLOCK);
        if (::connect(asking.get(), reinterpret_cast<sockaddr*>(&where), size) != 0 && errno != EINPROGRESS) {
            ::poll(nullptr, 0, kAskAgainMs);
            continue;
        }
        pollfd poll{asking.get(), POLLOUT, 0};
        carries = ::poll(&poll, 1, kAskAgainMs) == 1 && (poll.revents & (POLLERR | POLLHUP)) == 0;
    }
    must(::setns(home.get(), CLONE_NEWNET) == 0, "back to the own network");
    if (!carries) throw std::runtime_error("the cable between the hosts carries nothing after half a minute");
}

NetworkHosts::~NetworkHosts() {
    std::vector<pid_t> all = m_keepers;
    if (m_carrier > 0) all.push_back(m_carrier);
    for (const pid_t pid : all) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
}

std::string NetworkHosts::namespaceOf(int host) const {
    return "/proc/" + std::to_string(m_keepers[static_cast<std::size_t>(host)]) + "/ns/net";
}

std::string NetworkHosts::prefix(int host) const {
    return "nsenter --net=" + namespaceOf(host) + " ";
}

void NetworkHosts::enter(int host) const {
    const std::string path = namespaceOf(host);
    const UniqueFd space(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    must(space && ::setns(space.get(), CLONE_NEWNET) == 0, path);
}

void NetworkHosts::unplug() const {
    command(prefix(0) + "ip link set " + kInterface + " down");
}

void NetworkHosts::plug() const {
    command(prefix(0) + "ip link set " + kInterface + " up");
}

}  // namespace ringside::test
