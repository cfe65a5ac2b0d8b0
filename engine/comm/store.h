// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ringside {

// A small key-value store all ranks share while they find each other (Gloo addresses, NCCL unique id).
// Values are bytes. Throws CommError when the store is gone or the deadline passes.
class Store {
  public:
    virtual ~Store() = default;
    virtual void set(const std::string& key, const std::vector<char>& value) = 0;
    // Waits until the key exists.
    virtual std::vector<char> get(const std::string& key, std::chrono::milliseconds deadline) = 0;
};

}  // namespace ringside
