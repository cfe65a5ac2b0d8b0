// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/hierarchical_communicator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/errors/errors.h"
#include "base/time/monotonic.h"
#include "comm/call_mismatch_error.h"
#include "comm/communicator_factory.h"
#include "comm/group_members.h"
#include "comm/hosts/memory_sharers.h"
#include "comm/missing_rank.h"
#include "comm/tcp/peer_mesh.h"
#include "launch/layout/last_words.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;

// Size of an all-reduce, in bytes, from which every rank of a host exchanges one part with other hosts. From this size
// on, using the links and CPUs of all ranks saves more time than two additional rounds cost.
constexpr std::size_t kInPartsFrom = std::size_t{256} << 10;
// Returns the timeout of waits between hosts. It is longer than the timeout of waits within a host, so that the ranks
// on the host of a missing rank are the first to detect and report it. With equal timeouts, ranks on other hosts could
// report a rank that is not at fault.
milliseconds betweenHosts(milliseconds withinHost) {
    return withinHost + std::min(withinHost / 4, milliseconds(500));
}

constexpr milliseconds kAYear = std::chrono::hours(24 * 365);

// Errors of the communicator over shared memory contain a rank's position on the host of `own`. Returns the number of
// this rank in the run.
int rankAt(const HostMap& hosts, int own, int position) {
    return hosts.ranksOn(hosts.hostOf(own)).at(static_cast<std::size_t>(position));
}

std::string differentCallsText(int rank, const std::string& what) {
    return "the ranks called different collectives, rank " + std::to_string(rank) + " among them, near " + what +
           ": every rank must make the same calls with the same sizes and options";
}

}  // namespace

HierarchicalCommunicator::HierarchicalCommunicator(Dependencies dependencies, HostMap hosts, CommOptions options)
    : m_store(std::move(dependencies.store)),
      m_rank(dependencies.flat->rank()),
      m_hosts(std::move(hosts)),
      m_options(std::move(options)),
      m_flat(std::move(dependencies.flat)),
      m_local(std::move(dependencies.local)) {
    RINGSIDE_ASSERT(m_flat->size() == m_hosts.rankCount());
    RINGSIDE_ASSERT((m_local ? m_local->size() : 1) ==
                    static_cast<int>(m_hosts.ranksOn(m_hosts.hostOf(m_rank)).size()));
    connect();
}

HierarchicalCommunicator::~HierarchicalCommunicator() {
    if (!m_queue.isIdle()) abort();
}

void HierarchicalCommunicator::connect() {
    const int place = m_hosts.positionOnHost(m_rank);
    if (place > 0 && m_hosts.ranksPerHost() == 0) return;
    PeerMesh::Options mesh{"hosts/" + std::to_string(place) + "/",
                           {},
                           m_hosts.hostOf(m_rank),
                           listenAddress(m_options),
                           m_options.timeout};
    for (int host = 0; host < m_hosts.hostCount(); ++host) {
        mesh.ranksInRun.push_back(m_hosts.ranksOn(host)[static_cast<std::size_t>(place)]);
    }
    m_watch = std::make_unique<ContributionWatch>(mesh.ranksInRun, static_cast<std::size_t>(m_hosts.hostOf(m_rank)));
    PeerMesh peers(*m_store, std::move(mesh));
    m_exchange =
        std::make_unique<HostExchange>(peers.connect(), m_hosts.hostOf(m_rank), betweenHosts(m_options.timeout));
    m_exchange->setContributionWatch(m_watch.get());
    m_refusedConnections = peers.refusedConnections();
}

// Returns the statistics of the TCP connections to other hosts. There can be two connections to a rank, one of m_flat
// and one of m_exchange: their bytes and busy times are added, and the shorter round trip counts. Omits ranks of this
// host, because they communicate through shared memory.
std::vector<LinkStatistics> HierarchicalCommunicator::links() {
    std::vector<LinkStatistics> all = m_flat->links();
    const int own = m_hosts.hostOf(m_rank);
    std::erase_if(all, [&](const LinkStatistics& link) { return m_hosts.hostOf(link.peer) == own; });
    if (!m_exchange) return all;
    const auto place = static_cast<std::size_t>(m_hosts.positionOnHost(m_rank));
    for (LinkStatistics link : m_exchange->links()) {
        link.peer = m_hosts.ranksOn(link.peer)[place];
        const auto found = std::ranges::find(all, link.peer, &LinkStatistics::peer);
        if (found == all.end()) {
            all.push_back(link);
            continue;
        }
        found->roundTripUs = std::min(found->roundTripUs, link.roundTripUs);
        found->bytes += link.bytes;
        found->busyUs += link.busyUs;
        found->waitUs += link.waitUs;
    }
    return all;
}

