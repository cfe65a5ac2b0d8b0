// SPDX-License-Identifier: Apache-2.0
#include "launch/exchange/job_server.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/crypto/secret.h"
#include "launch/exchange/pmi_server.h"
#include "launch/exchange/pmix_server.h"
#include "launch/wire/own_addresses.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxAddresses = 16;
constexpr const char* kEveryAddress = "0.0.0.0";

std::vector<std::string> splitAtCommas(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        parts.push_back(text.substr(at, comma - at));
        at = comma + 1;
    }
    return parts;
}

std::string jobAndAddresses() {
    std::string text = randomHex(16);
    std::vector<OwnAddress> addresses = ownAddresses();
    addresses.resize(std::min(addresses.size(), kMaxAddresses));
    for (const OwnAddress& one : addresses) text += "," + one.address;
    return text;
}

}  // namespace

Result<std::unique_ptr<JobServer>> connectJobServer(const LaunchOptions& options, const LaunchSources& sources,
                                                    LineDeadline deadline) {
    switch (serverNeededBy(options, sources)) {
        case ServerKind::kNone:
            return std::unique_ptr<JobServer>();
        case ServerKind::kPmi:
            return PmiServer::connect(sources, deadline);
        case ServerKind::kPmix:
            return PmixServer::connect(sources);
    }
    return std::unique_ptr<JobServer>();
}

Result<bool> exchangeJob(JobServer& server, LaunchLayout& layout, bool hasMaster, LineDeadline deadline) {
    const Result<std::string> shared = server.shareFromFirst(layout.rank == 0 ? jobAndAddresses() : "", deadline);
    if (!shared) return shared.problem();
    std::vector<std::string> parts = splitAtCommas(shared.value());
    if (parts.front().size() != 32)
        return Problem{"rank 0", "shared \"" + shared.value() + "\" instead of the identifier of the job",
                       "start all ranks with the same version of ringside-worker"};
    layout.job = textOf(layout.launcher) + " " + parts.front();
    if (hasMaster || layout.isOneHost()) return true;
    // If rank 0's host has no network address, the ranks on this host reach rank 0 at the loopback address; ranks on
    // other hosts cannot reach rank 0.
    if (parts.size() == 1) parts.emplace_back("127.0.0.1");
    layout.masterHosts.assign(parts.begin() + 1, parts.end());
    // rank 0 cannot know which of its addresses the other ranks can reach
    if (layout.rank == 0) layout.masterHosts = {kEveryAddress};
    return true;
}

}  // namespace ringside
