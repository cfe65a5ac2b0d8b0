// SPDX-License-Identifier: Apache-2.0
#include "launch/store/store_protocol.h"

#include "base/errors/errors.h"

namespace ringside {
namespace {

constexpr std::size_t kMessageLengthBytes = 4;
constexpr std::size_t kFixedBytes = 3;  // size of the verb and the key length in a message, in bytes

void appendNumber(std::string& out, std::size_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xff);
}

std::size_t readNumber(std::string_view in, std::size_t position, int bytes) {
    std::size_t number = 0;
    for (int i = 0; i < bytes; ++i) {
        auto byte = static_cast<unsigned char>(in[position + static_cast<std::size_t>(i)]);
        number |= static_cast<std::size_t>(byte) << (8 * i);
    }
    return number;
}

bool known(char verb) {
    return verb == 'S' || verb == 'G' || verb == 'V';
}

}  // namespace

std::string encodeStoreFrame(const StoreFrame& frame) {
    std::size_t length = kFixedBytes + frame.key.size() + frame.value.size();
    RINGSIDE_ASSERT(length <= StoreFrame::kMaxBytes && frame.key.size() <= StoreFrame::kMaxKeyBytes);
    std::string out;
    out.reserve(kMessageLengthBytes + length);
    appendNumber(out, length, kMessageLengthBytes);
    out += static_cast<char>(frame.verb);
    appendNumber(out, frame.key.size(), 2);
    return out + frame.key + frame.value;
}

std::optional<StoreFrame> StoreFrameReader::next() {
    if (m_isBroken || m_bytes.size() < kMessageLengthBytes) return {};
    std::size_t length = readNumber(m_bytes, 0, kMessageLengthBytes);
    m_isBroken = length < kFixedBytes || length > StoreFrame::kMaxBytes;
    if (m_isBroken || m_bytes.size() < kMessageLengthBytes + length) return {};
    char verb = m_bytes[kMessageLengthBytes];
    std::size_t keyLength = readNumber(m_bytes, kMessageLengthBytes + 1, 2);
    m_isBroken = !known(verb) || keyLength > StoreFrame::kMaxKeyBytes || kFixedBytes + keyLength > length;
    if (m_isBroken) return {};
    std::size_t keyStart = kMessageLengthBytes + kFixedBytes;
    StoreFrame frame{static_cast<StoreFrame::Verb>(verb), m_bytes.substr(keyStart, keyLength),
                     m_bytes.substr(keyStart + keyLength, length - kFixedBytes - keyLength)};
    m_bytes.erase(0, kMessageLengthBytes + length);
    return frame;
}

}  // namespace ringside
