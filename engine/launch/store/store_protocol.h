// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

// What a rank and the supervisor's key-value store say to each other over a stream socket. A frame is a length
// (4 bytes, little-endian, of what follows), a verb, a key length (2 bytes, little-endian), the key and the value.
struct StoreFrame {
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // of verb, key and value together
    static constexpr std::size_t kMaxKeyBytes = 1024;

    enum class Verb : char {
        kSet = 'S',   // rank to store: keep value under key; unanswered
        kGet = 'G',   // rank to store: answer with the value as soon as the key exists
        kValue = 'V'  // store to rank
    };

    Verb verb = Verb::kSet;
    std::string key;
    std::string value;
};

std::string encodeStoreFrame(const StoreFrame& frame);

// Collects bytes in any chunking and hands out whole frames. After broken() the rest is meaningless.
class StoreFrameReader {
  public:
    void append(std::string_view bytes) { m_bytes.append(bytes); }
    // The next whole frame, if any. Sets broken() on a length or verb that no peer of ours sends.
    std::optional<StoreFrame> next();
    bool broken() const { return m_broken; }

  private:
    std::string m_bytes;
    bool m_broken = false;
};

}  // namespace ringside
