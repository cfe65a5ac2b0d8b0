// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace ringside {

// Mounts a file system in memory, of a size such as "400k", over an empty directory, if mounting is allowed.
class SmallDisk {
  public:
    SmallDisk(std::filesystem::path directory, const std::string& size)
        : m_directory(std::move(directory)),
          m_mounted(::mount("tmpfs", m_directory.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
    ~SmallDisk() {
        if (m_mounted) ::umount2(m_directory.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool mounted() const { return m_mounted; }

  private:
    std::filesystem::path m_directory;
    bool m_mounted;
};

}  // namespace ringside
