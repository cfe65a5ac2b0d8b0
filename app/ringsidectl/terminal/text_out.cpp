// SPDX-License-Identifier: Apache-2.0
#include "terminal/text_out.h"

#include <cerrno>

#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {

void TextOut::flush() {
    const bool written = std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_stream) == m_buffer.size();
    if (!written || std::fflush(m_stream) != 0) {
        throw IoError("standard output cannot be written (" + errnoText(errno) + "): free space, or write elsewhere");
    }
    m_buffer.clear();
}

}  // namespace ringside
