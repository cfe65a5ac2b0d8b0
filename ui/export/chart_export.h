// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// What writes a picture of a widget, as .svg, or as PNG at twice the size, and returns why it failed, or nothing.
// Drawing needs the window's thread and is done when this returns; writing, which takes ten times as long, may be done
// on any.
std::function<QString()> pictureWriter(QWidget& widget, const QString& file);

// Writes lines of text. Returns why it failed, or nothing.
QString exportText(const QStringList& lines, const QString& file);

}  // namespace ringside
