// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/experiment_dock.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "controls/elided_label.h"
#include "controls/tone.h"
#include "experiment/experiment_form.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kFormWidth{312};
constexpr int kNormalForm = 312;
constexpr double kMaxForm = 0.4;  // maximum width of the form with a large type size, as a share of the window's width
constexpr int kSideMargin = Theme::kSpace4 - 1;

}  // namespace

ExperimentDock::ExperimentDock(ExperimentModel& experiment, QWidget* parent)
    : PlainDock(tr("Experiment"), QStringLiteral("experimentDock"), parent), m_frame(new QWidget(parent)) {
    m_panel = makePanel(experiment);
    auto* whole = new QVBoxLayout(m_frame);
    whole->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace1, 0);
    whole->addWidget(m_panel);
    followType(*m_frame, [this] { fitTo(m_windowWidth); });
    setWidget(m_frame);
}

QWidget* ExperimentDock::makePanel(ExperimentModel& experiment) {
    auto* panel = new QFrame(m_frame);
    panel->setProperty("role", "panel");
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, Theme::kSpace3, 1, 1);
    column->setSpacing(Theme::kSpace2);
    column->addLayout(makeHeader());
    addChanges(*panel);
    m_form = new ExperimentForm(experiment, panel);
    column->addWidget(m_form, 1);
    return panel;
}

QLayout* ExperimentDock::makeHeader() {
    auto* header = new QHBoxLayout;
    header->setContentsMargins(kSideMargin, 0, kSideMargin, 0);
    auto* title = new QLabel(tr("Experiment"), m_frame);
    title->setProperty("role", "title");
    m_fileName = new ElidedLabel(m_frame, Qt::ElideMiddle);
    m_fileName->setObjectName(QStringLiteral("fileNameLabel"));
    m_fileName->setProperty("role", "muted");
    header->addWidget(title);
    header->addStretch(1);
    header->addWidget(m_fileName, 4);
    return header;
}

void ExperimentDock::addChanges(QWidget& panel) {
    auto* column = static_cast<QVBoxLayout*>(panel.layout());
    m_changes = new QLabel(&panel);
    m_changes->setObjectName(QStringLiteral("changesLabel"));
    m_changes->setProperty("role", "note");
    m_changes->setProperty("tone", "warning");
    m_changes->setWordWrap(true);
    m_changes->setContentsMargins(kSideMargin, 0, kSideMargin, 0);
    m_changes->hide();
    column->addWidget(m_changes);
    m_apply = new QPushButton(&panel);
    m_apply->setObjectName(QStringLiteral("applyNowButton"));
    m_apply->hide();
    connect(m_apply, &QPushButton::clicked, this, &ExperimentDock::applyWanted);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(kSideMargin, 0, kSideMargin, 0);
    row->addWidget(m_apply);
    row->addStretch(1);
    column->addLayout(row);
}

void ExperimentDock::setFileName(const QString& name, const QString& tip) {
    m_fileName->setText(name);
    m_fileName->setToolTip(tip);
}

void ExperimentDock::showChanges(const QStringList& settings, bool isLive) {
    constexpr qsizetype kMaxNamed = 3;
    m_changes->setVisible(!settings.isEmpty());
    if (settings.isEmpty()) return;
    const QString named = settings.first(std::min(kMaxNamed, settings.size())).join(QStringLiteral(", "));
    const QString rest = settings.size() > kMaxNamed ? tr(" and %1 more").arg(settings.size() - kMaxNamed) : QString();
    setTone(m_changes, isLive ? "warning" : "");
    m_changes->setText((isLive ? tr("These changes apply to the next run: %1. The live run keeps its settings.")
                               : tr("The form differs from the experiment of the run on screen in: %1."))
                           .arg(named + rest));
}

void ExperimentDock::offerChanges(const QString& changes) {
    m_apply->setVisible(!changes.isEmpty());
    if (changes.isEmpty()) return;
    m_apply->setText(tr("Apply %1 now").arg(changes));
    m_apply->setAccessibleName(m_apply->text());
    m_apply->setToolTip(
        tr("Apply the change to the live run from its next step on. Checkpoints contain the changed value."));
}

// Sets the width of the form, which grows with the type size. The width is at most kMaxForm (0.4) of the window's
// width, because the page beside the form needs room, but this limit is at least kNormalForm.
void ExperimentDock::fitTo(int windowWidth) {
    m_windowWidth = windowWidth;
    const int most = std::max(kNormalForm, static_cast<int>(kMaxForm * windowWidth));
    m_frame->setFixedWidth(std::min<int>(kFormWidth, most));
}

void ExperimentDock::focusForm() {
    show();
    m_form->focusLast();
}

bool ExperimentDock::hasKeyboard() const {
    return m_form->isAncestorOf(QApplication::focusWidget());
}

}  // namespace ringside
