// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "comm/communicator.h"

namespace ringside {

// Where a rank can be reached: an IPv4 or IPv6 address and a port.
class PeerAddress {
  public:
    static PeerAddress loopback();
    static PeerAddress ofNumber(const std::string& text);  // "10.0.0.7"; throws CommError
    // Of this host's network interface with this name; a problem lists the names there are.
    static Result<PeerAddress> ofInterface(const std::string& name);
    // Where a socket is bound; throws CommError.
    static PeerAddress boundTo(int socket);

    // For the store, and back: nothing for bytes that are no address.
    std::vector<char> encode() const;
    static std::optional<PeerAddress> decode(const std::vector<char>& bytes);

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&m_storage); }
    socklen_t size() const { return m_size; }
    int family() const { return m_storage.ss_family; }
    std::string text() const;  // "127.0.0.1 port 40001"

  private:
    static std::optional<PeerAddress> from(const sockaddr* address);

    sockaddr_storage m_storage{};
    socklen_t m_size = 0;
};

// Where a rank listens for the others. Throws CommError when there is no such interface or address here.
PeerAddress hostAddress(const CommOptions& options);

}  // namespace ringside