std::string HierarchicalCommunicator::hosts() const {
    std::string text;
    for (int rank = 0; rank < size(); ++rank) {
        if (rank > 0) text += ' ';
        text += std::to_string(m_hosts.hostOf(rank));
    }
    return text;
}

void HierarchicalCommunicator::abortAll() {
    if (m_exchange) m_exchange->abort();
    if (m_exchange) m_exchange->close();
    if (m_local) m_local->abort();
    m_flat->abort();
}

void HierarchicalCommunicator::abort() {
    m_aborted = true;
    abortAll();
}

void HierarchicalCommunicator::fail(const std::string& what, const std::string& why, int missing) {
    const bool first = !std::exchange(m_failed, true);
    abortAll();
    if (m_aborted) throw CommError("communication was aborted during " + what);
    if (first) {
        const int silent = findMissingRank(*m_store, "hosts/", m_rank, size(), m_options.timeout);
        // Each rank whose wait failed has written a key to the store, so the rank without a key is the missing one. It
        // replaces `missing`, which can be a rank that waits for the missing one, too.
        missing = silent < 0 ? missing : silent;
    }
    const std::string who = missing < 0 ? "a rank" : "rank " + std::to_string(missing);
    throw CommError(who + " did not take part in " + what + " within " + describeDuration(m_options.timeout) + ": " +
                        why + "; see the ranks' logs",
                    missing);
}

// Aborts all parts of this communicator and throws a CommError with this text, which names `rank`. Does not search for
// a missing rank, because the rank at fault is known.
void HierarchicalCommunicator::failBecauseOf(int rank, const std::string& text) {
    m_failed = true;
    abortAll();
    throw CommError(text, rank);
}

void HierarchicalCommunicator::runCollective(QueuedCollective job, const std::function<void()>& call) {
    const WaitScope waiting(trace());
    job.trace = job.kind == CollectiveKind::kBarrier ? nullptr : activeTrace();
    if (job.trace != nullptr) job.readyNs = monotonicNs();
    m_queue.waitUntilEmpty();
    runNumbered(job, call);
}

// Queues a collective. Whether it is traced is decided here, in the calling thread, because all ranks queue the same
// collectives and therefore decide in the same way.
std::int64_t HierarchicalCommunicator::enqueue(QueuedCollective job) {
    job.trace = activeTrace();
    if (job.trace != nullptr) job.readyNs = monotonicNs();
    return m_queue.push(job);
}

// Synchronises all ranks before a traced collective, which separates waiting from data transfer in traces.
void HierarchicalCommunicator::synchroniseAllRanks() {
    std::int64_t word = 0;
    reduceThroughFirstRanks(CommBuffer::of(std::span(&word, 1)), ReduceOp::kSum);
}

void HierarchicalCommunicator::runTraced(const QueuedCollective& job, std::int64_t number,
                                         const std::function<void()>& call) {
    CollectiveStamp stamp{.group = m_options.traceGroupOffset,
                          .number = number,
                          .kind = static_cast<std::int64_t>(job.kind),
                          .bytes = static_cast<std::int64_t>(job.in.bytes()),
                          .readyNs = job.readyNs,
                          .arrivedNs = monotonicNs()};
    synchroniseAllRanks();
    // Time, by the clock of this host, at which this rank detected that all ranks have arrived. The arrival times of
    // ranks on other hosts cannot be used, because the clocks of hosts differ.
    stamp.lastNs = monotonicNs();
    call();
    stamp.endedNs = monotonicNs();
    job.trace->add(stamp);
}

