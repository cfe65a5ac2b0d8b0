// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/seen_samples.h"

#include <QCoreApplication>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "run/read/run_directory.h"
#include "run/read/run_events.h"
#include "watch/audit/audit_run.h"
#include "watch/audit/audit_text.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"script", "indices"};
constexpr std::int64_t kLargestPlan = 20'000'000;  // largest number of samples in a plan that is computed; a larger
                                                   // plan takes seconds for each epoch
constexpr std::size_t kMaxPlans = 4;               // number of plans of epochs that are kept in memory

QString seenWords(const char* text) {
    return QCoreApplication::translate("SeenSamples", text);
}

// Returns the text of a problem from seenPlan(). Its beginning, "is not known: ", is removed because the page states
// this in its own words.
QString reasonOf(const Problem& problem) {
    QString text = QString::fromStdString(problem.message);
    const QString before = QStringLiteral("is not known: ");
    return text.startsWith(before) ? text.mid(before.size()) : text;
}

// Plans of the epochs of a run. Each plan is computed when it is first requested.
class EpochPlans {
  public:
    explicit EpochPlans(const SeenPlan& seen) : m_seen(seen) {}
    const ShardPlan* of(std::int64_t epoch) {
        const auto known = m_plans.find(epoch);
        if (known != m_plans.end()) return &known->second;
        const Result<ShardPlan> made = ShardPlan::make(m_seen.specAt(epoch));
        if (!made) return nullptr;
        if (m_plans.size() == kMaxPlans) m_plans.erase(m_plans.begin());
        return &m_plans.emplace(epoch, made.value()).first->second;
    }

  private:
    const SeenPlan& m_seen;
    std::map<std::int64_t, ShardPlan> m_plans;
};

// Returns the plan of the first data loader that the script used for training. If the script was restarted, only its
// last start counts.
Result<SeenPlan> planOf(const RecordedFacts& facts, std::int64_t& loader) {
    std::map<int, LoaderFacts> loaders;
    std::vector<std::int64_t> epochs;
    for (const auto& [rank, one] : facts.attempts().empty() ? AttemptFacts() : facts.attempts().back()) {
        if (one.lastEpoch.empty()) continue;
        const std::int64_t id = one.lastEpoch.begin()->first;
        const auto found = one.loaders.find(id);
        if (found == one.loaders.end()) continue;
        if (loaders.empty()) loader = id;
        loaders[rank] = found->second;
        for (std::int64_t epoch = 0; loaders.size() == 1 && epoch <= one.lastEpoch.begin()->second; ++epoch) {
            const PassFacts* pass = one.passOf(id, epoch);
            if (pass != nullptr && pass->samplerEpoch) epochs.push_back(*pass->samplerEpoch);
        }
    }
    return seenPlan(loaders, epochs);
}

// Returns the reason for which samples may be missing in the record, so that a difference from the plan proves nothing;
// empty if there is no such reason.
QString incompletenessReason(const RecordedFacts& facts) {
    for (const AttemptFacts& attempt : facts.attempts()) {
        for (const auto& [rank, one] : attempt) {
            const std::string why = one.incompletenessReason();
            if (!why.empty())
                return seenWords("the record of rank %1 may be incomplete: %2")
                    .arg(rank)
                    .arg(QString::fromStdString(why));
        }
    }
    return {};
}

void compare(SeenSamples& samples, const std::filesystem::path& run, const std::atomic<bool>& stop) {
    EpochPlans plans(*samples.plan);
    std::set<int> seen;  // ranks of which a batch has been read
    const auto read = readRunEvents(run, kKinds, [&](const Event& event) {
        const auto* trained = std::get_if<ConsumedIndices>(&event);
        if (trained == nullptr || trained->loader != samples.loader || stop || !samples.plan) return;
        const ShardPlan* plan = plans.of(trained->epoch);
        const bool isPlanned = plan != nullptr && matchesPlan(*plan, trained->rank, trained->slot, trained->index);
        const auto count = static_cast<std::int64_t>(trained->index.size());
        if (seen.insert(trained->rank).second && !isPlanned) {
            samples.plan.reset();  // a plan is valid only if the first batch of each rank confirms it
            samples.whyNoPlan =
                seenWords("the first batch of rank %1 differs from the order of its sampler").arg(trained->rank);
            return;
        }
        (isPlanned ? samples.asPlanned : samples.notAsPlanned) += count;
        if (!isPlanned && samples.firstOther.isEmpty())
            samples.firstOther = seenWords("rank %1, epoch %2, step %3")
                                     .arg(trained->rank)
                                     .arg(epochNumber(trained->epoch), groupedText(trained->step));
    });
    if (read) return;
    samples.plan.reset();  // reading failed, so only part of the samples was compared with the plan
    samples.whyNoPlan = QString::fromStdString(read.problem().text());
}

