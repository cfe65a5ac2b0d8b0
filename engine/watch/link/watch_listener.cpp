// SPDX-License-Identifier: Apache-2.0
#include "watch/link/watch_listener.h"

#include <cstdlib>
#include <utility>

#include "base/crypto/secret.h"
#include "launch/layout/launch_sources.h"

namespace ringside {

int WatchListener::port() const {
    const std::string address = m_remote.address();
    const std::size_t colon = address.rfind(':');
    return colon == std::string::npos ? 0 : std::atoi(address.c_str() + colon + 1);
}

void WatchListener::close() {
    m_local.close();
    m_remote.close();
}

void WatchListener::addInterests(std::vector<pollfd>& waiting) const {
    m_local.addInterests(waiting);
    m_remote.addInterests(waiting);
}

std::vector<std::unique_ptr<WatchedRank>> WatchListener::poll(const Admit& admit) {
    for (AuthenticatingListener* listener : {&m_local, &m_remote}) {
        listener->poll([&](UniqueFd& socket, const std::string& nonce, const std::string& line) {
            return checkLine(socket, nonce, line, admit);
        });
    }
    return std::exchange(m_admitted, {});
}

// Checks a greeting, answers it and keeps the connection of an admitted rank. False if the secret is not proven.
bool WatchListener::checkLine(UniqueFd& socket, const std::string& nonce, const std::string& line, const Admit& admit) {
    const std::optional<Greeting> greeting = decodeGreeting(line);
    const auto now = std::chrono::steady_clock::now();
    if (!greeting || greeting->role != ConnectionRole::kWatch ||
        !isSameSecret(greeting->proof, hmacSha256(m_secret, greeting->provenText(nonce)))) {
        sendLine(socket.get(), encodeAnswer({"", "the secret belongs to another watched run", ""}), now);
        return false;
    }
    const std::string refused = admit(*greeting);
    sendLine(socket.get(),
             encodeAnswer({hmacSha256(m_secret, answeredText(greeting->nonce, refused)), refused, hostKey()}), now);
    // A process that has ended already may have sent its events before: read them, even if the reply to its greeting
    // could not be written.
    if (refused.empty()) m_admitted.push_back(std::make_unique<WatchedRank>(*greeting, std::move(socket)));
    return true;
}

}  // namespace ringside