void HierarchicalCommunicator::runNumbered(const QueuedCollective& job, const std::function<void()>& call) {
    const CollectiveKind kind = job.kind;
    const CommBuffer buffer = job.in;
    // Does not count the payload of collectives that run over m_flat (TCP between all ranks), because m_flat counts it
    // itself.
    if (!usesFlatCommunicator(job)) countCollective(kind, buffer);
    const std::int64_t number = m_collective.fetch_add(1) + 1;
    const std::string what =
        describeCollective(kind, buffer.type, buffer.count) + " (collective " + std::to_string(number) + ")";
    if (m_failed || m_aborted) fail(what, "an earlier collective or message of this rank has failed", -1);
    try {
        job.trace != nullptr ? runTraced(job, number, call) : call();
    } catch (const LinkError& error) {
        if (error.isMisuse()) {
            const int rank = m_hosts.ranksOn(error.peer()).front();
            failBecauseOf(rank, misbehaviourText(rank, error.what()));
        }
        const std::string host = error.peer() < 0 ? ""
                                                  : "connection to the host of rank " +
                                                        std::to_string(m_hosts.ranksOn(error.peer()).front()) + ": ";
        fail(what, host + error.what(), -1);
    } catch (const CallMismatchError& error) {
        const int rank = m_inFlat ? error.missingRank() : rankAt(m_hosts, m_rank, error.missingRank());
        failBecauseOf(rank, differentCallsText(rank, what));
    } catch (const CommError& error) {
        if (std::string_view(error.what()).find(kMisbehaves) != std::string_view::npos) {
            m_failed = true;
            abortAll();
            throw;
        }
        const int missing = error.missingRank();
        if (m_inFlat || missing < 0) fail(what, error.what(), missing);
        fail(what, "the missing rank has died, hangs or is much slower", rankAt(m_hosts, m_rank, missing));
    }
}

void HierarchicalCommunicator::reduceThroughFirstRanks(CommBuffer buffer, ReduceOp op) {
    if (m_local) m_local->allReduce(buffer, op);
    if (isFirstRankOnHost()) m_exchange->allReduce(buffer, op);
    if (m_local) m_local->broadcast(buffer, 0);
}

void HierarchicalCommunicator::reduceInParts(CommBuffer buffer, ReduceOp op) {
    m_local->allReduceAcrossHosts(
        buffer, op,
        {[&](CommBuffer part) { m_exchange->startAllReduce(part, op); }, [this] { m_exchange->finishAllReduce(); }});
}

void HierarchicalCommunicator::reduceNow(CommBuffer buffer, ReduceOp op) {
    if (op == ReduceOp::kTreeSum) return reduceFlat(buffer, op);
    if (m_local && m_hosts.ranksPerHost() > 1 && buffer.bytes() >= kInPartsFrom) return reduceInParts(buffer, op);
    reduceThroughFirstRanks(buffer, op);
}

// True if the collective uses the TCP connections between all ranks (Dependencies::flat). This is the case for a sum in
// a tree, because the tree crosses hosts at each level.
bool HierarchicalCommunicator::usesFlatCommunicator(const QueuedCollective& job) {
    return job.kind == CollectiveKind::kAllGather || job.kind == CollectiveKind::kReduceScatter ||
           job.op == ReduceOp::kTreeSum;
}

void HierarchicalCommunicator::reduceFlat(CommBuffer buffer, ReduceOp op) {
    m_inFlat = true;
    m_flat->allReduce(buffer, op);
    m_inFlat = false;
}

void HierarchicalCommunicator::gatherFlat(CommBuffer in, CommBuffer out) {
    m_inFlat = true;
    m_flat->allGather(in, out);
    m_inFlat = false;
}

void HierarchicalCommunicator::scatterFlat(CommBuffer in, CommBuffer out, ReduceOp op) {
    m_inFlat = true;
    m_flat->reduceScatter(in, out, op);
    m_inFlat = false;
}

void HierarchicalCommunicator::runQueued(const QueuedCollective& job) {
    runNumbered(job, [&] {
        if (job.kind == CollectiveKind::kAllGather) return gatherFlat(job.in, job.out);
        if (job.kind == CollectiveKind::kReduceScatter) return scatterFlat(job.in, job.out, job.op);
        reduceNow(job.in, job.op);
    });
}

void HierarchicalCommunicator::allReduce(CommBuffer buffer, ReduceOp op) {
    runCollective({CollectiveKind::kAllReduce, buffer, buffer, op}, [&] { reduceNow(buffer, op); });
}

CommHandle HierarchicalCommunicator::allReduceAsync(CommBuffer buffer, ReduceOp op) {
    return {*this, enqueue({CollectiveKind::kAllReduce, buffer, buffer, op})};
}

CommHandle HierarchicalCommunicator::allGatherAsync(CommBuffer in, CommBuffer out) {
    return {*this, enqueue({CollectiveKind::kAllGather, in, out})};
}

