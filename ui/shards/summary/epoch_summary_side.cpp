// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary_side.h"

namespace ringside {

EpochSummarySide::EpochSummarySide(QWidget* epochSummary, QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("epochSummarySide"));
    setProperty("role", "panel");  // draws the border on the area and not on its contents, so that it stays visible
                                   // while scrolling
    setWidgetResizable(true);
    setFixedWidth(kWidth);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(epochSummary);
    viewport()->setAutoFillBackground(false);
    epochSummary->setAutoFillBackground(false);
    hide();
}

void EpochSummarySide::setBeside(QBoxLayout& row, bool beside) {
    if (beside == m_beside) return;
    m_beside = beside;
    if (beside) {
        row.addWidget(this);
    } else {
        row.removeWidget(this);
    }
    setVisible(beside);
}

}  // namespace ringside
