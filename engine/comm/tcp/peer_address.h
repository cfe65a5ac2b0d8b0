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

// Address at which a rank accepts connections: an IPv4 or IPv6 address and a port.
class PeerAddress {
  public:
    static PeerAddress loopback();
    static PeerAddress parse(const std::string& text);  // parses "10.0.0.7"; throws CommError
    // Returns the address of the network interface with this name. If there is none, the problem lists the interfaces
    // that have an address.
    static Result<PeerAddress> ofInterface(const std::string& name);
    // Returns the address to which a socket is bound; throws CommError.
    static PeerAddress boundTo(int socket);

    // encode() returns the address as the bytes that are kept in the store; decode() converts them back. decode()
    // returns empty for bytes that are not an address.
    std::vector<char> encode() const;
    static std::optional<PeerAddress> decode(const std::vector<char>& bytes);

    const sockaddr* socketAddress() const { return reinterpret_cast<const sockaddr*>(&m_storage); }
    socklen_t size() const { return m_size; }
    int family() const { return m_storage.ss_family; }
    std::string text() const;  // returns, for example, "127.0.0.1 port 40001"

  private:
    static std::optional<PeerAddress> fromSocketAddress(const sockaddr* address);

    sockaddr_storage m_storage{};
    socklen_t m_size = 0;
};

// Returns the address on which a rank listens, as selected by the options. Throws CommError if this host has no such
// interface or address.
PeerAddress listenAddress(const CommOptions& options);

}  // namespace ringside
