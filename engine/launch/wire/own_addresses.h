// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// IPv4 address of this computer and the name of its network interface.
struct OwnAddress {
    std::string address;
    std::string interface;
    bool operator==(const OwnAddress&) const = default;
};

// Returns the IPv4 addresses of this computer for use by other computers, most likely first: the address of the default
// route, then the others; bridges and tunnels of virtual machines and containers come last. Excludes the loopback
// address.
std::vector<OwnAddress> ownAddresses();

// Sorts addresses in the order of ownAddresses(). `routed`: address of the default route; empty if there is none.
void sortAddresses(std::vector<OwnAddress>& addresses, const std::string& routed);

}  // namespace ringside
