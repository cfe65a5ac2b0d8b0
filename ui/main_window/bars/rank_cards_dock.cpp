// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/rank_cards_dock.h"

#include <QLabel>
#include <QVBoxLayout>

#include "models/run_model.h"
#include "ranks/rank_strip.h"
#include "theme/theme.h"

namespace ringside {

RankCardsDock::RankCardsDock(const Dependencies& dependencies, QWidget* parent)
    : PlainDock(tr("Ranks"), QStringLiteral("rankDock"), parent), m_in(dependencies) {
    auto* frame = new QWidget(parent);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace1, Theme::kSpace3, Theme::kSpace1);
    m_ranks = new RankStrip(m_in.experiment, m_in.run, m_in.theme, frame);
    auto* source = new QLabel(m_ranks->source(), frame);
    source->setObjectName(QStringLiteral("rankSourceLabel"));
    source->setProperty("role", "note");
    source->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_ranks, &RankStrip::sourceChanged, source, &QLabel::setText);
    column->setSpacing(2);
    column->addWidget(source);
    column->addWidget(m_ranks);
    frame->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setWidget(frame);
    connect(&m_in.controller, &RunController::stateChanged, this, &RankCardsDock::showState);
    connect(&m_in.controller, &RunController::mayStartAgainChanged, m_ranks, &RankStrip::setMayStartAgain);
}

void RankCardsDock::showState(RunController::State state) {
    m_ranks->setLive(m_in.controller.isLive());
    m_ranks->setLost(state == RunController::State::Failed && !m_in.run.data().ended());
}

}  // namespace ringside
