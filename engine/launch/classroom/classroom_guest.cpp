// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/classroom_guest.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/crypto/secret.h"
#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/text/number_text.h"
#include "base/text/shared_text.h"
#include "launch/wire/greeting.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kConnectTry{3000};
constexpr std::chrono::milliseconds kAnswerTry{5000};
constexpr int kMaxRetries = 3;

Problem notThere(const JoinCode& code, const std::string& what) {
    return {"the classroom at " + code.host + ":" + std::to_string(code.port), what,
            "check the join code, and that this computer can reach the address (same network, no firewall in between)"};
}

[[noreturn]] void failWriting(const fs::path& path, int error) {
    throw IoError(path.string() + " cannot be written (" + errnoText(error) +
                  "): free space, or choose another folder (--folder)");
}

void writeAll(int fd, std::string_view bytes, const fs::path& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) failWriting(path, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

Result<UniqueFd> connectToClassroom(const JoinCode& code, const std::string& name, const std::string& program,
                                    const std::string& ownHostKey, LineDeadline deadline) {
    UniqueFd socket = connectTo(code.host, code.port, std::min(deadline, steady_clock::now() + kConnectTry));
    if (!socket) return notThere(code, "was not found");
    const auto until = std::min(deadline, steady_clock::now() + kAnswerTry);
    const auto challenge = receiveLine(socket.get(), kMaxGreetingBytes, until);
    const auto nonce = challenge ? decodeChallenge(*challenge) : std::nullopt;
    if (!nonce) return notThere(code, "does not respond like a classroom of Ringside");
    Greeting greeting;
    greeting.role = ConnectionRole::kClass;
    greeting.rank = 0;
    greeting.nonce = randomHex(16);
    greeting.program = program;
    greeting.host = name;
    greeting.hostKey = ownHostKey;
    greeting.pid = ::getpid();
    greeting.proof = hmacSha256(code.token, greeting.provenText(*nonce));
    sendLine(socket.get(), encodeGreeting(greeting), until);
    const auto line = receiveLine(socket.get(), kMaxGreetingBytes, until);
    const auto answer = line ? decodeAnswer(*line) : std::nullopt;
    if (!answer) return notThere(code, "closed the connection");
    if (!isSameSecret(answer->proof, hmacSha256(code.token, answeredText(greeting.nonce, answer->refused))))
        return Problem{"the join code", "belongs to another classroom: the secret after the \"/\" differs",
                       "copy the complete code from the host"};
    if (!answer->refused.empty()) return Problem{"this computer", answer->refused, "ask the host of the classroom"};
    return socket;
}

ClassroomGuest::ClassroomGuest(UniqueFd socket, fs::path folder, std::int64_t maxBytes, Check check)
    : m_socket(std::move(socket)),
      m_maxBytes(maxBytes),
      m_check(std::move(check)),
      m_folder(folder),
      m_cache(folder / "files", maxBytes) {}

void ClassroomGuest::send(ClassroomLine line) {
    line.text = withoutPrivateParts(line.text);
    constexpr std::chrono::seconds kPatience{10};
    sendLine(m_socket.get(), encodeClassroomLine(line), steady_clock::now() + kPatience);
}

bool ClassroomGuest::read() {
    std::array<char, 1U << 16> buffer;
    constexpr int kMaxAtOnce = 64;
    for (int round = 0; round < kMaxAtOnce; ++round) {
        const ssize_t got = ::recv(m_socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (got == 0) return false;
        std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        while (!bytes.empty()) {
            if (m_problem) return false;
            if (!(m_left > 0 ? receiveBytes(bytes) : receiveLines(bytes))) return false;
        }
    }
    return true;
}

bool ClassroomGuest::receiveBytes(std::string_view& bytes) {
    const auto count = std::min(bytes.size(), static_cast<std::size_t>(m_left));
    m_sum->add(std::as_bytes(std::span(bytes.data(), count)));
    writeAll(m_file.get(), bytes.substr(0, count), m_folder.partialFile());
    bytes.remove_prefix(count);
    m_left -= static_cast<std::int64_t>(count);
    m_receivedBytes += static_cast<std::int64_t>(count);
    if (m_left == 0) endFile();
    return true;
}

bool ClassroomGuest::receiveLines(std::string_view& bytes) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t count = std::min(newline, bytes.size());
    if (m_line.size() + count > kMaxClassroomLine) return false;
    m_line.append(bytes.substr(0, count));
    bytes.remove_prefix(newline == std::string_view::npos ? count : count + 1);
    if (newline == std::string_view::npos) return true;
    const auto line = decodeClassroomLine(std::exchange(m_line, {}));
    if (!line) return false;
    handleLine(*line);
    return true;
}

void ClassroomGuest::handleLine(const ClassroomLine& line) {
    switch (line.kind) {
        case ClassroomLine::Kind::kOffer:
            return beginOffer(line.offer);
        case ClassroomLine::Kind::kBytes:
            return beginFile(line.number);
        default:
            m_lines.push_back(line);
    }
}

std::optional<ClassroomLine> ClassroomGuest::next() {
    if (m_lines.empty()) return {};
    ClassroomLine line = std::move(m_lines.front());
    m_lines.erase(m_lines.begin());
    return line;
}

void ClassroomGuest::refuse(Problem problem) {
    send({ClassroomLine::Kind::kLeave, problem.text()});
    m_problem = std::move(problem);
}

std::optional<Problem> ClassroomGuest::findReasonToRefuse(const ClassroomOffer& offer) const {
    if (offer.number <= m_offer.number)
        return Problem{"the classroom", "sent offer " + std::to_string(offer.number) + " of files a second time",
                       "ask the host to start the classroom again"};
    if (offer.bytes() > m_maxBytes)
        return Problem{
            "the data of the classroom",
            "have " + memoryText(offer.bytes()) + "; this computer accepts at most " + memoryText(m_maxBytes),
            "join with a larger --most-mb"};
    if (auto conflict = offerConflict(offer.files)) return conflict;
    return m_check ? m_check(offer) : std::nullopt;
}

void ClassroomGuest::beginOffer(ClassroomOffer offer) {
    m_offerDirectory.clear();
    m_missing.clear();
    m_receivedBytes = m_expectedBytes = 0;
    m_retries = 0;
    if (auto problem = findReasonToRefuse(offer)) return refuse(std::move(*problem));
    m_offer = std::move(offer);
    m_cache.makeRoomFor(m_offer.files);
    m_folder.beginOffer(m_offer.number);
    findMissing();
    requestNextFile();
}

void ClassroomGuest::findMissing() {
    for (std::size_t i = m_offer.files.size(); i-- > 0;) {
        if (m_cache.linkTo(m_offer.files[i], m_folder.preparePath(m_offer.files[i].name))) continue;
        m_missing.push_back(i);
        m_expectedBytes += m_offer.files[i].bytes;
    }
}

void ClassroomGuest::requestNextFile() {
    if (m_missing.empty()) return finishOffer();
    send({ClassroomLine::Kind::kWant, std::to_string(m_offer.number), static_cast<std::int64_t>(m_missing.back())});
}

void ClassroomGuest::beginFile(std::int64_t bytes) {
    if (m_missing.empty() || bytes != m_offer.files[m_missing.back()].bytes)
        return refuse({"the data of the classroom", "differ from the offered data", "join the classroom again"});
    const fs::path part = m_folder.partialFile();
    m_file = UniqueFd(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!m_file) failWriting(part, errno);
    m_sum = std::make_unique<Sha256>();
    m_left = bytes;
    if (bytes == 0) endFile();
}

void ClassroomGuest::endFile() {
    const ClassroomFile& file = m_offer.files[m_missing.back()];
    m_file.reset();
    const std::string sum = m_sum->hex();
    if (sum != file.sha256 && ++m_retries >= kMaxRetries)
        return refuse({file.name, "was damaged in transfer (its SHA-256 differs)", "join the classroom again"});
    if (sum == file.sha256) {
        const fs::path path = m_folder.preparePath(file.name);
        std::error_code error;
        fs::rename(m_folder.partialFile(), path, error);
        if (error) failWriting(path, error.value());
        m_cache.store(file, path);
        m_missing.pop_back();
    }
    requestNextFile();
}

void ClassroomGuest::finishOffer() {
    writeFileAtomically(m_folder.offer() / kOfferedExperiment, m_offer.config);
    m_offerDirectory = m_folder.offer();
    send({ClassroomLine::Kind::kReady, {}, m_offer.number});
}

std::string ClassroomGuest::progress() const {
    if (m_missing.empty()) return {};
    return memoryText(m_receivedBytes) + " of " + memoryText(m_expectedBytes) + " of data received";
}

}  // namespace ringside
