// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/peer_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

socklen_t sizeOfFamily(int family) {
    if (family == AF_INET) return sizeof(sockaddr_in);
    return family == AF_INET6 ? sizeof(sockaddr_in6) : 0;
}

// True for a link-local IPv6 address, which is ambiguous outside of this host.
bool isOfOneLink(const PeerAddress& address) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.socketAddress());
    return address.family() == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

}  // namespace

std::optional<PeerAddress> PeerAddress::fromSocketAddress(const sockaddr* address) {
    PeerAddress result;
    result.m_size = address == nullptr ? 0 : sizeOfFamily(address->sa_family);
    if (result.m_size == 0) return {};
    std::memcpy(&result.m_storage, address, result.m_size);
    return result;
}

PeerAddress PeerAddress::loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return *fromSocketAddress(reinterpret_cast<const sockaddr*>(&address));
}

PeerAddress PeerAddress::parse(const std::string& text) {
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    v4.sin_family = AF_INET;
    v6.sin6_family = AF_INET6;
    if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
        return *fromSocketAddress(reinterpret_cast<const sockaddr*>(&v4));
    if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1)
        return *fromSocketAddress(reinterpret_cast<const sockaddr*>(&v6));
    throw CommError("\"" + text + "\" is not an IP address");
}

Result<PeerAddress> PeerAddress::ofInterface(const std::string& name) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return Problem{"parallel.interface", "cannot be resolved (" + errnoText(errno) + ")",
                       "leave the setting empty"};
    }
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
    std::optional<PeerAddress> found;
    std::string names;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        const std::optional<PeerAddress> address = fromSocketAddress(one->ifa_addr);
        if (!address || (one->ifa_flags & IFF_UP) == 0 || isOfOneLink(*address)) continue;
        const std::string here = one->ifa_name;
        if ((", " + names + ",").find(", " + here + ",") == std::string::npos) {
            names += (names.empty() ? "" : ", ") + here;
        }
        // Prefers IPv4, because a link-local IPv6 address is valid only together with the name of a network interface
        // (its scope).
        if (here == name && (!found || (found->family() != AF_INET && address->family() == AF_INET))) found = address;
    }
    if (found) return *found;
    return Problem{"parallel.interface",
                   "is \"" + name +
                       "\", which is not a network interface with an address on this computer; the interfaces with an "
                       "address are " +
                       names,
                   "choose one of these interfaces"};
}

PeerAddress PeerAddress::boundTo(int socket) {
    PeerAddress address;
    address.m_size = sizeof address.m_storage;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address.m_storage), &address.m_size) != 0) {
        throw CommError("the address of a socket cannot be read (" + errnoText(errno) + ")");
    }
    return address;
}

std::vector<char> PeerAddress::encode() const {
    const auto* bytes = reinterpret_cast<const char*>(&m_storage);
    return {bytes, bytes + m_size};
}

std::optional<PeerAddress> PeerAddress::decode(const std::vector<char>& bytes) {
    sockaddr_storage storage{};
    if (bytes.size() > sizeof storage || bytes.size() < sizeof(sa_family_t)) return {};
    std::memcpy(&storage, bytes.data(), bytes.size());
    if (bytes.size() != sizeOfFamily(storage.ss_family)) return {};
    return fromSocketAddress(reinterpret_cast<const sockaddr*>(&storage));
}

std::string PeerAddress::text() const {
    std::array<char, INET6_ADDRSTRLEN> host{};
    const bool is4 = family() == AF_INET;
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&m_storage);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&m_storage);
    const void* bytes = is4 ? static_cast<const void*>(&v4->sin_addr) : &v6->sin6_addr;
    ::inet_ntop(family(), bytes, host.data(), host.size());
    return std::string(host.data()) + " port " + std::to_string(ntohs(is4 ? v4->sin_port : v6->sin6_port));
}

PeerAddress listenAddress(const CommOptions& options) {
    if (!options.interface.empty()) {
        const Result<PeerAddress> address = PeerAddress::ofInterface(options.interface);
        if (!address) throw CommError(address.problem().text());
        return address.value();
    }
    return options.address.empty() ? PeerAddress::loopback() : PeerAddress::parse(options.address);
}

}  // namespace ringside
