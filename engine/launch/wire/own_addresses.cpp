// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <memory>

namespace ringside {
namespace {

bool isVirtual(const std::string& interface) {
    constexpr std::array kStarts = {"docker", "br-", "virbr", "veth", "tun", "tap", "wg", "cni", "flannel", "vmnet"};
    return std::ranges::any_of(kStarts, [&](const char* start) { return interface.starts_with(start); });
}

}  // namespace

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
    std::ranges::stable_partition(found, [](const OwnAddress& one) { return !isVirtual(one.interface); });
    return found;
}

}  // namespace ringside
