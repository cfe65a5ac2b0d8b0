// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

struct OwnAddress {
    std::string address;
    std::string interface;
    bool operator==(const OwnAddress&) const = default;
};

// The IPv4 addresses under which other computers may reach this one, the likeliest first: bridges and tunnels of
// virtual machines and containers come last, the loopback address not at all.
std::vector<OwnAddress> ownAddresses();

}  // namespace ringside
