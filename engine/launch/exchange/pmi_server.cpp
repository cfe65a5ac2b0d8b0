// SPDX-License-Identifier: Apache-2.0
#include "launch/exchange/pmi_server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <sstream>
#include <utility>

#include "launch/layout/whole_number.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;
constexpr const char* kPmiKey = "ringside-job";

Problem silent(const std::string& variable, const std::string& value) {
    return {variable, "is " + value + ", but no PMI server answers there",
            "start all ranks with one mpiexec, or give --master HOST:PORT and set RINGSIDE_TOKEN on all ranks"};
}

std::map<std::string, std::string> fieldsOf(const std::string& line) {
    std::map<std::string, std::string> fields;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals != std::string::npos) fields[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return fields;
}

// Returns a duplicate of an inherited socket; empty if the number is not that of an open socket. Returns a duplicate,
// because an MPI library that is loaded later uses the original.
UniqueFd inheritedSocket(const std::string& number) {
    const std::optional<int> fd = wholeNumberIn(number);
    int type = 0;
    socklen_t length = sizeof type;
    if (!fd || ::getsockopt(*fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) return {};
    return UniqueFd(::fcntl(*fd, F_DUPFD_CLOEXEC, 3));
}

UniqueFd connectToPort(const std::string& address, LineDeadline deadline) {
    const std::size_t colon = address.rfind(':');
    const std::optional<int> port =
        colon == std::string::npos ? std::nullopt : wholeNumberIn(address.substr(colon + 1));
    if (!port || *port == 0 || *port > 65535) return {};
    return connectTo(address.substr(0, colon), *port, deadline);
}

}  // namespace

Result<std::unique_ptr<JobServer>> PmiServer::connect(const LaunchSources& sources, LineDeadline deadline) {
    const std::string fd = sources.find("PMI_FD").value_or("");
    const std::string port = sources.find("PMI_PORT").value_or("");
    const std::string variable = fd.empty() ? "PMI_PORT" : "PMI_FD";
    auto server =
        std::make_unique<PmiServer>(fd.empty() ? connectToPort(port, deadline) : inheritedSocket(fd), ServerLayout{});
    const bool answers = server->m_socket &&
                         (!fd.empty() || server->identify(sources.find("PMI_ID").value_or("0"), deadline)) &&
                         server->start(deadline);
    if (!answers) return silent(variable, fd.empty() ? port : fd);
    return std::unique_ptr<JobServer>(std::move(server));
}

// Identifies this process on a TCP connection. The server answers with the size of the job and this process's rank.
bool PmiServer::identify(const std::string& id, LineDeadline deadline) {
    if (!request("cmd=initack pmiid=" + id, "initack", deadline)) return false;
    for (;;) {
        const auto fields = receive("set", deadline);
        if (!fields) return false;
        if (fields->contains("size")) m_layout.worldSize = wholeNumberIn(fields->at("size"));
        if (fields->contains("rank")) m_layout.rank = wholeNumberIn(fields->at("rank"));
        if (fields->contains("debug")) return m_layout.rank && m_layout.worldSize;
    }
}

bool PmiServer::start(LineDeadline deadline) {
    return request("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", deadline).has_value();
}

Result<std::string> PmiServer::shareFromFirst(const std::string& text, LineDeadline deadline) {
    const Problem failed{"the PMI server of mpiexec", "did not provide rank 0's address in time",
                         "see the output of the other ranks, or give --master HOST:PORT and set RINGSIDE_TOKEN"};
    const auto name = request("cmd=get_my_kvsname", "my_kvsname", deadline);
    if (!name || !name->contains("kvsname")) return failed;
    const std::string space = " kvsname=" + name->at("kvsname") + " key=" + kPmiKey;
    if (!text.empty() && !request("cmd=put" + space + " value=" + text, "put_result", deadline)) return failed;
    if (!request("cmd=barrier_in", "barrier_out", deadline)) return failed;
    const auto found = request("cmd=get" + space, "get_result", deadline);
    if (!found || !found->contains("value")) return failed;
    return found->at("value");
}

void PmiServer::leave() {
    request("cmd=finalize", "finalize_ack", std::chrono::steady_clock::now() + std::chrono::seconds(2));
    m_socket.reset();
}

// Reads the next line. Returns its fields if the line is an answer of the kind `command` and reports no error.
std::optional<PmiServer::Fields> PmiServer::receive(const std::string& command, LineDeadline deadline) {
    const auto line = receiveLine(m_socket.get(), kMaxLineBytes, deadline);
    if (!line) return {};
    Fields fields = fieldsOf(*line);
    if (fields["cmd"] != command || (fields.contains("rc") && fields["rc"] != "0")) return {};
    return fields;
}

std::optional<PmiServer::Fields> PmiServer::request(const std::string& line, const std::string& command,
                                                    LineDeadline deadline) {
    if (!sendLine(m_socket.get(), line, deadline)) return {};
    return receive(command, deadline);
}

}  // namespace ringside
