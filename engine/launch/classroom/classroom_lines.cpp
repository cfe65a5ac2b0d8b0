// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/classroom_lines.h"

#include <algorithm>
#include <array>

#include "base/crypto/secret.h"
#include "base/json/json_members.h"

namespace ringside {
namespace {

using Kind = ClassroomLine::Kind;

constexpr std::array<std::pair<Kind, const char*>, 10> kKinds = {{{Kind::kOffer, "offer"},
                                                                  {Kind::kStart, "start"},
                                                                  {Kind::kNews, "news"},
                                                                  {Kind::kOver, "over"},
                                                                  {Kind::kBytes, "bytes"},
                                                                  {Kind::kWant, "want"},
                                                                  {Kind::kReady, "ready"},
                                                                  {Kind::kHere, "here"},
                                                                  {Kind::kEnded, "ended"},
                                                                  {Kind::kLeave, "leave"}}};
constexpr std::size_t kMaxSentence = 4096;
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 50;
constexpr int kMaxRanks = 4096;

Json jsonOf(const ClassroomOffer& offer) {
    Json files = Json::array();
    for (const ClassroomFile& file : offer.files)
        files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    return {{"kind", "offer"},
            {"number", offer.number},
            {"config", offer.config},
            {"files", std::move(files)},
            {"resumes", offer.resumes}};
}

bool isHexOf(const std::string& text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

ClassroomOffer offerIn(JsonObject& object) {
    ClassroomOffer offer;
    offer.number = object.intNumber("number", 1, 1 << 30);
    offer.config = object.text("config", kMaxClassroomLine);
    offer.resumes = object.flag("resumes");
    const Json* files = object.array("files", kMaxClassroomFiles);
    if (files == nullptr) return offer;
    for (const Json& one : *files) {
        JsonObject in(one);
        ClassroomFile file{in.text("name", 1024), in.number("bytes", 0, kMaxNumber), in.text("sha256", 64)};
        if (!in.isValid() || !isSafeName(file.name) || !isHexOf(file.sha256, 64)) {
            object.fail();
            return offer;
        }
        offer.files.push_back(std::move(file));
    }
    return offer;
}

ClassroomStart startIn(JsonObject& object) {
    ClassroomStart start;
    start.number = object.intNumber("number", 1, 1 << 30);
    start.worldSize = object.intNumber("world_size", 2, kMaxRanks);
    start.rank = object.intNumber("rank", 1, start.worldSize - 1);
    start.port = object.intNumber("port", 1, 65535);
    start.nonce = object.text("nonce", 64);
    return start;
}

}  // namespace

bool isSafeName(const std::string& name) {
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return false;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t slash = std::min(name.find('/', at), name.size());
        const std::string part = name.substr(at, slash - at);
        if (part.empty() || part == "." || part == ".." || part.size() > 255) return false;
        at = slash + 1;
    }
    return true;
}

std::int64_t ClassroomOffer::bytes() const {
    std::int64_t all = 0;
    for (const ClassroomFile& file : files) all += std::min(file.bytes, kMaxNumber / 8192);
    return all;
}

std::string tokenOfStart(const std::string& classToken, const ClassroomStart& start) {
    return hmacSha256(classToken, "start " + std::to_string(start.number) + " " + start.nonce);
}

std::string encodeClassroomLine(const ClassroomLine& line) {
    Json json;
    if (line.kind == Kind::kOffer) {
        json = jsonOf(line.offer);
    } else if (line.kind == Kind::kStart) {
        json = {{"kind", "start"},         {"number", line.start.number},
                {"rank", line.start.rank}, {"world_size", line.start.worldSize},
                {"port", line.start.port}, {"nonce", line.start.nonce}};
    } else {
        const auto known = std::ranges::find(kKinds, line.kind, &std::pair<Kind, const char*>::first);
        json = {{"kind", known->second}, {"text", line.text.substr(0, 1024)}, {"number", line.number}};
    }
    return jsonText(json);
}

std::optional<ClassroomLine> decodeClassroomLine(std::string_view text) {
    const Result<Json> json = parseJson(text, "line", kMaxClassroomLine, 8);
    if (!json) return {};
    JsonObject object(json.value());
    const std::string kind = object.text("kind", 16);
    const auto known = std::ranges::find_if(kKinds, [&](const auto& one) { return kind == one.second; });
    if (known == kKinds.end()) return {};
    ClassroomLine line;
    line.kind = known->first;
    if (line.kind == Kind::kOffer) {
        line.offer = offerIn(object);
    } else if (line.kind == Kind::kStart) {
        line.start = startIn(object);
    } else {
        line.text = object.text("text", kMaxSentence);
        line.number = object.number("number", 0, kMaxNumber);
    }
    if (!object.isValid()) return {};
    return line;
}

}  // namespace ringside
