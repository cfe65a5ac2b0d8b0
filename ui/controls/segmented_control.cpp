// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/segmented_control.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QStyle>

#include "controls/flow_layout.h"

namespace ringside {

SegmentedControl::SegmentedControl(const QList<Choice>& choices, QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* layout = new FlowLayout(this);
    layout->setSpacing(3);
    for (const Choice& choice : choices) {
        auto* button = new QPushButton(choice.text);
        button->setProperty("role", "segment");
        button->setObjectName(choice.objectName);
        button->setToolTip(choice.tip);
        button->setAccessibleName(choice.text);
        button->setCheckable(true);
        button->installEventFilter(this);
        m_group.addButton(button, static_cast<int>(m_group.buttons().size()));
        layout->addWidget(button);
    }
    m_group.button(0)->setChecked(true);
    connect(&m_group, &QButtonGroup::idClicked, this, &SegmentedControl::chosen);
}

// Leaves the keys Left and Right to the window, where they control the run. Up and Down choose another segment.
bool SegmentedControl::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            event->ignore();  // not handled: Qt sends the event to the parent widgets
            return true;
        }
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            chooseNext(*static_cast<QAbstractButton*>(watched), key == Qt::Key_Down ? 1 : -1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void SegmentedControl::chooseNext(QAbstractButton& from, int direction) {
    for (int id = m_group.id(&from) + direction; id >= 0 && id < m_group.buttons().size(); id += direction) {
        QAbstractButton* button = m_group.button(id);
        if (!button->isEnabled()) continue;
        button->setFocus(Qt::TabFocusReason);
        return button->click();
    }
}

void SegmentedControl::setCurrent(int index) {
    m_group.button(index)->setChecked(true);
    Q_EMIT chosen(index);
}

void SegmentedControl::setNone() {
    m_group.setExclusive(false);  // an exclusive group would not allow an empty selection
    for (QAbstractButton* button : m_group.buttons()) button->setChecked(false);
    m_group.setExclusive(true);
}

void SegmentedControl::setTight(bool tight) {
    for (QAbstractButton* button : m_group.buttons()) {
        if (button->property("tight").toBool() == tight) continue;
        button->setProperty("tight", tight);
        button->style()->unpolish(button);
        button->style()->polish(button);
    }
}

void SegmentedControl::setChoiceEnabled(int index, bool enabled, const QString& tip) {
    m_group.button(index)->setEnabled(enabled);
    m_group.button(index)->setToolTip(tip);
}

}  // namespace ringside
