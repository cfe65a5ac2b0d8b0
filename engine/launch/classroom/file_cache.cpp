// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/file_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/crypto/sha256.h"
#include "base/errors/errors.h"
#include "base/system/beneath.h"
#include "base/system/files.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

struct Stored {
    fs::path path;
    std::int64_t bytes = 0;
    fs::file_time_type usedAt;
};

std::vector<Stored> storedIn(const fs::path& folder) {
    std::vector<Stored> all;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (!entry.is_regular_file(error) || entry.is_symlink(error)) continue;
        all.push_back({entry.path(), static_cast<std::int64_t>(entry.file_size(error)), entry.last_write_time(error)});
    }
    return all;
}

// True if `folder` contains a regular file with the size and SHA-256 of the offered file.
bool isAsOffered(const fs::path& folder, const ClassroomFile& file) {
    const UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd fd = directory ? openBeneath(directory.get(), file.sha256, O_RDONLY | O_NONBLOCK) : UniqueFd();
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != file.bytes) return false;
    Sha256 sum;
    std::array<char, 1U << 16> bytes;
    ssize_t got = 0;
    while ((got = ::read(fd.get(), bytes.data(), bytes.size())) > 0)
        sum.add(std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(got))));
    return got == 0 && sum.hex() == file.sha256;
}

}  // namespace

FileCache::FileCache(fs::path folder, std::int64_t maxBytes) : m_folder(std::move(folder)), m_maxBytes(maxBytes) {}

void FileCache::makeRoomFor(const std::vector<ClassroomFile>& offered) {
    std::error_code error;
    fs::create_directories(m_folder, error);
    if (error)
        throw IoError(m_folder.string() + " cannot be created (" + error.message() +
                      "): choose another folder (--folder)");
    std::set<std::string> wanted;
    std::int64_t total = 0;
    for (const ClassroomFile& file : offered) {
        if (wanted.insert(file.sha256).second) total += file.bytes;
    }
    std::vector<Stored> others = storedIn(m_folder);
    std::erase_if(others, [&](const Stored& one) { return wanted.contains(one.path.filename().string()); });
    std::ranges::sort(others, std::ranges::greater(), &Stored::usedAt);
    for (const Stored& one : others) {
        total += one.bytes;
        if (total > m_maxBytes) fs::remove(one.path, error);
    }
}

bool FileCache::linkTo(const ClassroomFile& file, const fs::path& target) const {
    std::error_code error;
    if (!isAsOffered(m_folder, file)) return false;
    fs::create_hard_link(pathOf(file), target, error);
    if (error) fs::copy_file(pathOf(file), target, error);
    if (error) return false;
    fs::last_write_time(pathOf(file), fs::file_time_type::clock::now(), error);
    return true;
}

void FileCache::store(const ClassroomFile& file, const fs::path& arrived) const {
    std::error_code error;
    if (isAsOffered(m_folder, file)) return;
    fs::remove(pathOf(file), error);
    fs::create_hard_link(arrived, pathOf(file), error);
    if (error) fs::copy_file(arrived, pathOf(file), error);
}

}  // namespace ringside