void readAudit(SeenSamples& samples, const std::filesystem::path& run, bool isOver) {
    if (isOver) {
        const Result<RunSummary> summary = readRunSummary(RunPaths(run).summary());
        if (summary && summary.value().samples) {
            samples.audit = summary.value().samples;
            return;
        }
    }
    const Result<SampleAudit> audit = auditRun(run);
    if (audit) {
        samples.audit = summaryOf(audit.value());
    } else {
        samples.problem = QString::fromStdString(audit.problem().text());
    }
}

// Reads the plan of the training loader, and compares the trained samples with it.
void comparePlan(SeenSamples& samples, const std::filesystem::path& run, const std::atomic<bool>& stop) {
    RecordedFacts facts;
    const auto read = readRunEvents(run, kKinds, [&](const Event& event) { facts.add(event); });
    if (!read) {
        samples.whyNoPlan = QString::fromStdString(read.problem().text());
        return;
    }
    const Result<SeenPlan> plan = planOf(facts, samples.loader);
    samples.whyNoPlan = incompletenessReason(facts);
    if (!samples.whyNoPlan.isEmpty()) return;
    if (!plan) {
        samples.whyNoPlan = reasonOf(plan.problem());
    } else if (plan.value().datasetSize > kLargestPlan) {
        samples.whyNoPlan = seenWords("a plan of more than %1 samples is not compared").arg(groupedText(kLargestPlan));
    } else {
        samples.plan = plan.value();
        compare(samples, run, stop);
    }
}

}  // namespace

SeenSamples readPlannedSamples(const std::filesystem::path& run, const std::atomic<bool>& stop) {
    SeenSamples samples;
    comparePlan(samples, run, stop);
    return samples;
}

SeenSamples readSeenSamples(const std::filesystem::path& run, bool isOver, const std::atomic<bool>& stop) {
    SeenSamples samples;
    readAudit(samples, run, isOver);
    if (!stop) comparePlan(samples, run, stop);
    return samples;
}

QString planName(const SeenPlan& plan) {
    if (plan.sampler.kind == SamplerKind::kSequential) return QStringLiteral("SequentialSampler");
    if (plan.sampler.kind == SamplerKind::kBatchSharded) return seenWords("BatchSamplerShard of Accelerate");
    return seenWords("DistributedSampler (seed %1, %2)")
        .arg(plan.sampler.seed)
        .arg(plan.sampler.shuffle ? seenWords("shuffled") : seenWords("not shuffled"));
}

QString planSentence(const SeenSamples& samples) {
    if (!samples.plan) return seenWords("The samples are shown as they were seen, because %1.").arg(samples.whyNoPlan);
    const QString name = planName(*samples.plan);
    if (samples.asPlanned + samples.notAsPlanned == 0)
        return seenWords("No trained sample was compared with the plan of %1 yet.").arg(name);
    if (samples.notAsPlanned == 0 && usesSetEpoch(samples.plan->sampler.kind) && !samples.plan->sampler.setEpoch)
        return seenWords(
                   "All %1 trained samples are as planned by %2, but each epoch has the same order: set_epoch() is "
                   "not called.")
            .arg(groupedText(samples.asPlanned), name);
    if (samples.notAsPlanned == 0)
        return seenWords("All %1 trained samples are as planned by %2.").arg(groupedText(samples.asPlanned), name);
    return seenWords("%1 of %2 trained samples are in batches that differ from the plan of %3, first on %4.")
        .arg(groupedText(samples.notAsPlanned), groupedText(samples.asPlanned + samples.notAsPlanned), name,
             samples.firstOther);
}

}  // namespace ringside
