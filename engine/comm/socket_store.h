// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "base/system/unique_fd.h"
#include "base/time/awake_deadline.h"
#include "comm/store.h"
#include "launch/store/store_protocol.h"

namespace ringside {

// Client of the supervisor's store (launch/store/store_server.h) over an inherited stream socket. Thread-safe: the
// groups of a rank share it. Unusable after a CommError, because the late answer to the failed request could be taken
// for the answer to the next one.
class SocketStore final : public Store {
  public:
    // timeout: longest wait of set(), which blocks only while the supervisor does not read.
    explicit SocketStore(UniqueFd socket, std::chrono::milliseconds timeout = std::chrono::seconds(30))
        : m_socket(std::move(socket)), m_timeout(timeout) {}

    void set(const std::string& key, const std::vector<char>& value) override;
    std::vector<char> get(const std::string& key, std::chrono::milliseconds deadline) override;

  private:
    void send(const StoreFrame& frame, AwakeDeadline& deadline, const std::string& what);
    StoreFrame receive(AwakeDeadline& deadline, const std::string& what);
    void waitFor(short events, AwakeDeadline& deadline, const std::string& what);

    std::mutex m_mutex;  // locked from the sending of a request until its answer has been read
    UniqueFd m_socket;
    std::chrono::milliseconds m_timeout;
    StoreFrameReader m_reader;
};

}  // namespace ringside
