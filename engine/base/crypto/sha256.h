// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ringside {

// SHA-256 of bytes given piece by piece.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::span<const std::byte> bytes);
    std::string hex();  // ends the sum: call once, last

  private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

}  // namespace ringside
