// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/host_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace ringside {
namespace {

constexpr double kFarMs = 1;
constexpr double kFarShare = 0.1;  // minimum round trip of a far link, as a share of a step's duration
constexpr double kNarrowTimes = 3;
// A link is narrow only if bytes are in flight for at least this share of the time.
constexpr double kNarrowShare = 0.1;
// used instead of kNarrowShare in a run on two hosts, which has no other link to compare with
constexpr double kBusyShare = 0.5;
// minimum time with bytes in flight, in microseconds, that is needed to compute a rate: the kernel measures this time
// with a resolution of up to 10 ms
constexpr std::int64_t kMinBusyUs = 20'000;
// The rate is known only if the receiver waits for bytes in at least this share of the time with bytes in flight.
// Otherwise, this time depends on the receiver's computations and not on the link.
// Ranks that receive several messages in turn wait for the rest of a message in a third of the time (measured with
// three hosts); behind a slow rank, in less than a tenth.
constexpr double kMinWaitShare = 0.2;
constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Traffic from one host to another host, summed up from the reports of the ranks on both hosts.
struct Direction {
    double roundTripUs = kUnknown;
    double bytes = 0;
    std::int64_t busyUs = 0;
    std::int64_t lengthUs = 0;
    double waitShare = 0;  // share of the time (0 to 1) in which the receiving host waits for the rest of a message

    bool isKnown() const { return lengthUs > 0; }
    // Adds one connection between two ranks. All ranks of a host send over the same link at the same time: their bytes
    // are summed, and the longest busy time is used.
    void add(const RankLinks& links, std::size_t index) {
        roundTripUs = std::min(roundTripUs, static_cast<double>(links.roundTripUs[index]));
        bytes += static_cast<double>(links.bytes[index]);
        busyUs = std::max(busyUs, links.busyUs[index]);
        lengthUs = std::max(lengthUs, links.lengthUs);
    }
    // Adds a report of the receiving host about the same connection.
    void addWait(const RankLinks& links, std::size_t index) {
        if (links.waitUs.empty() || links.lengthUs <= 0) return;
        const auto share = static_cast<double>(links.waitUs[index]) / static_cast<double>(links.lengthUs);
        waitShare = std::max(waitShare, share);
    }
    // True if the rate can be computed. A receiver that is busy computing acknowledges late: Linux delays an
    // acknowledgement by up to 40 ms unless the receive window can grow. Bytes sent to such a receiver are in flight
    // for longer than the link needs.
    bool hasRate() const { return busyUs >= kMinBusyUs && waitShare >= kMinWaitShare * inFlightShare(); }
    // Returns the rate in Mbit/s if hasRate() is true, otherwise a lower bound of the rate.
    double mbitPerSecond() const { return 8 * bytes / static_cast<double>(std::max(busyUs, kMinBusyUs)); }
    double inFlightShare() const { return isKnown() ? static_cast<double>(busyUs) / static_cast<double>(lengthUs) : 0; }
};

struct Hosts {
    std::vector<HostLink> links;
    std::vector<std::size_t> ofRank;
};

Hosts hostsOf(const RunData& run) {
    Hosts hosts;
    for (std::size_t rank = 0; rank < run.ranks().size(); ++rank) {
        const std::string& name = run.ranks()[rank].host;
        const auto found = std::ranges::find(hosts.links, name, &HostLink::host);
        hosts.ofRank.push_back(static_cast<std::size_t>(found - hosts.links.begin()));
        if (found == hosts.links.end()) hosts.links.push_back({.host = name, .rank = static_cast<int>(rank)});
    }
    return hosts;
}

// Returns the traffic for each pair of sending and receiving host. The entries of a host with itself stay unknown.
std::vector<Direction> directionsOf(const RunData& run, const Hosts& hosts) {
    const std::size_t count = hosts.links.size();
    std::vector<Direction> directions(count * count);
    for (std::size_t rank = 0; rank < run.ranks().size(); ++rank) {
        const std::optional<RankLinks>& links = run.ranks()[rank].links;
        for (std::size_t i = 0; links && i < links->peer.size(); ++i) {
            const auto peer = static_cast<std::size_t>(links->peer[i]);
            if (peer >= run.ranks().size() || hosts.ofRank[rank] == hosts.ofRank[peer]) continue;
            directions[hosts.ofRank[rank] * count + hosts.ofRank[peer]].add(*links, i);
            directions[hosts.ofRank[peer] * count + hosts.ofRank[rank]].addWait(*links, i);
        }
    }
    return directions;
}

// Updates `link` with the connection to one other host: keeps the shortest round trip and the highest rate of all
// connections, because a slow connection may be caused by the host at its other end.
void keepBetterLink(HostLink& link, const Direction& there, const Direction& back) {
    const double roundTrip = std::min(there.roundTripUs, back.roundTripUs) / 1000;
    if (link.roundTripMs == 0 || roundTrip < link.roundTripMs) link.roundTripMs = roundTrip;
    // A direction in which no bytes were sent is not counted, because its rate is unknown.
    double rate = kUnknown;
    bool isKnown = true;
    for (const Direction* way : {&there, &back}) {
        if (way->bytes == 0) continue;
        isKnown = way->mbitPerSecond() < rate ? way->hasRate() : isKnown;
        rate = std::min(rate, way->mbitPerSecond());
    }
    if (rate == kUnknown || rate <= link.minMbitPerSecond) return;
    link.minMbitPerSecond = rate;
    link.mbitPerSecond = isKnown ? rate : 0;
    link.inFlightShare = std::max(there.inFlightShare(), back.inFlightShare());
}

std::optional<double> medianOfOthers(const std::vector<HostLink>& links, const HostLink& but) {
    std::vector<double> rates;
    for (const HostLink& link : links)
        if (&link != &but && link.minMbitPerSecond > 0) rates.push_back(link.minMbitPerSecond);
    if (rates.empty()) return {};
    std::ranges::sort(rates);
    const std::size_t middle = rates.size() / 2;
    return rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2;
}

void judge(HostLink& link, const std::vector<HostLink>& links) {
    const bool isMeasured = link.mbitPerSecond > 0;
    const bool isOnly = links.size() == 1;
    const double others = medianOfOthers(links, link).value_or(0);
    if (isOnly && isMeasured && link.inFlightShare > kBusyShare) link.slow = HostLink::Slow::kNarrow;
    if (isMeasured && link.inFlightShare > kNarrowShare && kNarrowTimes * link.mbitPerSecond < others) {
        link.slow = HostLink::Slow::kNarrow;
        link.timesSlower = others / link.mbitPerSecond;
    }
    if (link.slow != HostLink::Slow::kNo) return;
    if (link.roundTripMs > kFarMs && link.stepMs > 0 && link.roundTripMs > kFarShare * link.stepMs)
        link.slow = HostLink::Slow::kFar;
}

// Formats a value with one decimal if it is below 9.95, and without decimals otherwise.
std::string number(double value) {
    return fmt::format("{:.{}f}", value, value < 9.95 ? 1 : 0);
}

std::string rateText(double mbitPerSecond) {
    return mbitPerSecond < 999.5 ? number(mbitPerSecond) + " Mbit/s" : number(mbitPerSecond / 1000) + " Gbit/s";
}

}  // namespace

