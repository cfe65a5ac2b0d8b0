// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ringside {

// Incremental computation of a SHA-256 digest.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::span<const std::byte> bytes);
    std::string hex();  // returns the digest in hexadecimal; call once, after the last add()

  private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

}  // namespace ringside
