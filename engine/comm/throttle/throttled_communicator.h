// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/throttle/link_throttle.h"

namespace ringside {

// Wrapper around another communicator (the inner one) whose collectives and messages last as long as on a link with the
// speed of `throttle`. The inner communicator transfers the data, with unchanged results; then the rank sleeps until
// the simulated link would have finished. A collective starts on the link when the last rank has arrived and the
// previous collective has left the link. All ranks of the run must use the same throttle.
class ThrottledCommunicator final : public Communicator {
  public:
    ThrottledCommunicator(std::unique_ptr<Communicator> inner, const LinkThrottle& throttle);
    ~ThrottledCommunicator() override;

    int rank() const override { return m_inner->rank(); }
    int size() const override { return m_inner->size(); }
    std::string name() const override { return m_inner->name(); }
    std::string hosts() const override { return m_inner->hosts(); }
    std::unique_ptr<Communicator> split(int colour, int key, GroupUse use) override;

    void allReduce(CommBuffer buffer, ReduceOp op) override;
    CommHandle allReduceAsync(CommBuffer buffer, ReduceOp op) override;
    void broadcast(CommBuffer buffer, int root) override;
    void allGather(CommBuffer in, CommBuffer out) override;
    void reduceScatter(CommBuffer in, CommBuffer out, ReduceOp op) override;
    void send(CommBuffer buffer, int to) override { sendAsync(buffer, to).wait(); }
    void recv(CommBuffer buffer, int from) override { recvAsync(buffer, from).wait(); }
    void barrier() override;
    // Blocks until all ranks have called barrierWithoutTimeout(), without the delay of the simulated link: this barrier
    // is used while ranks save a checkpoint, which takes time on the disk and not on the link.
    void barrierWithoutTimeout() override { m_inner->barrierWithoutTimeout(); }
    CommHandle allGatherAsync(CommBuffer in, CommBuffer out) override;
    CommHandle reduceScatterAsync(CommBuffer in, CommBuffer out, ReduceOp op) override;
    CommHandle sendAsync(CommBuffer buffer, int to) override;
    CommHandle recvAsync(CommBuffer buffer, int from) override;
    void abort() override { m_inner->abort(); }
    std::int64_t collectiveNumber() const override { return m_inner->collectiveNumber(); }
    std::int64_t refusedConnections() const override { return m_inner->refusedConnections(); }
    std::vector<LinkStatistics> links() override { return m_inner->links(); }
    ContributionWatch* contributionWatch() override { return m_inner->contributionWatch(); }
    std::span<float> allocate(std::size_t count) override { return m_inner->allocate(count); }

  protected:
    void waitFor(std::int64_t ticket) override;

  private:
    // A collective that is in progress on the simulated link.
    struct Moving {
        std::int64_t ticket = 0;
        CommHandle handle;
        std::int64_t lastsNs = 0;
        CollectiveTrace* trace = nullptr;  // trace of the collective; null if the step is not traced
    };
    // A message to receive. Before each message, the sender transmits the time of sending. The receiver can compare
    // this time with its own clock only if both ranks run on one host.
    struct Message {
        std::int64_t ticket = 0;
        CommHandle stamp;
        CommHandle payload;
        std::int64_t lastsNs = 0;
        std::int64_t sentNs = 0;
    };

    struct SentStamp {
        std::int64_t ns = 0;  // time at which the message was sent; is itself sent to the receiver, so the variable
                              // must exist until that send has ended
        CommHandle handle;
    };

    CommHandle beginCollective(CollectiveKind kind, CommBuffer in, CommHandle handle);
    void finishCollectivesUpTo(std::int64_t ticket);  // completes the collective of this ticket and all before it
    void finishTransfer(const Moving& one);
    void receiveMessagesUpTo(std::int64_t ticket);
    void delayBlockingCall(CollectiveKind kind, CommBuffer in);  // delays the return of a collective that the inner
                                                                 // communicator has already completed

    std::unique_ptr<Communicator> m_inner;
    LinkThrottle m_throttle;
    // Trace of the inner communicator's collectives, which contains the arrival time of the last rank. m_noPhases
    // exists only because a trace requires a phase track.
    PhaseTrack m_noPhases;
    CollectiveTrace m_stamps;
    std::size_t m_stampsTaken = 0;
    std::deque<Moving> m_moving;
    std::deque<std::unique_ptr<Message>> m_messages;  // pending receives, in the order of their start
    std::deque<SentStamp> m_sentStamps;
    std::int64_t m_started = 0;
    // number of receives that have been started; the ticket of the first one is -1, of the next one -2, and so on
    std::int64_t m_receives = 0;
    std::int64_t m_freeNs = 0;  // time from which the simulated link is free for the next collective
};

}  // namespace ringside
