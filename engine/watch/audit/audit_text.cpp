// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/audit_text.h"

#include "base/text/number_text.h"

#include <algorithm>

namespace ringside {
namespace {

// Returns the number of samples that each rank has drawn, as " (by rank 360, 359)"; empty if the numbers of all ranks
// are equal.
std::string byRank(const EpochAudit& epoch) {
    constexpr std::size_t kMaxRanks = 8;
    const auto [least, most] = std::ranges::minmax_element(epoch.ranks, {}, &RankSamples::assigned);
    if (epoch.ranks.size() < 2 || least->assigned == most->assigned) return {};
    if (epoch.ranks.size() > kMaxRanks)
        return " (by rank from " + std::to_string(least->assigned) + " to " + std::to_string(most->assigned) + ")";
    std::string text;
    for (const RankSamples& one : epoch.ranks) text += (text.empty() ? "" : ", ") + std::to_string(one.assigned);
    return " (by rank " + text + ")";
}

std::string amount(const EpochAudit& epoch) {
    std::string text = counted(epoch.assigned, "sample");
    if (epoch.ranks.size() > 1) text += " over " + std::to_string(epoch.ranks.size()) + " ranks" + byRank(epoch);
    return text;
}

std::string parts(const EpochAudit& epoch) {
    std::string text;
    if (epoch.runs > 1) text += ", in " + std::to_string(epoch.runs) + " runs";
    return text;
}

std::string missing(const EpochAudit& epoch, bool training) {
    if (epoch.never.value_or(0) == 0) return {};
    const std::string count = std::to_string(*epoch.never);
    if (epoch.isAbandoned) return ", " + count + " never trained: the next run began a new epoch instead";
    if (!epoch.isFinished) return ", " + count + " not drawn before the script left the epoch";
    return ", " + count + (training ? " never trained" : " never used");
}

// True if the epoch is free of mistakes: no sample is repeated or missing, or a rule of the sampler explains it. False
// if samples were only counted, because it is then not known which samples were repeated or missing.
bool isGood(const EpochAudit& epoch, bool training) {
    if (!epoch.distinct) return false;
    const bool complete = epoch.never.value_or(0) == 0 || (!epoch.isFinished && !epoch.isAbandoned);
    const bool everyRankReads = epoch.why.find("reads all samples") != std::string::npos;
    return (epoch.twice == 0 && complete) || (epoch.isByRule && !(training && everyRankReads));
}

std::string epochsText(std::int64_t first, std::int64_t last) {
    if (first == last) return "epoch " + std::to_string(first + 1);
    return "epochs " + std::to_string(first + 1) + "-" + std::to_string(last + 1);
}

bool saysTheSame(EpochAudit a, const EpochAudit& b) {
    a.epoch = b.epoch;
    return a == b;
}

// Returns the script line that creates the loader, such as "train.py:48", followed by the number of the loader if the
// line creates several loaders.
std::string loaderName(const EpochAudit& epoch) {
    const int number = epoch.loaderNumber;
    return epoch.loader + (number > 0 ? " (loader " + std::to_string(number) + ")" : std::string());
}

void addEpochs(std::vector<SamplesLine>& lines, const std::vector<EpochAudit>& epochs, bool training,
               std::size_t most) {
    const bool several =
        std::ranges::any_of(epochs, [&](const EpochAudit& one) { return loaderName(one) != loaderName(epochs[0]); });
    const bool groups = std::ranges::any_of(epochs, [](const EpochAudit& one) { return one.group > 0; });
    std::size_t added = 0;
    for (std::size_t i = 0; i < epochs.size();) {
        std::size_t end = i + 1;
        while (end < epochs.size() && saysTheSame(epochs[end], epochs[i])) ++end;
        if (added == most) {
            const std::span rest = std::span(epochs).subspan(i);
            lines.push_back(
                {"", "and " + counted(std::ssize(rest), "epoch") + " more",
                 std::ranges::all_of(rest, [&](const EpochAudit& one) { return isGood(one, training); }),
                 std::ranges::all_of(rest, [](const EpochAudit& one) { return one.distinct.has_value(); })});
            return;
        }
        std::string label =
            (training ? "training " : "validation ") + epochsText(epochs[i].epoch, epochs[end - 1].epoch);
        if (several) label += " " + loaderName(epochs[i]);
        if (groups) label += " group " + std::to_string(epochs[i].group + 1);
        lines.push_back(
            {label, sentenceOf(epochs[i], training), isGood(epochs[i], training), epochs[i].distinct.has_value()});
        ++added;
        i = end;
    }
}

EpochSamples entryOf(const EpochAudit& epoch) {
    EpochSamples entry{.epoch = epoch.epoch,
                       .assigned = epoch.assigned,
                       .distinct = epoch.distinct,
                       .twice = epoch.twice,
                       .never = epoch.never,
                       .size = epoch.size,
                       .finished = epoch.isFinished,
                       .loader = loaderName(epoch),
                       .group = epoch.group,
                       .why = epoch.why};
    for (const RankSamples& rank : epoch.ranks) entry.perRank.push_back(rank.assigned);
    return entry;
}

}  // namespace

std::string sentenceOf(const EpochAudit& epoch, bool training) {
    const std::string size = epoch.size ? " of " + std::to_string(*epoch.size) : std::string();
    if (!epoch.distinct)
        return amount(epoch) + "; " + (epoch.why.empty() ? "the indices of the samples are not known" : epoch.why);
    if (epoch.isExact()) return "every sample exactly once: " + amount(epoch) + parts(epoch);
    std::string text = amount(epoch) + parts(epoch) + ": " + std::to_string(*epoch.distinct) + size + " distinct";
    if (epoch.twice.value_or(0) > 0) text += ", " + std::to_string(*epoch.twice) + " repeated";
    if (epoch.shared.value_or(0) > 0 && epoch.why.empty())
        text += " (" + std::to_string(*epoch.shared) + " by several ranks)";
    text += missing(epoch, training);
    return epoch.why.empty() ? text : text + "; " + epoch.why;
}

std::vector<SamplesLine> linesOf(const SampleAudit& audit, std::size_t most) {
    std::vector<SamplesLine> lines;
    addEpochs(lines, audit.training, true, most);
    addEpochs(lines, audit.validation, false, most);
    if (audit.trainedOn.value_or(0) > 0) {
        lines.push_back({"validation",
                         std::to_string(*audit.trainedOn) + " of " + std::to_string(audit.validated) +
                             " validation samples were trained on",
                         false});
    } else if (audit.trainedOn) {
        lines.push_back({"validation", "none of its " + std::to_string(audit.validated) + " samples was trained on" +
                                           (audit.trainedLater > 0 ? " before the last evaluation" : "")});
    }
    for (const std::string& note : audit.notes) lines.push_back({"note", note});
    return lines;
}

SummarySamples summaryOf(const SampleAudit& audit) {
    SummarySamples result;
    for (const EpochAudit& one : audit.training) result.train.push_back(entryOf(one));
    for (const EpochAudit& one : audit.validation) result.val.push_back(entryOf(one));
    result.validated = audit.validated;
    result.trainedOn = audit.trainedOn;
    result.lines = linesOf(audit);
    return result;
}

}  // namespace ringside
