// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/mistakes/mistake_switches.h"

#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "config/run_config.h"
#include "controls/flow_layout.h"
#include "controls/wrapped_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

struct Words {
    QString name;
    QString tip;
    const char* objectName;
};

}  // namespace

RunConfig withMistake(RunConfig config, Mistake mistake, bool made) {
    switch (mistake) {
        case Mistake::ForgottenSetEpoch:
            config.sampler.setEpoch = !made;
            break;
        case Mistake::SeedPerRank:
            config.pitfalls.seedPerRank = made;
            break;
        case Mistake::DoubleSharding:
            config.pitfalls.doubleSharding = made;
            break;
        case Mistake::WrongRank:
            config.pitfalls.wrongRank = made ? 0 : -1;
            break;
        case Mistake::WrongWorldSize:
            config.pitfalls.wrongWorldSize = made ? std::min<std::int64_t>(2 * config.parallel.worldSize, 4096) : 0;
            break;
        case Mistake::ShuffleWithSampler:
            config.pitfalls.shuffleWithSampler = made;
            break;
    }
    return config;
}

MistakeSwitches::MistakeSwitches(QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    const QList<Words> words = {
        {tr("Do not call set_epoch"),
         tr("sampler.set_epoch(epoch) is not called: every epoch has the order of epoch 0"), "forgetSetEpochCheck"},
        {tr("Different seed on each rank"),
         tr("Every rank shuffles with seed + rank: shards overlap and samples are missed"), "seedPerRankCheck"},
        {tr("Shard the data twice"), tr("The data is split by rank, and the sampler then splits each part again"),
         "shardTwiceCheck"},
        {tr("Hard-coded rank"), tr("Every process passes rank=0 to the sampler: all ranks train on the same shard"),
         "rankByHandCheck"},
        {tr("Hard-coded world size"),
         tr("The sampler receives twice the world size: no rank trains on half of the shards"), "worldSizeByHandCheck"},
        {tr("Also pass shuffle=True"), tr("DataLoader(sampler=..., shuffle=True): PyTorch raises an error"),
         "shuffleTooCheck"},
    };
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    auto* title = new WrappedText;
    title->setText(tr("Make a mistake on purpose, see its effect, and undo it"));
    title->setProperty("role", "muted");
    lines->addWidget(title);
    auto* layout = new FlowLayout(nullptr, 0);
    layout->setSpacing(Theme::kSpace4);
    lines->addLayout(layout);
    for (int at = 0; at < static_cast<int>(words.size()); ++at) {
        auto* box = new QCheckBox(words[at].name);
        box->setObjectName(QLatin1String(words[at].objectName));
        box->setToolTip(words[at].tip);
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this,
                [this, at](bool made) { Q_EMIT toggled(static_cast<Mistake>(at), made); });
        m_switches << box;
    }
}

void MistakeSwitches::setScene(const ShardScene& scene) {
    const PitfallsConfig& made = scene.plan.spec().pitfalls;
    const SamplerKind kind = scene.plan.spec().kind;
    const bool states[] = {!scene.setEpoch,     made.seedPerRank,        made.doubleSharding,
                           made.wrongRank >= 0, made.wrongWorldSize > 0, made.shuffleWithSampler};
    for (int at = 0; at < static_cast<int>(m_switches.size()); ++at) {
        const QSignalBlocker blocker(m_switches[at]);
        m_switches[at]->setChecked(states[at]);
        m_switches[at]->setEnabled(at == 0 ? usesSetEpoch(kind) : kind == SamplerKind::kDistributed);
    }
}

}  // namespace ringside
