// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/system/unique_fd.h"
#include "launch/wire/line_socket.h"

namespace ringside {
namespace {

bool isVirtual(const std::string& interface) {
    constexpr std::array kStarts = {"docker",  "br-",    "virbr",   "veth",      "tun",   "tap",
                                    "wg",      "cni",    "flannel", "vmnet",     "lxdbr", "lxcbr",
                                    "incusbr", "podman", "vboxnet", "tailscale", "zt"};
    return std::ranges::any_of(kStarts, [&](const char* start) { return interface.starts_with(start); });
}

// Returns the address from which this computer sends to the internet; empty without a default route. A datagram socket
// only looks up the route: nothing is sent. The destination is reserved for documentation (RFC 5737).
std::string routedAddress() {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(9);
    ::inet_pton(AF_INET, "203.0.113.1", &there.sin_addr);
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) return {};
    return ownAddress(socket.get(), false);
}

}  // namespace

void sortAddresses(std::vector<OwnAddress>& addresses, const std::string& routed) {
    std::ranges::stable_partition(addresses, [](const OwnAddress& one) { return !isVirtual(one.interface); });
    std::ranges::stable_partition(addresses, [&](const OwnAddress& one) { return one.address == routed; });
}

std::vector<OwnAddress> ownAddresses() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(list, ::freeifaddrs);
    std::vector<OwnAddress> found;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        const bool up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!up || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        if (::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size()) == nullptr) continue;
        found.push_back({text.data(), one->ifa_name});
    }
    sortAddresses(found, routedAddress());
    return found;
}

}  // namespace ringside
