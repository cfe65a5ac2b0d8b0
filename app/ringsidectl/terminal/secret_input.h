// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// Settings for reading a secret.
struct SecretInput {
    std::string name;    // name of the secret in messages: "the join code"
    std::string prompt;  // text shown on standard error if the input is a terminal
    int fd = 0;
    int cancelFd = -1;  // descriptor that becomes readable when a signal has arrived; see signalInput()
    std::size_t maxBytes = 256;
    std::chrono::milliseconds timeout{600000};
};

// Reads one line and nothing beyond it. On a terminal, the typed characters are not shown, and the terminal's settings
// are restored afterwards. Returns a problem at the end of the input, on a signal, on a line that is too long, and at
// the timeout.
Result<std::string> readSecret(const SecretInput& input);

}  // namespace ringside
