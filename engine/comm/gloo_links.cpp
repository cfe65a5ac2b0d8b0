// SPDX-License-Identifier: Apache-2.0
#include "comm/gloo_links.h"

#include <gloo/transport/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <utility>

#include "base/errors/errors.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;

// Gloo buffer whose sends and receives go through PeerLinks.
class LinkedBuffer final : public gloo::transport::UnboundBuffer {
  public:
    LinkedBuffer(std::shared_ptr<PeerLinks> links, milliseconds timeout, void* data, std::size_t bytes)
        : gloo::transport::UnboundBuffer(data, bytes), m_links(std::move(links)), m_timeout(timeout) {}
    ~LinkedBuffer() override { m_links->cancelMessages(m_user); }

    bool waitRecv(int* from, milliseconds timeout) override {
        m_links->waitUntilReceived(m_user, orOurs(timeout));
        if (from != nullptr) *from = m_user.receivedFrom;
        return true;
    }
    bool waitSend(int* to, milliseconds timeout) override {
        m_links->waitUntilSent(m_user, orOurs(timeout));
        if (to != nullptr) *to = m_user.sentTo;
        return true;
    }
    void abortWaitRecv() override { m_links->abort(); }
    void abortWaitSend() override { m_links->abort(); }

    void send(int to, std::uint64_t slot, std::size_t offset, std::size_t bytes) override {
        m_links->send(m_user, to, slot, piece(offset, bytes));
    }
    void recv(int from, std::uint64_t slot, std::size_t offset, std::size_t bytes) override {
        m_links->receive(m_user, from, slot, piece(offset, bytes));
    }
    // Overload of Gloo for a receive from any of several ranks. Supports exactly one rank, because no algorithm in use
    // passes more.
    void recv(std::vector<int> from, std::uint64_t slot, std::size_t offset, std::size_t bytes) override {
        RINGSIDE_ASSERT(from.size() == 1);
        recv(from.front(), slot, offset, bytes);
    }

  private:
    std::span<std::byte> piece(std::size_t offset, std::size_t bytes) const {
        RINGSIDE_ASSERT(offset <= size);
        const std::size_t count = bytes == kUnspecifiedByteCount ? size - offset : bytes;
        RINGSIDE_ASSERT(count <= size - offset);
        return {static_cast<std::byte*>(ptr) + offset, count};
    }
    milliseconds orOurs(milliseconds timeout) const {
        return timeout == gloo::transport::kUnsetTimeout ? m_timeout : timeout;
    }

    std::shared_ptr<PeerLinks> m_links;
    milliseconds m_timeout;
    LinkCounters m_user;
};

// Placeholder of a Gloo connection. The algorithms of Gloo in use only check that a connection to each rank exists, and
// transfer data through the buffers above. All other functions throw InternalError.
class LinkedPair final : public gloo::transport::Pair {
  public:
    explicit LinkedPair(std::shared_ptr<PeerLinks> links) : m_links(std::move(links)) {}
    void close() override { m_links->close(); }
    const gloo::transport::Address& address() const override { unused(); }
    void connect(const std::vector<char>&) override { unused(); }
    void setSync(bool, bool) override { unused(); }
    std::unique_ptr<gloo::transport::Buffer> createSendBuffer(int, void*, std::size_t) override { unused(); }
    std::unique_ptr<gloo::transport::Buffer> createRecvBuffer(int, void*, std::size_t) override { unused(); }
    void send(gloo::transport::UnboundBuffer*, std::uint64_t, std::size_t, std::size_t) override { unused(); }
    void recv(gloo::transport::UnboundBuffer*, std::uint64_t, std::size_t, std::size_t) override { unused(); }

  private:
    [[noreturn]] static void unused() { throw InternalError("an unsupported Gloo algorithm was called"); }

    std::shared_ptr<PeerLinks> m_links;
};

class LinkedTransport final : public gloo::transport::Context {
  public:
    LinkedTransport(int ownRank, int ranks, std::shared_ptr<PeerLinks> links, milliseconds timeout)
        : gloo::transport::Context(ownRank, ranks), m_links(std::move(links)) {
        setTimeout(timeout);
        for (int peer = 0; peer < ranks; ++peer) {
            if (peer != ownRank) pairs_[static_cast<std::size_t>(peer)] = std::make_unique<LinkedPair>(m_links);
        }
    }
    std::unique_ptr<gloo::transport::Pair>& createPair(int peer) override { return getPair(peer); }
    std::unique_ptr<gloo::transport::UnboundBuffer> createUnboundBuffer(void* data, std::size_t bytes) override {
        return std::make_unique<LinkedBuffer>(m_links, getTimeout(), data, bytes);
    }

  private:
    std::shared_ptr<PeerLinks> m_links;
};

}  // namespace

GlooLinks::GlooLinks(int ownRank, int ranks, std::shared_ptr<PeerLinks> links, milliseconds timeout)
    : gloo::Context(ownRank, ranks) {
    transportContext_ = std::make_shared<LinkedTransport>(ownRank, ranks, std::move(links), timeout);
    setTimeout(timeout);
}

}  // namespace ringside
