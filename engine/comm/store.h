// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ringside {

// Key-value store shared by all ranks while they connect (TCP addresses, NCCL unique id). Values are bytes. Throws
// CommError if the store is unreachable or the deadline passes.
class Store {
  public:
    virtual ~Store() = default;
    virtual void set(const std::string& key, const std::vector<char>& value) = 0;
    // Blocks until the key exists and returns its value.
    virtual std::vector<char> get(const std::string& key, std::chrono::milliseconds deadline) = 0;
};

}  // namespace ringside
