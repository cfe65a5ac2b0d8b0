// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/order_banner.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "controls/wrapped_text.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"

namespace ringside {

OrderBanner::OrderBanner(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("orderBanner"));
    setProperty("role", "notice");
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace3, Theme::kSpace1, Theme::kSpace2, Theme::kSpace1);
    layout->setSpacing(Theme::kSpace3);
    m_text = new WrappedText;
    m_text->setObjectName(QStringLiteral("orderBannerLabel"));
    m_text->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // its minimum height is its height
    auto* show = new QPushButton(tr("Show in Epoch diff"));
    show->setObjectName(QStringLiteral("orderBannerButton"));
    show->setToolTip(tr("Compare two epochs: samples in the colour of the text have the same rank and step in both"));
    layout->addWidget(m_text, 1);
    layout->addWidget(show);
    connect(show, &QPushButton::clicked, this, &OrderBanner::showWanted);
    hide();
}

void OrderBanner::setEpochs(qint64 epochs) {
    setVisible(epochs > 0);
    m_text->setText(epochs == 2 ? tr("set_epoch is never called: both epochs have the same order, so each rank sees "
                                     "the same samples in the same batches in both epochs.")
                                : tr("set_epoch is never called: all %1 epochs have the same order, so each rank sees "
                                     "the same samples in the same batches in every epoch.")
                                      .arg(groupedNumber(epochs)));
}

}  // namespace ringside
