// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/classroom_host.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/crypto/secret.h"
#include "base/errors/exit_code.h"
#include "base/system/files.h"
#include "launch/wire/line_socket.h"

namespace ringside {
namespace {

using std::chrono::seconds;

constexpr const char* kOnlyWatched = " (this computer joined after the start and did not train)";
constexpr seconds kDropDelay{90};  // time without a line after which a member is dropped
constexpr std::chrono::milliseconds kAnswerTime{1000};
constexpr int kLowestPort = 20000;  // lowest port to listen on; below the kernel's range of ephemeral ports
constexpr int kPorts = 12000;
constexpr int kTries = 64;
constexpr std::size_t kMaxNotes = 1000;
constexpr std::size_t kMaxRemoved = 1000;

}  // namespace

ClassroomHost::ClassroomHost(Options options) : m_options(std::move(options)) {
    m_code.host = m_options.address;
    m_code.token = randomHex(JoinCode::kTokenHex / 2);
}

// Listens on `port` if the next port, which the rendezvous of the ranks uses, is free too. False if one of the two
// ports cannot be bound.
bool ClassroomHost::bindPair(int port) {
    AuthenticatingListener next;
    if (!next.listen(m_options.address, port + 1, false)) return false;
    return m_listener.listen(m_options.address, port, false);
}

Problems ClassroomHost::listen() {
    if (m_options.port != 0) {
        m_code.port = m_options.port;
        if (bindPair(m_options.port)) return {};
    }
    for (int i = 0; m_options.port == 0 && i < kTries; ++i) {
        m_code.port = kLowestPort + std::stoi(randomHex(2), nullptr, 16) % kPorts;
        if (bindPair(m_code.port)) return {};
    }
    return {{"--address",
             "is " + m_options.address + ": cannot listen there at port " + std::to_string(m_code.port) +
                 " and the next port (" + errnoText(errno) + ")",
             "use an address of this computer, or another port with --port"}};
}

void ClassroomHost::offer(ClassroomOffer offer, std::vector<std::filesystem::path> sources) {
    offer.number = m_offer.number + 1;
    m_offer = std::move(offer);
    m_sources = std::move(sources);
    for (const auto& member : m_members) {
        member->discardFiles();
        member->send({ClassroomLine::Kind::kOffer, {}, 0, m_offer});
    }
}

bool ClassroomHost::handleGreeting(UniqueFd& socket, const std::string& nonce, const std::string& line) {
    const auto greeting = decodeGreeting(line);
    if (!greeting || !isSameSecret(greeting->proof, hmacSha256(m_code.token, greeting->provenText(nonce)))) {
        sendLine(socket.get(), encodeAnswer({"", "the join code belongs to another classroom", ""}), Clock::now());
        return false;
    }
    const std::string refused = findReasonToRefuse(*greeting, peerAddress(socket.get(), false));
    const Answer answer{hmacSha256(m_code.token, answeredText(greeting->nonce, refused)), refused, m_options.hostKey};
    const bool wasSent = sendLine(socket.get(), encodeAnswer(answer), Clock::now() + kAnswerTime);
    if (wasSent && refused.empty()) admitMember(*greeting, std::move(socket));
    if (!refused.empty()) m_notes.push_back(greeting->host + " was refused: it " + refused);
    return true;
}

std::string ClassroomHost::findReasonToRefuse(const Greeting& greeting, const std::string& address) const {
    for (const Removed& one : m_removed) {
        const bool isProcess = one.hostKey == greeting.hostKey && one.pid == greeting.pid;
        if (isProcess || (!one.address.empty() && one.address == address))
            return "was removed from the classroom: it " + one.why;
    }
    if (greeting.role != ConnectionRole::kClass) return "is a rank of a run, and not a computer that joins a classroom";
    if (greeting.program != m_options.program)
        return "runs Ringside " + greeting.program + ", but the classroom needs Ringside " + m_options.program;
    const bool known = std::ranges::any_of(m_members, [&](const auto& one) { return one->isSameProcess(greeting); });
    if (!known && m_members.size() >= m_options.maxMembers)
        return "cannot join: the classroom already has " + std::to_string(m_members.size()) + " computers, its maximum";
    return {};
}

std::string ClassroomHost::nameFor(const std::string& wanted) const {
    const auto isTaken = [&](const std::string& name) {
        return std::ranges::any_of(m_members, [&](const auto& one) { return one->name() == name; });
    };
    const std::string base = wanted.empty() ? "somebody" : wanted.substr(0, kMaxClassName);
    std::string name = base;
    for (int i = 2; isTaken(name); ++i) name = base + " (" + std::to_string(i) + ")";
    return name;
}

void ClassroomHost::admitMember(const Greeting& greeting, UniqueFd socket) {
    const auto known = std::ranges::find_if(m_members, [&](const auto& one) { return one->isSameProcess(greeting); });
    const bool isBack = known != m_members.end();
    const std::string name = isBack ? (*known)->name() : nameFor(greeting.host);
    auto member = std::make_unique<ClassroomMember>(isBack ? (*known)->id() : m_nextId++, name, greeting,
                                                    std::move(socket), Clock::now());
    m_notes.push_back(name + (isBack ? " has reconnected" : " joined from " + member->address()));
    if (m_offer.number > 0) member->send({ClassroomLine::Kind::kOffer, {}, 0, m_offer});
    if (isBack) {
        member->rank = (*known)->rank;
        member->hasTrained = (*known)->hasTrained;
        member->hasEnded = (*known)->hasEnded;
        *known = std::move(member);
    } else {
        m_members.push_back(std::move(member));
    }
}

void ClassroomHost::addInterests(std::vector<pollfd>& waiting) const {
    m_listener.addInterests(waiting);
    for (const auto& member : m_members) {
        const short writing = member->hasOutput() ? short{POLLOUT} : short{0};
        waiting.push_back({member->fd(), static_cast<short>(POLLIN | writing), 0});
    }
}

void ClassroomHost::poll(Clock::time_point now) {
    m_listener.poll([this](UniqueFd& socket, const std::string& nonce, const std::string& line) {
        return handleGreeting(socket, nonce, line);
    });
    for (std::size_t i = 0; i < m_members.size();) {
        ClassroomMember& member = *m_members[i];
        const bool isConnected =
            member.read(now, [&](const ClassroomLine& line) { handleLine(member, line); }) && member.write();
        const bool isGone = !isConnected || member.hasLeft;
        if (!member.misuse.empty()) {
            refuseInFuture(member, member.misuse);
            dropMember(i, "was removed: it " + member.misuse);
        } else if (isGone || now - member.lastReceivedAt() > kDropDelay) {
            dropMember(i,
                       isGone ? "has left" : "has not sent anything for " + std::to_string(kDropDelay.count()) + " s");
        } else {
            ++i;
        }
    }
}

void ClassroomHost::refuseInFuture(const ClassroomMember& member, const std::string& why) {
    const bool isShared =
        std::ranges::count(m_members, member.address(), [](const auto& one) { return one->address(); }) > 1;
    if (m_removed.size() < kMaxRemoved)
        m_removed.push_back({member.hostKey(), member.pid(), isShared ? "" : member.address(), why});
}

void ClassroomHost::remove(int id, const std::string& why) {
    const auto found = std::ranges::find(m_members, id, [](const auto& one) { return one->id(); });
    if (found == m_members.end()) return;
    refuseInFuture(**found, why);
    (*found)->discardFiles();
    (*found)->send({ClassroomLine::Kind::kOver, "this computer was removed from the classroom: it " + why,
                    static_cast<std::int64_t>(ExitCode::kBadConfiguration)});
    // Sends the line with the reason for the removal if this is possible without blocking. If the removed computer
    // connects again, it is refused with this reason.
    (*found)->write();
    dropMember(static_cast<std::size_t>(found - m_members.begin()), "was removed: it " + why);
}

void ClassroomHost::dropMember(std::size_t index, const std::string& why) {
    m_notes.push_back(m_members[index]->name() + " " + why);
    m_members.erase(m_members.begin() + static_cast<std::ptrdiff_t>(index));
}

void ClassroomHost::handleLine(ClassroomMember& member, const ClassroomLine& line) {
    switch (line.kind) {
        case ClassroomLine::Kind::kHere:
            member.activity = line.text.substr(0, 200);
            return;
        case ClassroomLine::Kind::kReady:
            if (line.number == m_offer.number) member.ready = m_offer.number;
            return;
        case ClassroomLine::Kind::kWant: {
            const auto which = static_cast<std::size_t>(line.number);
            // Requests for files of an earlier offer are ignored.
            if (which >= m_sources.size() || line.text != std::to_string(m_offer.number)) return;
            if (!member.sendFile(m_offer.files[which].bytes, m_sources[which]))
                member.misuse =
                    "requested more than " + std::to_string(ClassroomMember::kMaxRequested) + " files at once";
            return;
        }
        case ClassroomLine::Kind::kEnded:
            member.hasEnded = member.rank >= 0;
            member.rank = -1;
            if (line.number != 0 && m_notes.size() < kMaxNotes)
                m_notes.push_back(member.name() + "'s rank ended with code " + std::to_string(line.number) +
                                  (line.text.empty() ? "" : ": " + line.text));
            return;
        case ClassroomLine::Kind::kLeave:
            member.hasLeft = true;
            if (!line.text.empty()) m_notes.push_back(member.name() + ": " + line.text);
            return;
        default:
            member.misuse = "sent a message that only a host sends";
    }
}

std::vector<ClassroomMember*> ClassroomHost::readyMembers(Clock::time_point now) const {
    std::vector<ClassroomMember*> ready;
    for (const auto& member : m_members) {
        if (member->ready == m_offer.number && member->isHere(now)) ready.push_back(member.get());
    }
    return ready;
}

std::string ClassroomHost::start(const std::vector<ClassroomMember*>& ranks) {
    ClassroomStart start;
    start.number = m_offer.number;
    start.worldSize = static_cast<int>(ranks.size()) + 1;
    start.port = runPort();
    start.nonce = randomHex(16);
    for (ClassroomMember* member : ranks) {
        member->rank = ++start.rank;
        member->hasTrained = true;
        member->hasEnded = false;
        member->send({ClassroomLine::Kind::kStart, {}, 0, {}, start});
        member->write();
    }
    return tokenOfStart(m_code.token, start);
}

void ClassroomHost::clearRanks() {
    for (const auto& member : m_members) {
        member->rank = -1;
        member->hasEnded = false;
    }
}

void ClassroomHost::sendToAll(const std::function<std::string(const ClassroomMember&)>& newsFor) {
    for (const auto& member : m_members) {
        if (!member->hasOutput()) member->send({ClassroomLine::Kind::kNews, newsFor(*member)});
    }
}

void ClassroomHost::close(const std::string& verdict, int exitCode, std::chrono::milliseconds patience) {
    m_listener.close();
    const bool wasRun = std::ranges::any_of(m_members, [](const auto& member) { return member->hasTrained; });
    for (const auto& member : m_members) {
        const bool onlyWatched = wasRun && !member->hasTrained;
        member->discardFiles();
        member->send({ClassroomLine::Kind::kOver, verdict + (onlyWatched ? kOnlyWatched : ""), exitCode});
    }
    const auto until = Clock::now() + patience;
    while (Clock::now() < until && !m_members.empty()) {
        for (std::size_t i = 0; i < m_members.size();)
            m_members[i]->finishSending() ? dropMember(i, "has left") : void(++i);
        ::poll(nullptr, 0, 10);
    }
    m_members.clear();
}

std::vector<std::string> ClassroomHost::takeNotes() {
    return std::exchange(m_notes, {});
}

}  // namespace ringside
