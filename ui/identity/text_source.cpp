// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/text_source.h"

#include <QAbstractItemView>
#include <QStringList>

#include "identity/table_identity.h"

namespace ringside {
namespace {

QString ownText(const QWidget& widget) {
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget)) return tableText(*view);
    const auto* source = dynamic_cast<const TextSource*>(&widget);
    return source == nullptr ? QString() : source->copyText();
}

void addTexts(const QWidget& widget, QStringList& texts) {
    for (const QObject* child : widget.children()) {
        const auto* part = qobject_cast<const QWidget*>(child);
        if (part == nullptr || part->isWindow() || !part->isVisible()) continue;
        const QString text = ownText(*part);
        text.isEmpty() ? addTexts(*part, texts) : texts.append(text);
    }
}

}  // namespace

QString textAround(const QWidget* widget) {
    for (; widget != nullptr; widget = widget->isWindow() ? nullptr : widget->parentWidget()) {
        if (const QString text = ownText(*widget); !text.isEmpty()) return text;
    }
    return {};
}

QString textOfWindow(const QWidget& window) {
    QStringList texts;
    addTexts(window, texts);
    return texts.join(QLatin1Char('\n'));
}

}  // namespace ringside
