// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/find/find_box.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QShortcut>
#include <QStyle>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMinWidth = 48;
constexpr int kHintMargins = 2 * Theme::kSpace3;  // width of the frame and inner margins of a QLineEdit, left and right
                                                  // together

}  // namespace

FindBox::FindBox(QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("findCountLabel"));
    m_count->setProperty("role", "note");
    m_count->hide();
    m_edit = new QLineEdit;
    m_edit->setObjectName(QStringLiteral("findEdit"));
    m_edit->setAccessibleName(tr("Find samples"));
    m_edit->setToolTip(
        tr("Search terms: #4242, class:7, rank:3, epoch:2, step:5, dup, dropped, never-seen. Combine terms to narrow "
           "the search. Epochs and steps count from 1.\n"
           "Enter: next match, Shift+Enter: previous match, Escape: clear, Ctrl+F: focus this box"));
    m_edit->setMinimumWidth(kMinWidth);
    m_edit->installEventFilter(this);
    layout->addWidget(m_count);
    layout->addWidget(m_edit, 1);
    connect(m_edit, &QLineEdit::textChanged, this, &FindBox::textChanged);
    auto* shortcut = new QShortcut(QKeySequence::Find, this);
    connect(shortcut, &QShortcut::activated, m_edit, [this] {
        m_edit->setFocus(Qt::ShortcutFocusReason);
        m_edit->selectAll();
    });
}

void FindBox::setCount(const QString& count) {
    m_count->setText(count);
    m_count->setVisible(!count.isEmpty());  // an empty label would take room from the view buttons
}

void FindBox::setProblem(const QString& problem) {
    const bool invalid = !problem.isEmpty();
    if (m_edit->property("invalid").toBool() != invalid) {
        m_edit->setProperty("invalid", invalid);
        m_edit->style()->unpolish(m_edit);
        m_edit->style()->polish(m_edit);
    }
    m_edit->setAccessibleDescription(problem);
}

// Shows the longest placeholder text that fits.
void FindBox::fitHint() {
    const QStringList hints = {tr("Find #4242, class:7, dup"), tr("Find #4242, dup"), tr("Find #4242"), tr("Find")};
    const int room = m_edit->width() - kHintMargins;
    for (const QString& hint : hints) {
        m_edit->setPlaceholderText(hint);
        if (m_edit->fontMetrics().horizontalAdvance(hint) <= room) return;
    }
}

bool FindBox::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_edit) return false;
    if (event->type() == QEvent::Resize) fitHint();
    if (event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape) {
        m_edit->clear();
        return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        Q_EMIT stepWanted(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return true;
    }
    return false;
}

}  // namespace ringside
