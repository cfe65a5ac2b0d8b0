// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/table_copy.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

#include "identity/table_identity.h"

namespace ringside {

bool TableCopy::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) return false;
    const auto* view = qobject_cast<const QAbstractItemView*>(watched);
    const QString text = view == nullptr ? QString() : tableText(*view);
    if (text.isEmpty()) return false;
    QGuiApplication::clipboard()->setText(text);
    return true;
}

}  // namespace ringside
