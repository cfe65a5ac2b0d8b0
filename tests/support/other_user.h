// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

namespace ringside {

// Changes the effective user of this process to another user during its lifetime. Needs root: check isOther().
class OtherUser {
  public:
    OtherUser() : m_isOther(::geteuid() == 0 && ::seteuid(kNobody) == 0) {}
    ~OtherUser() {
        if (m_isOther) [[maybe_unused]]
            const int ignored = ::seteuid(0);
    }
    OtherUser(const OtherUser&) = delete;
    OtherUser& operator=(const OtherUser&) = delete;

    bool isOther() const { return m_isOther; }

  private:
    static constexpr uid_t kNobody = 65534;

    bool m_isOther;
};

}  // namespace ringside
