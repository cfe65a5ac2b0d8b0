// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text/number_text.h"
#include "sampling/findings/assignment_effects.h"
#include "sampling/findings/class_balance.h"
#include "sampling/findings/plan_diff.h"
#include "sampling/findings/plan_marks.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/query/plan_query.h"

namespace ringside {
namespace {

constexpr std::size_t kShown = 20;  // maximum number of lines in the text output; the JSON output is complete
constexpr int kShownRanks = 16;

std::string oneDecimal(double value) {
    return fmt::format("{:.1f}", value);
}

std::string cell(const std::string& text) {
    return std::string(text.size() < 9 ? 9 - text.size() : 1, ' ') + text;
}

Result<std::vector<std::uint16_t>> labelsOf(const PlanSource& source) {
    if (!source.data || source.data->classCount() <= 0 || source.data->classCount() > 65536) {
        return Problem{"classes", "are not known", "name an experiment whose data has classes with --config FILE"};
    }
    std::vector<std::uint16_t> labels;
    for (std::int64_t i = 0; i < source.size; ++i) {
        labels.push_back(static_cast<std::uint16_t>(source.data->label(i)));
    }
    return labels;
}

std::optional<std::int64_t> labelNamed(const Dataset& data, const std::string& name) {
    for (std::int64_t label = 0; label < data.classCount(); ++label) {
        if (data.className(label) == name || std::to_string(label) == name) return label;
    }
    return {};
}

Json hitJson(const ShardPlan& plan, const PlanHit& hit) {
    Json json = {{"index", hit.sample}};
    if (hit.rank < 0) return json.update({{"flag", leavesOutOnlyDropped(plan.spec()) ? "dropped" : "unused"}}), json;
    const bool trained = hit.slot < plan.trainedOf(hit.rank);
    json["rank"] = hit.rank;
    json["slot"] = hit.slot;
    json["step"] = trained ? Json(hit.slot / plan.spec().batchSize + 1) : Json();
    json["flag"] = plan.isPadded(hit.rank, hit.slot) ? "padded" : "normal";
    return json;
}

std::string hitText(const Json& place) {
    std::string text = "sample " + place["index"].dump();
    if (!place.contains("rank")) return text + ": no rank gets this sample\n";
    text += ": rank " + place["rank"].dump() + ", slot " + place["slot"].dump();
    text += place["step"].is_null() ? ", dropped by the loader" : ", step " + place["step"].dump();
    return text + (place["flag"] == "padded" ? ", repeated\n" : "\n");
}

std::string first(const Json& list, std::string (*textOf)(const Json&)) {
    std::string text;
    for (std::size_t i = 0; i < std::min(list.size(), kShown); ++i) text += textOf(list[i]);
    if (list.size() > kShown) text += "... use --format json to list all samples\n";
    return text;
}

std::string sampleLine(const Json& sample) {
    return "sample " + sample.dump() + "\n";
}

std::string overlapText(const AssignmentEffects& effects) {
    const auto shown = std::min<std::int64_t>(effects.ranks, kShownRanks);
    std::string text = "samples that two ranks share (diagonal: samples of the rank):\n         ";
    for (std::int64_t b = 0; b < shown; ++b) text += cell(std::to_string(b));
    for (std::int64_t a = 0; a < shown; ++a) {
        text += "\n" + cell("rank " + std::to_string(a));
        for (std::int64_t b = 0; b < shown; ++b) {
            text += cell(std::to_string(effects.overlap[static_cast<std::size_t>(a * effects.ranks + b)]));
        }
    }
    return text + "\n" + (shown < effects.ranks ? "... use --format json to list all ranks\n" : "");
}

}  // namespace

Result<PlanAnswer> queryFind(const PlanSource& source, std::int64_t epoch, std::int64_t epochs,
                             const std::string& text) {
    Result<PlanQuery> query = parsePlanQuery(text);
    if (!query) return query.problem();
    if (query.value().state == PlanQuery::State::NeverSeen) return queryNeverSeen(source, epochs);
    std::vector<std::uint16_t> labels;
    if (query.value().className) {
        const auto known = labelsOf(source);
        if (!known) return known.problem();
        labels = known.value();
        query.value().label = labelNamed(*source.data, *query.value().className);
        if (!query.value().label) {
            return Problem{"class", "is " + *query.value().className + ", which the data set does not have",
                           "use the name of a class, or a number below " + std::to_string(source.data->classCount())};
        }
    }
    epoch = query.value().epoch.value_or(epoch);
    const Result<ShardPlan> plan = ShardPlan::make(source.specAt(epoch));
    if (!plan) return plan.problem();
    const auto hits = findInPlan(plan.value(), query.value(), labels);
    if (!hits) return hits.problem();
    Json places = Json::array();
    for (const PlanHit& hit : hits.value()) places.push_back(hitJson(plan.value(), hit));
    const auto count = static_cast<std::int64_t>(places.size());
    PlanAnswer answer{{{"query", text}, {"epoch", epoch}, {"count", count}, {"places", places}}, {}};
    answer.text = grouped(count) + (count == 1 ? " match" : " matches") + " in epoch " + std::to_string(epoch) + "\n" +
                  first(places, hitText);
    return answer;
}

Result<PlanAnswer> queryNeverSeen(const PlanSource& source, std::int64_t epochs) {
    // neverSeenSamples() skips epochs whose plan is invalid, so an invalid plan must be detected here.
    if (const Result<ShardPlan> plan = ShardPlan::make(source.specAt(0)); !plan) return plan.problem();
    const auto samples = neverSeenSamples([&](std::int64_t epoch) { return source.specAt(epoch); }, epochs);
    const ShardSpec spec = source.specAt(0);
    const bool sameOrder = !source.config.sampler.setEpoch && usesSetEpoch(spec.kind);
    const double expected = expectedNeverSeen(spec, epochs, sameOrder);
    const Json list = samples;
    PlanAnswer answer{{{"epochs", epochs},
                       {"never_seen", samples.size()},
                       {"expected", expected < 0 ? Json() : Json(expected)},
                       {"samples", list}},
                      {}};
    answer.text = grouped(static_cast<std::int64_t>(samples.size())) + " of " + grouped(source.size) +
                  " samples are never seen in " + grouped(epochs) + (epochs == 1 ? " epoch" : " epochs");
    if (expected >= 0) answer.text += "; expected by chance: " + oneDecimal(expected);
    answer.text += "\n" + first(list, sampleLine);
    return answer;
}

Result<PlanAnswer> queryDiff(const PlanSource& source, std::int64_t epoch, const std::string& changes) {
    std::int64_t otherEpoch = epoch;
    const Result<PlanSource> other = changedSource(source, changes, otherEpoch);
    if (!other) return other.problem();
    const Result<ShardPlan> a = ShardPlan::make(source.specAt(epoch));
    if (!a) return a.problem();
    const Result<ShardPlan> b = ShardPlan::make(other.value().specAt(otherEpoch));
    if (!b) return b.problem();
    const PlanDiff diff = diffPlans(a.value(), b.value());
    PlanAnswer answer{{{"diff", changes},
                       {"identical", diff.identical()},
                       {"samples", diff.samples},
                       {"only_first", diff.onlyFirst},
                       {"only_second", diff.onlySecond},
                       {"same_rank", diff.sameRank},
                       {"same_rank_and_step", diff.sameRankStep},
                       {"same_place", diff.sameSlot},
                       {"expected_same_rank", diff.expectedSameRank},
                       {"expected_same_rank_and_step", diff.expectedSameRankStep}},
                      {}};
    answer.text = grouped(diff.samples) + " samples are used with both settings; " + grouped(diff.onlyFirst) +
                  " only with the first settings, " + grouped(diff.onlySecond) + " only with " + changes + "\n" +
                  grouped(diff.sameRank) +
                  " samples stay on their rank; expected by chance: " + oneDecimal(diff.expectedSameRank) + "\n" +
                  grouped(diff.sameRankStep) + " samples stay on their rank in the same step; expected by chance: " +
                  oneDecimal(diff.expectedSameRankStep) + "\n";
    if (diff.identical()) answer.text += "Both settings assign the same samples.\n";
    return answer;
}

Result<PlanAnswer> queryBalance(const PlanSource& source, std::int64_t epoch) {
    const auto labels = labelsOf(source);
    if (!labels) return labels.problem();
    const Result<ShardPlan> made = ShardPlan::make(source.specAt(epoch));
    if (!made) return made.problem();
    const ShardPlan& plan = made.value();
    std::vector<std::string> names;
    for (std::int64_t c = 0; c < source.data->classCount(); ++c) names.push_back(source.data->className(c));
    const ClassBalance balance = classBalance(plan, labels.value(), names);
    PlanAnswer answer{{{"epoch", epoch}, {"class_sizes", balance.classSizes}, {"ranks", Json::array()}}, "         "};
    for (int c = 0; c < balance.classes && c < kShownRanks; ++c)
        answer.text += cell(names[static_cast<std::size_t>(c)]);
    for (int rank = 0; rank < balance.ranks; ++rank) {
        Json counts = Json::array(), outside = Json::array();
        std::string line = "\n" + cell("rank " + std::to_string(rank));
        for (int c = 0; c < balance.classes; ++c) {
            const bool out = balance.outside(rank, c);
            counts.push_back(balance.count(rank, c));
            if (out) outside.push_back(c);
            if (c < kShownRanks) line += cell(std::to_string(balance.count(rank, c)) + (out ? "!" : ""));
        }
        if (rank < kShownRanks) answer.text += line;
        answer.json["ranks"].push_back({{"rank", rank}, {"counts", counts}, {"outside_chance", outside}});
    }
    answer.text += "\n! marks a count outside the range of 95 % of random assignments\n";
    return answer;
}

Result<PlanAnswer> queryMistakeEffects(const PlanSource& source, std::int64_t epoch) {
    const Result<ShardPlan> plan = ShardPlan::make(source.specAt(epoch));
    if (!plan) return plan.problem();
    const AssignmentEffects effects = assignmentEffects(plan.value());
    const auto orNull = [](double value) { return value < 0 ? Json() : Json(value); };
    const auto expected = [](double value) {
        return value < 0 ? std::string() : "; expected by chance: " + oneDecimal(value);
    };
    PlanAnswer answer{{{"epoch", epoch},
                       {"samples", effects.samples},
                       {"seen", effects.seen},
                       {"uses", effects.uses},
                       {"expected_seen", orNull(effects.expectedSeen)},
                       {"expected_overlap", orNull(effects.expectedOverlap)},
                       {"overlap_ranks", effects.ranks},
                       {"overlap", effects.overlap}},
                      {}};
    const std::string mistake = pitfallSentence(plan.value().spec());
    answer.text = (mistake.empty() ? "" : mistake + "\n") + grouped(effects.seen) + " of " + grouped(effects.samples) +
                  " samples are used, " + grouped(effects.uses) + " times in total" + expected(effects.expectedSeen) +
                  "\n" + overlapText(effects) + "samples that two ranks share" +
                  (effects.expectedOverlap < 0 ? "; no closed formula is known for the number expected by chance"
                                               : expected(effects.expectedOverlap)) +
                  "\n";
    return answer;
}

}  // namespace ringside
