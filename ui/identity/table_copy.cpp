// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/table_copy.h"

#include <QAbstractSpinBox>
#include <QClipboard>
#include <QDialog>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

#include "identity/text_source.h"

namespace ringside {
namespace {

// True if the widget handles the copy key (Ctrl+C) by itself: text fields, and labels with a selected text.
bool copiesItself(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->hasSelectedText();
    return qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QTextEdit*>(&widget) ||
           qobject_cast<const QPlainTextEdit*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget);
}

}  // namespace

bool TableCopy::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    auto* key = static_cast<QKeyEvent*>(event);
    if (widget != nullptr && (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right) &&
        dynamic_cast<TextSource*>(widget) != nullptr && !widget->isWindow()) {
        QCoreApplication::sendEvent(widget->window(), event);
        return true;
    }
    if (widget == nullptr || !key->matches(QKeySequence::Copy) || copiesItself(*widget)) return false;
    QString text = textAround(widget);
    if (text.isEmpty() && qobject_cast<const QDialog*>(widget->window())) text = textOfWindow(*widget->window());
    if (text.isEmpty()) return false;
    QGuiApplication::clipboard()->setText(text);
    return true;
}

}  // namespace ringside
