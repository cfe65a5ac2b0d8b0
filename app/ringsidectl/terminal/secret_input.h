// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/errors/result.h"

namespace ringside {

struct SecretInput {
    std::string name;    // of the secret in messages: "the join code"
    std::string prompt;  // shown on standard error where a person types
    int fd = 0;
    int cancelFd = -1;  // readable when a signal has come, see signalInput()
    std::size_t mostBytes = 256;
    std::chrono::milliseconds timeout{600000};
};

// Reads one line and nothing behind it. On a terminal the typed characters are not shown, and the terminal is as before
// afterwards. Problems: the end of the input, a signal, a line that is too long, the timeout.
Result<std::string> readSecret(const SecretInput& input);

}  // namespace ringside
