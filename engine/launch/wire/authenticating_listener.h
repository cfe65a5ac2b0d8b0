// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Listening port of a host that admits only peers that know its secret. Each connection receives a challenge and may
// answer with one line of kMaxGreetingBytes within five seconds, on at most kMaxPending connections at a time.
// Connections without a valid answer are counted and closed. An unfinished answer, or a lack of file descriptors, does
// not wake the caller's ::poll() again and again.
class AuthenticatingListener {
  public:
    static constexpr std::size_t kMaxPending = 256;

    // Callback for a received line. Returns true if the line proves the secret. May take ownership of the socket.
    using CheckLine = std::function<bool(UniqueFd& socket, const std::string& nonce, const std::string& line)>;

    // Listens on the first address of `host` that can be bound; false if there is none. loopbackIsAny: if true, and
    // `host` is a name other than localhost that resolves to a loopback address, listens on all interfaces: on Debian,
    // /etc/hosts maps a host's own name to 127.0.1.1, which other hosts cannot reach.
    bool listen(const std::string& host, int port, bool loopbackIsAny);
    // Listens on a Unix socket at a new path with mode 600; false on an error (errno).
    bool listenAt(const std::filesystem::path& path);
    bool isOpen() const { return static_cast<bool>(m_listener); }
    void close();

    std::string address() const;  // returns the listening address, such as "10.0.0.7:21345"
    std::int64_t refusedConnections() const { return m_refusedConnections; }

    // Appends the descriptors of the listener and of the pending connections to `waiting`, for the call of ::poll()
    // that precedes poll().
    void addInterests(std::vector<pollfd>& waiting) const;
    // Accepts connections and passes received lines to `checkLine`. Does not block, except in `checkLine`.
    void poll(const CheckLine& checkLine);

  private:
    struct Pending {
        UniqueFd socket;
        std::string nonce;
        LineDeadline deadline;
        LineReader reader;
    };
    void accept();
    bool closeOldestPending();

    UniqueFd m_listener;
    std::list<Pending> m_pending;    // connections whose greeting has not arrived, oldest first
    LineDeadline m_acceptAgainAt{};  // time of the next attempt to accept after file descriptors ran out
    std::int64_t m_refusedConnections = 0;
};

}  // namespace ringside
