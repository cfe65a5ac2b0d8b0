// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace ringside {

// Owner of one C handle, movable. Traits define: type Handle, static Handle none(), static void close(Handle) noexcept.
template <class Traits>
class UniqueHandle {
  public:
    using Handle = typename Traits::Handle;

    UniqueHandle() = default;
    explicit UniqueHandle(Handle handle) : m_handle(handle) {}
    UniqueHandle(UniqueHandle&& other) noexcept : m_handle(other.release()) {}
    UniqueHandle& operator=(UniqueHandle&& other) noexcept {
        reset(other.release());
        return *this;
    }
    ~UniqueHandle() { reset(); }

    Handle get() const { return m_handle; }
    explicit operator bool() const { return m_handle != Traits::none(); }
    Handle release() { return std::exchange(m_handle, Traits::none()); }
    void reset(Handle handle = Traits::none()) {
        Handle old = std::exchange(m_handle, handle);
        if (old != Traits::none()) Traits::close(old);
    }

  private:
    Handle m_handle = Traits::none();
};

}  // namespace ringside
