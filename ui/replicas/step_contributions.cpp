// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/step_contributions.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "sampling/plan/epoch_spec.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxPlanned = 200'000;  // maximum number of training samples for which a shard
                                               // plan is computed; larger plans would block the window

std::optional<double> lossAt(const RankData& rank, std::int64_t step) {
    const auto points = rank.lossSeries.points();
    const auto found = std::ranges::lower_bound(points, step, {}, &SeriesPoint::step);
    if (found == points.end() || found->step != step || found->count != 1) return {};
    return static_cast<double>(found->mean);
}

std::vector<std::int64_t> reportedSamples(const RankData& rank, std::int64_t step) {
    std::vector<std::int64_t> all;
    for (const ConsumedIndices& one : rank.indices)
        if (one.step == step) all.insert(all.end(), one.index.begin(), one.index.end());
    return all;
}

// Samples that the run's shard plan assigns to each data-parallel rank in one step.
class PlannedSamples {
  public:
    PlannedSamples(const RunStarted& started, const RunConfig& config, std::int64_t step) {
        if (config.dataset.kind == DatasetKind::kExternal) return;  // a watched PyTorch script chooses its own samples
        if (started.stepsPerEpoch < 1 || step < 1 || started.trainingSamples > kMaxPlanned) return;
        ShardSpec spec = epochSpec(config, started.trainingSamples, (step - 1) / started.stepsPerEpoch);
        spec.worldSize = RankLayout{meshOf(config), 0}.dataRankCount();
        const Result<ShardPlan> plan = ShardPlan::make(spec);
        if (!plan) return;
        m_plan = plan.value();
        const std::int64_t each = config.training.accumulateSteps;
        m_first = (step - 1) % started.stepsPerEpoch * each;
        m_last = std::min(m_first + each, plan.value().stepsPerEpoch());
    }
    std::vector<std::int64_t> of(int reader) const {
        std::vector<std::int64_t> all;
        if (!m_plan) return all;
        for (std::int64_t batch = m_first; batch < m_last; ++batch) {
            const SlotRange range = m_plan->batch(reader, batch);
            for (std::int64_t slot = range.first; slot < range.first + range.count; ++slot)
                all.push_back(m_plan->index(reader, slot));
        }
        return all;
    }

  private:
    std::optional<ShardPlan> m_plan;
    std::int64_t m_first = 0, m_last = 0;
};

}  // namespace

std::vector<int> ranksOfStage(const RunConfig& config, int stage) {
    const RankLayout layout{meshOf(config), 0};
    std::vector<int> ranks;
    for (int one = 0; one < layout.dataRankCount(); ++one) ranks.push_back(stage * layout.dataRankCount() + one);
    return ranks;
}

StepContributions stepContributions(const RunData& run, const RunConfig& config, std::int64_t step,
                                    const std::vector<int>& ranks) {
    StepContributions contributions{.step = step};
    const auto& started = run.started();
    if (!started) return contributions;
    contributions.epoch = started->stepsPerEpoch > 0 ? (step - 1) / started->stepsPerEpoch : 0;
    const auto inspected = run.replicas().steps().find(step);
    const PlannedSamples planned(*started, config, step);
    for (const int rank : ranks) {
        if (static_cast<std::size_t>(rank) >= run.ranks().size()) continue;
        const auto place = static_cast<std::size_t>(rank);
        const RankData& data = run.ranks()[place];
        RankContribution contribution{.rank = rank};
        contribution.loss = lossAt(data, step);
        // If several ranks train on the same samples, only the first of these ranks reports the samples.
        const int reader = RankLayout{meshOf(config), rank}.dataRank();
        contribution.samples = reportedSamples(run.ranks()[static_cast<std::size_t>(reader)], step);
        contribution.samplesPlanned = contribution.samples.empty();
        if (contribution.samplesPlanned) contribution.samples = planned.of(reader);
        if (inspected != run.replicas().steps().end()) {
            const InspectedStep& at = inspected->second;
            if (at.own[place]) contribution.norm = at.own[place]->norm;
            if (at.mean[place] && std::isfinite(at.mean[place]->cosine)) contribution.cosine = at.mean[place]->cosine;
            if (contribution.norm && contribution.cosine && at.mean[place]->norm > 0)
                contribution.share = *contribution.norm * *contribution.cosine /
                                     (static_cast<double>(ranks.size()) * at.mean[place]->norm);
        }
        contributions.hasGradients |= contribution.norm.has_value();
        contributions.ranks.push_back(std::move(contribution));
    }
    return contributions;
}

QString samplesText(const std::vector<std::int64_t>& samples, std::size_t most) {
    QStringList shown;
    for (std::size_t i = 0; i < std::min(most, samples.size()); ++i) shown << QString::number(samples[i]);
    const QString text = shown.join(QStringLiteral(", "));
    if (samples.size() <= most) return text;
    return QCoreApplication::translate("replicas", "%1 and %2 more").arg(text).arg(samples.size() - most);
}

}  // namespace ringside
