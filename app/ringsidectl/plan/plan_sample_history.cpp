// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_sample_history.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "sampling/findings/sample_history.h"

namespace ringside {
namespace {

// maximum number of other samples of a batch in the text output; the JSON output is complete
constexpr std::size_t kShownMates = 8;

Json placeJson(const SampleUse& use) {
    const SampleSlot& place = use.place;
    return {{"rank", place.rank},
            {"step", place.step < 0 ? Json() : Json(place.step + 1)},
            {"slot", place.slot},
            {"flag", place.padded ? "padded" : "normal"},
            {"batch_mates", use.batchMates}};
}

std::string placeText(const Json& place) {
    std::string text = "rank " + place["rank"].dump() + ", ";
    text += place["step"].is_null() ? "dropped by the loader" : "step " + place["step"].dump();
    text += ", slot " + place["slot"].dump() + (place["flag"] == "padded" ? ", repeated" : "");
    const Json& mates = place["batch_mates"];
    for (std::size_t i = 0; i < std::min(mates.size(), kShownMates); ++i) {
        text += (i == 0 ? ", with " : " ") + mates[i].dump();
    }
    return text + (mates.size() > kShownMates ? " ..." : "");
}

std::string epochText(const Json& entry) {
    std::string text = "epoch " + entry["epoch"].dump() + ": ";
    if (entry["places"].empty()) return text + "no rank gets the sample\n";
    for (std::size_t i = 0; i < entry["places"].size(); ++i) {
        text += (i == 0 ? "" : "; and ") + placeText(entry["places"][i]);
    }
    return text + "\n";
}

}  // namespace

Result<PlanAnswer> querySampleHistory(const PlanSource& source, std::int64_t sample, std::int64_t epochs) {
    if (sample < 0 || sample >= source.size) {
        return Problem{
            "biography",
            "is " + std::to_string(sample) + "; the data set has " + std::to_string(source.size) + " samples",
            "choose one from 0 to " + std::to_string(source.size - 1)};
    }
    PlanAnswer answer{{{"sample", sample}, {"epochs", Json::array()}}, {}};
    const SampleHistorySource plans{[&](std::int64_t epoch) { return source.specAt(epoch); },
                                    [](const ShardSpec& spec) { return ShardPlan::make(spec); }};
    std::vector<SampleHistoryEntry> entries;
    constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
    if (const auto problem = appendEpochs(plans, sample, 0, epochs, kAll, entries)) return *problem;
    for (const SampleHistoryEntry& entry : entries) {
        Json places = Json::array();
        for (const SampleUse& use : entry.uses) places.push_back(placeJson(use));
        answer.json["epochs"].push_back({{"epoch", entry.epoch}, {"places", places}});
        answer.text += epochText(answer.json["epochs"].back());
    }
    return answer;
}

}  // namespace ringside
