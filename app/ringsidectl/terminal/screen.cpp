// SPDX-License-Identifier: Apache-2.0
#include "terminal/screen.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/processors/processors.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kLastPatience{2000};

// Writes the whole text; blocks while the reader is slow. Returns early on a write error.
void writeWhole(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        if (written >= 0 || errno != EAGAIN) return;
        // EAGAIN on a blocking descriptor: another process that shares the descriptor has made it non-blocking. Wait
        // until it is writable.
        pollfd ready{fd, POLLOUT, 0};
        ::poll(&ready, 1, -1);
    }
}

}  // namespace

struct Screen::State {
    struct Piece {
        int fd;
        std::string text;
    };
    std::mutex mutex;
    std::condition_variable more;
    std::condition_variable written;
    std::deque<Piece> pieces;
    std::size_t bytes = 0;  // number of bytes in `pieces` and in the piece that the thread is writing
    std::int64_t dropped = 0;
    bool over = false;

    void work();
};

void Screen::State::work() {
    nameThread("screen");
    std::unique_lock lock(mutex);
    for (;;) {
        more.wait(lock, [&] { return over || !pieces.empty(); });
        if (pieces.empty()) return;
        const Piece piece = std::move(pieces.front());
        pieces.pop_front();
        lock.unlock();
        writeWhole(piece.fd, piece.text);
        lock.lock();
        bytes -= piece.text.size();
        if (bytes == 0) written.notify_all();
    }
}

Screen::Screen(int outputFd, int errorFd) : m_output(outputFd), m_error(errorFd), m_state(std::make_shared<State>()) {
    std::thread([state = m_state] { state->work(); }).detach();
}

Screen::~Screen() {
    flush(kLastPatience);
    const std::lock_guard lock(m_state->mutex);
    m_state->over = true;
    m_state->pieces.clear();
    m_state->more.notify_all();
}

void Screen::out(const std::string& text) {
    add(m_output, text);
}

void Screen::error(const std::string& text) {
    add(m_error, text);
}

void Screen::add(int fd, const std::string& text) {
    if (text.empty()) return;
    const std::lock_guard lock(m_state->mutex);
    if (m_state->bytes + text.size() > kMaxBytes) {
        ++m_state->dropped;
        return;
    }
    if (m_state->dropped > 0) {
        const std::string missed = "[" + std::to_string(m_state->dropped) +
                                   " lines were not shown: the terminal did not accept them in time]\n";
        m_state->dropped = 0;
        m_state->bytes += missed.size();
        m_state->pieces.push_back({m_error, missed});
    }
    m_state->bytes += text.size();
    m_state->pieces.push_back({fd, text});
    m_state->more.notify_all();
}

bool Screen::flush(std::chrono::milliseconds deadline) {
    std::unique_lock lock(m_state->mutex);
    return m_state->written.wait_for(lock, deadline, [&] { return m_state->bytes == 0; });
}

}  // namespace ringside
