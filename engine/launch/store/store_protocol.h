// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside {

// Message of the key-value store's protocol, exchanged by a rank and the supervisor over a stream socket. A frame on
// the wire is its length (4 bytes, little-endian, of the rest), a verb, a key length (2 bytes, little-endian), the key
// and the value.
struct StoreFrame {
    // Maximum size of a request: verb, key length, key and value together.
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
    static constexpr std::size_t kMaxKeyBytes = 1024;

    enum class Verb : char {
        kSet = 'S',   // from a rank to the store: stores the value under the key; no answer
        kGet = 'G',   // from a rank to the store: requests a value; the store answers once the key exists
        kValue = 'V'  // from the store to a rank: answer to kGet
    };

    Verb verb = Verb::kSet;
    std::string key;
    std::string value;
};

// Returns the bytes of a frame. Asserts the size limits.
std::string encodeStoreFrame(const StoreFrame& frame);

// Decoder of a byte stream into frames; accepts chunks of any size. After isBroken() no further frame can be decoded.
class StoreFrameReader {
  public:
    void append(std::string_view bytes) { m_bytes.append(bytes); }
    // Returns the next complete frame, if any. Sets isBroken() on an invalid length or on a verb that no peer sends.
    std::optional<StoreFrame> next();
    bool isBroken() const { return m_isBroken; }

  private:
    std::string m_bytes;
    bool m_isBroken = false;
};

}  // namespace ringside
