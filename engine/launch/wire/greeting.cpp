// SPDX-License-Identifier: Apache-2.0
#include "launch/wire/greeting.h"

#include <algorithm>
#include <limits>

#include "base/json/json.h"

namespace ringside {
namespace {

// Checked access to the fields of a received line. A missing field, a wrong type or an excessive value clears good().
class Fields {
  public:
    Fields(std::string_view line, std::size_t maxBytes) {
        Result<Json> json = parseJson(line, "line", maxBytes, 4);
        m_good = json.ok() && json.value().is_object();
        if (m_good) m_json = std::move(json).value();
    }
    bool good() const { return m_good; }
    bool has(const char* name) const { return find(name) != nullptr; }

    std::string text(const char* name, std::size_t most = 1024) {
        const auto found = find(name);
        if (found == nullptr || !found->is_string()) return fail();
        std::string value = found->get<std::string>();
        return value.size() <= most ? value : fail();
    }
    std::int64_t number(const char* name, std::int64_t least, std::int64_t most) {
        const auto found = find(name);
        const bool fits =
            found != nullptr && found->is_number_integer() &&
            !(found->is_number_unsigned() &&
              found->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
        const std::int64_t value = fits ? found->get<std::int64_t>() : least - 1;
        if (value < least || value > most) fail();
        return value;
    }
    const Json* array(const char* name, std::size_t size) {
        const auto found = find(name);
        if (found != nullptr && found->is_array() && found->size() == size) return found;
        fail();
        return nullptr;
    }

  private:
    std::string fail() {
        m_good = false;
        return {};
    }
    const Json* find(const char* name) const {
        if (!m_good) return nullptr;
        const auto found = m_json.find(name);
        return found == m_json.end() ? nullptr : &*found;
    }

    Json m_json;
    bool m_good = false;
};

constexpr std::int64_t kMostUs = std::int64_t{1} << 60;

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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
    return dumped({{"ringside", kRendezvousVersion}, {"nonce", nonce}});
}

std::optional<std::string> decodeChallenge(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    fields.number("ringside", kRendezvousVersion, kRendezvousVersion);
    std::string nonce = fields.text("nonce", 128);
    if (!fields.good()) return {};
    return nonce;
}

std::string encodeGreeting(const Greeting& greeting) {
    Json json = {{"role", nameOf(greeting.role)}, {"rank", greeting.rank},        {"nonce", greeting.nonce},
                 {"proof", greeting.proof},       {"program", greeting.program},  {"experiment", greeting.experiment},
                 {"host", greeting.host},         {"host_key", greeting.hostKey}, {"pid", greeting.pid}};
    if (!greeting.reason.empty()) json["reason"] = greeting.reason;
    return dumped(json);
}

std::optional<Greeting> decodeGreeting(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
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
    if (fields.has("reason")) greeting.reason = fields.text("reason");
    if (!fields.good() || !role) return {};
    greeting.role = *role;
    return greeting;
}

std::string encodeAnswer(const Answer& answer) {
    return dumped({{"proof", answer.proof}, {"refused", answer.refused}, {"host_key", answer.hostKey}});
}

std::optional<Answer> decodeAnswer(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    Answer answer{fields.text("proof", 128), fields.text("refused", 2048), fields.text("host_key", 256)};
    if (!fields.good()) return {};
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
    return dumped({{"kind", "welcome"},
                   {"run_directory", welcome.runDirectory},
                   {"backend", welcome.backend},
                   {"device", welcome.device},
                   {"resume", welcome.resume},
                   {"epoch_us", welcome.epochUs},
                   {"hosts", welcome.hosts},
                   {"addresses", welcome.addresses},
                   {"shared_name", welcome.sharedName}});
}

std::optional<Welcome> decodeWelcome(std::string_view line, int worldSize) {
    Fields fields(line, kMaxWelcomeBytes);
    Welcome welcome;
    if (fields.text("kind", 16) != "welcome") return {};
    welcome.runDirectory = fields.text("run_directory", 4096);
    welcome.backend = fields.text("backend", 32);
    welcome.device = fields.text("device", 32);
    welcome.resume = fields.text("resume", 4096);
    welcome.epochUs = fields.number("epoch_us", -kMostUs, kMostUs);
    welcome.sharedName = fields.text("shared_name", 64);
    const Json* hosts = fields.array("hosts", static_cast<std::size_t>(worldSize));
    const Json* addresses = fields.array("addresses", static_cast<std::size_t>(worldSize));
    if (!fields.good()) return {};
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
    return dumped({{"kind", "clock"}, {"us", us}});
}

std::optional<std::int64_t> decodeClock(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "clock") return {};
    const std::int64_t us = fields.number("us", 0, kMostUs);
    if (!fields.good()) return {};
    return us;
}

std::string encodeTimeQuestion(const TimeQuestion& question) {
    Json json = {{"kind", "time"}, {"asked_us", question.askedUs}};
    if (question.zeroUs) json["zero_us"] = *question.zeroUs;
    return dumped(json) + "\n";
}

std::optional<TimeQuestion> decodeTimeQuestion(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "time") return {};
    TimeQuestion question{fields.number("asked_us", 0, kMostUs)};
    if (fields.has("zero_us")) question.zeroUs = fields.number("zero_us", -kMostUs, kMostUs);
    if (!fields.good()) return {};
    return question;
}

std::string encodeTimeAnswer(const TimeAnswer& answer) {
    return dumped({{"kind", "time"}, {"asked_us", answer.askedUs}, {"us", answer.us}});
}

std::optional<TimeAnswer> decodeTimeAnswer(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "time") return {};
    const TimeAnswer answer{fields.number("asked_us", 0, kMostUs), fields.number("us", 0, kMostUs)};
    if (!fields.good()) return {};
    return answer;
}

std::string encodeFarewell(const Farewell& farewell) {
    return dumped({{"kind", "exit"}, {"code", farewell.exitCode}, {"text", farewell.text.substr(0, 1024)}});
}

std::optional<Farewell> decodeFarewell(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "exit") return {};
    Farewell farewell{static_cast<int>(fields.number("code", 0, 255)), fields.text("text", 4096)};
    if (!fields.good()) return {};
    return farewell;
}

bool isStopWish(std::string_view line) {
    return Fields(line, kMaxGreetingBytes).text("kind", 16) == "stop";
}

std::string encodeVerdict(const std::string& text) {
    return dumped({{"kind", "verdict"}, {"text", text.substr(0, 1024)}});
}

std::optional<std::string> decodeVerdict(std::string_view line) {
    Fields fields(line, kMaxGreetingBytes);
    if (fields.text("kind", 16) != "verdict") return {};
    std::string text = fields.text("text", 4096);
    if (!fields.good()) return {};
    return text;
}

}  // namespace ringside
