// SPDX-License-Identifier: Apache-2.0
#include "train/control_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/errors.h"
#include "base/files.h"
#include "base/json.h"
#include "base/processors.h"

namespace ringside {

namespace {

constexpr std::size_t kMaxLine = 64U << 10;  // control lines are short; more without a newline is thrown away

}  // namespace

ControlInput::ControlInput(int fd, std::function<void()> onEnd)
    : m_fd(fd), m_onEnd(std::move(onEnd)), m_wake(eventfd(0, EFD_CLOEXEC)) {
    if (!m_wake) throw IoError("no event descriptor for the control input: " + errnoText(errno));
    m_thread = std::thread([this] { work(); });
}

ControlInput::~ControlInput() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(m_wake.get(), &one, sizeof one);
    m_thread.join();
}

void ControlInput::work() {
    nameThread("control");
    std::array<pollfd, 2> watched{{{m_fd, POLLIN, 0}, {m_wake.get(), POLLIN, 0}}};
    for (;;) {
        if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return m_onEnd();
        if (watched[1].revents) return;
        if (watched[0].revents && !readSome()) return m_onEnd();
    }
}

bool ControlInput::readSome() {
    std::array<char, 4096> bytes;
    const ssize_t got = read(m_fd, bytes.data(), bytes.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    for (const char byte : std::string_view(bytes.data(), static_cast<std::size_t>(got))) {
        if (byte != '\n') {
            if (m_partial.size() < kMaxLine) m_partial += byte;
            continue;
        }
        takeLine(m_partial);
        m_partial.clear();
    }
    return true;
}

void ControlInput::takeLine(const std::string& line) {
    const Result<Json> json = parseJson(line, "control line", kMaxLine);
    if (!json || !json.value().is_object()) return;
    const auto kind = json.value().find("kind");
    if (kind != json.value().end() && *kind == "stop") m_pending = ControlCode::kStop;
}

}  // namespace ringside
