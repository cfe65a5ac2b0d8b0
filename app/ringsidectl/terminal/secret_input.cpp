// SPDX-License-Identifier: Apache-2.0
#include "terminal/secret_input.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>

#include "base/system/files.h"

namespace ringside {
namespace {

using std::chrono::steady_clock;

// Switches off the echo of a terminal during its lifetime. No effect if `fd` is not a terminal.
class WithoutEcho {
  public:
    explicit WithoutEcho(int fd) : m_fd(fd), m_isTerminal(::tcgetattr(fd, &m_before) == 0) {
        if (!m_isTerminal) return;
        termios silent = m_before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(m_fd, TCSAFLUSH, &silent);
    }
    ~WithoutEcho() {
        if (m_isTerminal) ::tcsetattr(m_fd, TCSAFLUSH, &m_before);
    }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

    bool isTerminal() const { return m_isTerminal; }

  private:
    int m_fd;
    termios m_before{};
    bool m_isTerminal;
};

// Waits for a byte. Returns an error message, or an empty text once a byte is available.
std::string waitForByte(const SecretInput& input, steady_clock::time_point deadline) {
    pollfd waiting[] = {{input.fd, POLLIN, 0}, {input.cancelFd, POLLIN, 0}};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0) return "was not entered within " + std::to_string(input.timeout.count() / 1000) + " s";
        const int ready = ::poll(waiting, std::size(waiting), static_cast<int>(std::min<long long>(left, 60000)));
        if (ready < 0 && errno != EINTR) return "cannot be read (" + errnoText(errno) + ")";
        if (ready <= 0) continue;
        return waiting[1].revents != 0 ? "was not entered: stopped by a signal" : "";
    }
}

Result<std::string> readLine(const SecretInput& input) {
    const auto problem = [&](const std::string& message) {
        return Problem{input.name, message, "enter " + input.name + " in one line"};
    };
    const auto deadline = steady_clock::now() + input.timeout;
    std::string line;
    for (;;) {
        if (const std::string why = waitForByte(input, deadline); !why.empty()) return problem(why);
        char byte = 0;
        const ssize_t got = ::read(input.fd, &byte, 1);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return problem("cannot be read (" + errnoText(errno) + ")");
        if (byte == '\n') return line;
        if (got == 0) return line.empty() ? Result<std::string>(problem("was not entered")) : line;
        if (line.size() == input.maxBytes)
            return problem("has more than " + std::to_string(input.maxBytes) + " characters");
        line += byte;
    }
}

}  // namespace

Result<std::string> readSecret(const SecretInput& input) {
    const WithoutEcho silent(input.fd);
    if (silent.isTerminal()) std::fprintf(stderr, "%s", input.prompt.c_str());
    Result<std::string> line = readLine(input);
    if (silent.isTerminal()) std::fprintf(stderr, "\n");
    return line;
}

}  // namespace ringside
