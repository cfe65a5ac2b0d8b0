// SPDX-License-Identifier: Apache-2.0
#include "data/readers/byte_source.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/system/files.h"
#include "base/system/unique_fd.h"

namespace ringside {
namespace {

constexpr std::uint64_t kBestDeflateRatio = 1032;
constexpr std::size_t kInputBytes = std::size_t{1} << 16;
constexpr std::size_t kBytesBetweenChecks = std::size_t{1} << 20;  // bytes between checks of the stop token
constexpr int kGzipWindow = 15 + 16;                               // windowBits of zlib: a 32 KiB window and a gzip
                                                                   // header

bool startsGzip(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace

struct ByteSource::State {
    std::filesystem::path path;
    std::stop_token stop;
    UniqueFd fd;
    std::uint64_t fileSize = 0;
    std::uint64_t position = 0;
    bool packed = false;
    bool memberOpen = false;  // true between the header and the end of a gzip member
    std::vector<std::byte> input;
    z_stream zip{};

    ~State() {
        if (packed) ::inflateEnd(&zip);
    }

    Result<std::size_t> readRaw(std::span<std::byte> out);
    Result<std::size_t> fillInput();
    Result<std::size_t> readPacked(std::span<std::byte> out);
    Result<bool> nextMember();
    Problem damaged(const std::string& how) const;
};

Problem ByteSource::State::damaged(const std::string& how) const {
    return {path.string(), "is damaged gzip data (" + how + ") after " + std::to_string(position) + " unpacked bytes",
            "download the file again"};
}

Result<std::size_t> ByteSource::State::readRaw(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::read(fd.get(), out.data() + done, out.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Problem{path.string(), "cannot be read (" + errnoText(errno) + ")", "check the file"};
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::size_t> ByteSource::State::fillInput() {
    const std::size_t kept = zip.avail_in;
    std::move(input.end() - static_cast<std::ptrdiff_t>(kept), input.end(), input.begin());
    input.resize(kInputBytes);
    auto got = readRaw(std::span(input).subspan(kept));
    if (!got) return got;
    input.resize(kept + got.value());
    zip.next_in = reinterpret_cast<Bytef*>(input.data());
    zip.avail_in = static_cast<uInt>(input.size());
    return got;
}

// Starts to unpack the next gzip member. A file may contain several members (`cat a.gz b.gz`). Bytes after the last
// member are padding and are ignored.
Result<bool> ByteSource::State::nextMember() {
    if (zip.avail_in < 2) {
        if (auto got = fillInput(); !got) return got.problem();
    }
    if (!startsGzip({reinterpret_cast<const std::byte*>(zip.next_in), zip.avail_in})) return false;
    memberOpen = ::inflateReset(&zip) == Z_OK;
    return memberOpen;
}

Result<std::size_t> ByteSource::State::readPacked(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
        if (!memberOpen) {
            auto more = nextMember();
            if (!more) return more.problem();
            if (!more.value()) break;
        }
        if (zip.avail_in == 0) {
            auto got = fillInput();
            if (!got) return got;
            if (got.value() == 0) return damaged("the data end too early");
        }
        const std::size_t room = std::min<std::size_t>(out.size() - done, std::size_t{1} << 30);
        zip.next_out = reinterpret_cast<Bytef*>(out.data() + done);
        zip.avail_out = static_cast<uInt>(room);
        const int status = ::inflate(&zip, Z_NO_FLUSH);
        const std::size_t made = room - zip.avail_out;
        done += made;
        position += made;
        if (status == Z_STREAM_END)
            memberOpen = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return damaged(zip.msg != nullptr ? zip.msg : "unreadable");
    }
    return done;
}

ByteSource::ByteSource(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Problem stoppedReading(const std::filesystem::path& path) {
    return {path.string(), "was not read to its end because reading was cancelled", "choose the file again"};
}

Result<ByteSource> ByteSource::open(const std::filesystem::path& path, const std::stop_token& stop) {
    auto state = std::make_unique<State>();
    state->path = path;
    state->stop = stop;
    Result<UniqueFd> file = openFile(path);
    if (!file) return file.problem();
    state->fd = std::move(file).value();
    struct stat info {};
    if (::fstat(state->fd.get(), &info) != 0) {
        return Problem{path.string(), "cannot be read (" + errnoText(errno) + ")", "check the file"};
    }
    state->fileSize = static_cast<std::uint64_t>(info.st_size);
    std::byte start[2];
    auto got = state->readRaw(start);
    if (!got) return got.problem();
    if (::lseek(state->fd.get(), 0, SEEK_SET) != 0) {
        return Problem{path.string(), "cannot be read (" + errnoText(errno) + ")", "check the file"};
    }
    if (got.value() == 2 && startsGzip(start)) {
        state->packed = ::inflateInit2(&state->zip, kGzipWindow) == Z_OK;
        RINGSIDE_ASSERT(state->packed);
        state->input.reserve(kInputBytes);
    }
    return ByteSource(std::move(state));
}

const std::filesystem::path& ByteSource::path() const {
    return m_state->path;
}
bool ByteSource::packed() const {
    return m_state->packed;
}
std::uint64_t ByteSource::position() const {
    return m_state->position;
}

std::uint64_t ByteSource::maxBytesLeft() const {
    const std::uint64_t most = m_state->packed ? m_state->fileSize * kBestDeflateRatio : m_state->fileSize;
    return most - std::min(most, m_state->position);
}

Result<std::size_t> ByteSource::read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
        if (m_state->stop.stop_requested()) return stoppedReading(path());
        const auto portion = out.subspan(done, std::min(out.size() - done, kBytesBetweenChecks));
        auto got = m_state->packed ? m_state->readPacked(portion) : m_state->readRaw(portion);
        if (!got) return got;
        if (!m_state->packed) m_state->position += got.value();
        done += got.value();
        if (got.value() < portion.size()) break;
    }
    return done;
}

Result<std::size_t> ByteSource::readAll(std::span<std::byte> out, const std::string& what) {
    const std::uint64_t start = position();
    auto got = read(out);
    if (got && got.value() < out.size()) {
        return Problem{path().string(),
                       "ends after " + std::to_string(start + got.value()) + " bytes; " +
                           std::to_string(start + out.size()) + " were expected for its " + what,
                       "the file is truncated: download it again"};
    }
    return got;
}

}  // namespace ringside