std::string HostLink::text() const {
    const std::string roundTrip = roundTripMs < 0.0995 ? fmt::format("{:.2f}", roundTripMs) : number(roundTripMs);
    return roundTrip + " ms round trip" + (mbitPerSecond > 0 ? ", " + rateText(mbitPerSecond) : "");
}

std::string HostLink::finding() const {
    if (slow == Slow::kFar) return fmt::format("a round trip takes {:.0f} % of a step", 100 * roundTripMs / stepMs);
    if (slow == Slow::kNo) return {};
    if (timesSlower > 0) return fmt::format("{:.0f} times slower than the median link of the other hosts", timesSlower);
    return fmt::format("bytes are in transfer {:.0f} % of the time", 100 * std::min(inFlightShare, 1.0));
}

std::string HostLink::fullText() const {
    return slow == Slow::kNo ? text() : text() + ": " + finding();
}

std::vector<HostLink> hostLinks(const RunData& run) {
    Hosts hosts = hostsOf(run);
    const std::size_t count = hosts.links.size();
    if (count < 2) return {};
    const std::vector<Direction> directions = directionsOf(run, hosts);
    const double stepsPerSecond = run.stepsPerSecond().value_or(0);
    for (std::size_t host = 0; host < count; ++host) {
        hosts.links[host].stepMs = stepsPerSecond > 0 ? 1000 / stepsPerSecond : 0;
        for (std::size_t other = 0; other < count; ++other) {
            const Direction& there = directions[host * count + other];
            const Direction& back = directions[other * count + host];
            if (there.isKnown() || back.isKnown()) keepBetterLink(hosts.links[host], there, back);
        }
    }
    // In a run on two hosts, both entries describe the same link. Removes the entry of rank 0's host.
    if (count == 2) hosts.links.erase(hosts.links.begin());
    for (HostLink& link : hosts.links) judge(link, hosts.links);
    std::erase_if(hosts.links, [](const HostLink& link) { return link.roundTripMs == 0; });
    return hosts.links;
}

}  // namespace ringside