CommHandle HierarchicalCommunicator::reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) {
    return {*this, enqueue({CollectiveKind::kReduceScatter, in, out, op})};
}

void HierarchicalCommunicator::broadcast(CommBuffer buffer, int root) {
    RINGSIDE_ASSERT(root >= 0 && root < size());
    runCollective({CollectiveKind::kBroadcast, buffer, buffer}, [&] {
        const bool isHere = m_hosts.hostOf(root) == m_hosts.hostOf(m_rank);
        if (isHere && m_local) m_local->broadcast(buffer, m_hosts.positionOnHost(root));
        if (isFirstRankOnHost()) m_exchange->broadcast(buffer, m_hosts.hostOf(root));
        if (!isHere && m_local) m_local->broadcast(buffer, 0);
    });
}

void HierarchicalCommunicator::allGather(CommBuffer in, CommBuffer out) {
    runCollective({CollectiveKind::kAllGather, in, out}, [&] { gatherFlat(in, out); });
}

void HierarchicalCommunicator::reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) {
    runCollective({CollectiveKind::kReduceScatter, in, out, op}, [&] { scatterFlat(in, out, op); });
}

void HierarchicalCommunicator::waitForAllHosts(milliseconds timeout, const std::function<void()>& localBarrier) {
    runCollective({CollectiveKind::kBarrier, {}, {}}, [&] {
        if (m_local) localBarrier();
        if (isFirstRankOnHost()) m_exchange->barrier(timeout);
        if (m_local) localBarrier();
    });
}

void HierarchicalCommunicator::barrier() {
    waitForAllHosts(m_options.timeout, [this] { m_local->barrier(); });
}

void HierarchicalCommunicator::barrierWithoutTimeout() {
    waitForAllHosts(kAYear, [this] { m_local->barrierWithoutTimeout(); });
}

std::span<float> HierarchicalCommunicator::allocate(std::size_t count) {
    return m_local ? m_local->allocate(count) : m_allocated.emplace_back(count);
}

// Creates the sub-group in shared memory if all of its ranks are on this host. All ranks of this host take part in the
// split of m_local at the same time.
std::unique_ptr<Communicator> HierarchicalCommunicator::split(int colour, int key, GroupUse use) {
    m_queue.waitUntilEmpty();
    const std::vector<GroupRequest> requests = gatherGroupRequests(*m_flat, {colour, key});
    const auto isWithinHost = [&](int rank) {
        const GroupMembers members = membersOf(requests, rank);
        return std::ranges::all_of(members.ranks,
                                   [&](int other) { return m_hosts.hostOf(other) == m_hosts.hostOf(rank); });
    };
    const bool here = m_local && colour >= 0 && isWithinHost(m_rank);
    std::unique_ptr<Communicator> local = m_local ? m_local->split(here ? colour : -1, key, use) : nullptr;
    std::unique_ptr<Communicator> flat = m_flat->split(here ? -1 : colour, key, use);
    std::unique_ptr<Communicator> group = here ? std::move(local) : std::move(flat);
    if (group) group->setTrace(trace());
    return group;
}

std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           const std::vector<int>& hostOfRank, CommOptions options) {
    HostMap hosts(hostOfRank);
    options.oneClock = hosts.hostCount() == 1;
    HierarchicalCommunicator::Dependencies dependencies{
        store, makeGlooCommunicator(store, rank, hosts.rankCount(), options), nullptr};
    const auto here = static_cast<int>(hosts.ranksOn(hosts.hostOf(rank)).size());
    if (here > 1) {
        RINGSIDE_ASSERT(sharedFd >= 0);
        CommOptions within = options;
        within.traceGroupOffset = std::int64_t{hosts.hostOf(rank) + 1} << 44;
        dependencies.local = std::make_unique<ShmCommunicator>(std::make_shared<const Arena>(sharedFd, 0, here),
                                                               hosts.positionOnHost(rank), within, "shm");
    }
    return std::make_unique<HierarchicalCommunicator>(std::move(dependencies), std::move(hosts), std::move(options));
}

std::unique_ptr<Communicator> makeHierarchicalCommunicator(std::shared_ptr<Store> store, int sharedFd, int rank,
                                                           int worldSize, CommOptions options) {
    const std::vector<int> hosts = findMemorySharers(*store, sharedFd, rank, worldSize, options.timeout);
    return makeHierarchicalCommunicator(std::move(store), sharedFd, rank, hosts, std::move(options));
}

}  // namespace ringside
