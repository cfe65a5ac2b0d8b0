// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"
#include "launch/wire/line_socket.h"

namespace ringside {

// Listening port of a host that admits only peers that know its secret. Each connection receives a challenge and may
// answer with one line of kMaxGreetingBytes within five seconds, on at most kMostPending connections at a time.
// Connections without a valid answer are counted and closed. An unfinished answer, or a lack of file descriptors, costs
// no CPU time between polls.
class FrontDoor {
  public:
    static constexpr std::size_t kMostPending = 256;

    // The caller's answer to a line: true when it was no stranger's. May take the socket.
    using Greet = std::function<bool(UniqueFd& socket, const std::string& nonce, const std::string& line)>;

    // The first address of a host that can be had. loopbackIsAny: a name whose address is the loopback one listens on
    // all, for Debian's /etc/hosts gives a host's own name an address that no other host reaches.
    bool listen(const std::string& host, int port, bool loopbackIsAny);
    bool isOpen() const { return static_cast<bool>(m_listener); }
    void close();

    std::string address() const;  // "10.0.0.7:21345", where it listens
    std::int64_t strangers() const { return m_strangers; }

    void addInterests(std::vector<pollfd>& waiting) const;
    // What has come, without waiting.
    void look(const Greet& greet);

  private:
    struct Pending {
        UniqueFd socket;
        std::string nonce;
        LineDeadline deadline;
        LineReader reader;
    };
    void accept();
    bool makeRoom();

    UniqueFd m_listener;
    std::list<Pending> m_pending;  // oldest first
    LineDeadline m_restUntil{};    // no connection can be accepted before: file descriptors have run out
    std::int64_t m_strangers = 0;
};

}  // namespace ringside
