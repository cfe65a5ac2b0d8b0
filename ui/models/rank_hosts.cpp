// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/rank_hosts.h"

#include <QObject>
#include <algorithm>

#include "telemetry/data/host_links.h"
#include "telemetry/events/clock_text.h"

namespace ringside {

QString HostGroup::name() const {
    return host.isEmpty() ? QObject::tr("this host") : host;
}

std::vector<HostGroup> hostsWithLinks(const RunData& run) {
    std::vector<HostGroup> hosts;
    for (std::size_t rank = 0; rank < run.ranks().size(); ++rank) {
        const QString host = QString::fromStdString(run.ranks()[rank].host);
        auto found = std::ranges::find(hosts, host, &HostGroup::host);
        if (found == hosts.end()) {
            hosts.push_back({host, {}});
            found = std::prev(hosts.end());
        }
        found->ranks.push_back(static_cast<int>(rank));
    }
    for (const HostLink& link : hostLinks(run)) {
        const auto found = std::ranges::find(hosts, QString::fromStdString(link.host), &HostGroup::host);
        if (found == hosts.end()) continue;
        found->link = QString::fromStdString(link.fullText());
        found->slow = link.slow != HostLink::Slow::kNo;
    }
    return hosts;
}

std::vector<HostGroup> hostGroups(const RunData& run) {
    std::vector<HostGroup> groups = hostsWithLinks(run);
    if (groups.size() < 2 || groups.size() == run.ranks().size()) return {};
    return groups;
}

QString hostClockText(const RunData& run, int rank) {
    const std::string& host = run.ranks()[static_cast<std::size_t>(rank)].host;
    const auto first = std::ranges::find_if(
        run.ranks(), [&host](const RankData& one) { return one.host == host && one.clock.has_value(); });
    if (first == run.ranks().end()) return {};
    return QObject::tr("clock %1").arg(QString::fromStdString(clockText(*first->clock)));
}

}  // namespace ringside
