// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/greeting.h"

#include <algorithm>
#include <utility>

#include "base/json/json_members.h"

namespace ringside {
namespace {

// Parses a received line as a JSON object. The result is not valid if the line is no object.
JsonObject objectIn(std::string_view line, std::size_t maxBytes) {
    Result<Json> json = parseJson(line, "line", maxBytes, 4);
    return JsonObject(json ? std::move(json).value() : Json());
}

constexpr std::int64_t kMaxUs = std::int64_t{1} << 60;

}  // namespace

std::string Greeting::provenText(const std::string& hostNonce) const {
    return "rank\n" + hostNonce + "\n" + nonce + "\n" + textOf(role) + "\n" + std::to_string(rank) + "\n" + program +
           "\n" + experiment + "\n" + host + "\n" + hostKey + "\n" + std::to_string(pid) +
           (reason.empty() ? "" : "\n" + reason);
}

std::string answeredText(const std::string& rankNonce, const std::string& refused) {
    return "host\n" + rankNonce + "\n" + refused;
}

std::string encodeChallenge(const std::string& nonce) {
    return jsonText({{"ringside", kRendezvousVersion}, {"nonce", nonce}});
}

std::optional<std::string> decodeChallenge(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    fields.number("ringside", kRendezvousVersion, kRendezvousVersion);
    std::string nonce = fields.text("nonce", 128);
    if (!fields.isValid()) return {};
    return nonce;
}

std::string encodeGreeting(const Greeting& greeting) {
    Json json = {{"role", nameOf(greeting.role)}, {"rank", greeting.rank},        {"nonce", greeting.nonce},
                 {"proof", greeting.proof},       {"program", greeting.program},  {"experiment", greeting.experiment},
                 {"host", greeting.host},         {"host_key", greeting.hostKey}, {"pid", greeting.pid}};
    if (!greeting.reason.empty()) json["reason"] = greeting.reason;
    return jsonText(json);
}

std::optional<Greeting> decodeGreeting(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    Greeting greeting;
    const auto role = choiceNamed<ConnectionRole>(fields.text("role", 16));
    greeting.rank = static_cast<int>(fields.number("rank", 0, 1 << 20));
    greeting.nonce = fields.text("nonce", 128);
    greeting.proof = fields.text("proof", 128);
    greeting.program = fields.text("program", 128);
    greeting.experiment = fields.text("experiment", 128);
    greeting.host = fields.text("host", 256);
    greeting.hostKey = fields.text("host_key", 256);
    greeting.pid = fields.number("pid", 0, std::int64_t{1} << 31);
    if (fields.has("reason")) greeting.reason = fields.text("reason", 1024);
    if (!fields.isValid() || !role) return {};
    greeting.role = *role;
    return greeting;
}

std::string encodeAnswer(const Answer& answer) {
    return jsonText({{"proof", answer.proof}, {"refused", answer.refused}, {"host_key", answer.hostKey}});
}

std::optional<Answer> decodeAnswer(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    Answer answer{fields.text("proof", 128), fields.text("refused", 2048), fields.text("host_key", 256)};
    if (!fields.isValid()) return {};
    return answer;
}

int Welcome::hostCount() const {
    return hosts.empty() ? 0 : 1 + *std::max_element(hosts.begin(), hosts.end());
}

std::vector<int> Welcome::ranksOn(int host) const {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        if (hosts[rank] == host) ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
}

std::string encodeWelcome(const Welcome& welcome) {
    return jsonText({{"kind", "welcome"},
                     {"run_directory", welcome.runDirectory},
                     {"backend", welcome.backend},
                     {"device", welcome.device},
                     {"resume", welcome.resume},
                     {"epoch_us", welcome.runStartUs},
                     {"hosts", welcome.hosts},
                     {"addresses", welcome.addresses},
                     {"shared_name", welcome.sharedName}});
}

std::optional<Welcome> decodeWelcome(std::string_view line, int worldSize) {
    JsonObject fields = objectIn(line, kMaxWelcomeBytes);
    Welcome welcome;
    if (fields.text("kind", 16) != "welcome") return {};
    welcome.runDirectory = fields.text("run_directory", 4096);
    welcome.backend = fields.text("backend", 32);
    welcome.device = fields.text("device", 32);
    welcome.resume = fields.text("resume", 4096);
    welcome.runStartUs = fields.number("epoch_us", -kMaxUs, kMaxUs);
    welcome.sharedName = fields.text("shared_name", 64);
    const Json* hosts = fields.array("hosts", static_cast<std::size_t>(worldSize));
    const Json* addresses = fields.array("addresses", static_cast<std::size_t>(worldSize));
    if (!fields.isValid() || std::ssize(*hosts) != worldSize || std::ssize(*addresses) != worldSize) return {};
    for (const Json& host : *hosts) {
        if (!host.is_number_unsigned() || host.get<std::uint64_t>() >= static_cast<std::uint64_t>(worldSize)) return {};
        welcome.hosts.push_back(host.get<int>());
    }
    for (const Json& address : *addresses) {
        if (!address.is_string() || address.get<std::string>().size() > 256) return {};
        welcome.addresses.push_back(address.get<std::string>());
    }
    return welcome;
}

std::string encodeClock(std::int64_t us) {
    return jsonText({{"kind", "clock"}, {"us", us}});
}

std::optional<std::int64_t> decodeClock(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "clock") return {};
    const std::int64_t us = fields.number("us", 0, kMaxUs);
    if (!fields.isValid()) return {};
    return us;
}

std::string encodeTimeQuery(const TimeQuery& query) {
    Json json = {{"kind", "time"}, {"asked_us", query.sentUs}};
    if (query.zeroUs) json["zero_us"] = *query.zeroUs;
    return jsonText(json) + "\n";
}

std::optional<TimeQuery> decodeTimeQuery(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "time") return {};
    TimeQuery query{fields.number("asked_us", 0, kMaxUs)};
    if (fields.has("zero_us")) query.zeroUs = fields.number("zero_us", -kMaxUs, kMaxUs);
    if (!fields.isValid()) return {};
    return query;
}

std::string encodeTimeAnswer(const TimeAnswer& answer) {
    return jsonText({{"kind", "time"}, {"asked_us", answer.sentUs}, {"us", answer.us}});
}

std::optional<TimeAnswer> decodeTimeAnswer(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "time") return {};
    const TimeAnswer answer{fields.number("asked_us", 0, kMaxUs), fields.number("us", 0, kMaxUs)};
    if (!fields.isValid()) return {};
    return answer;
}

std::string encodeFarewell(const Farewell& farewell) {
    Json json = {{"kind", "exit"}, {"code", farewell.exitCode}, {"text", farewell.text.substr(0, 1024)}};
    if (farewell.left) json["left"] = true;
    return jsonText(json);
}

std::optional<Farewell> decodeFarewell(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "exit") return {};
    Farewell farewell{static_cast<int>(fields.number("code", 0, 255)), fields.text("text", 4096)};
    if (fields.has("left")) farewell.left = fields.flag("left");
    if (!fields.isValid()) return {};
    return farewell;
}

bool isStopRequest(std::string_view line) {
    return objectIn(line, kMaxGreetingBytes).text("kind", 16) == "stop";
}

std::string encodeVerdict(const std::string& text) {
    return jsonText({{"kind", "verdict"}, {"text", text.substr(0, 1024)}});
}

std::optional<std::string> decodeVerdict(std::string_view line) {
    JsonObject fields = objectIn(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "verdict") return {};
    std::string text = fields.text("text", 4096);
    if (!fields.isValid()) return {};
    return text;
}

}  // namespace ringside
