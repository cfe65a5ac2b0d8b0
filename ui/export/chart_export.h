// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Draws a widget and returns a function that writes the picture as .svg, or as PNG at twice the size. That function
// returns the reason of a failure, or an empty text. Drawing happens on the window's thread before this returns;
// writing takes ten times as long and may run on any thread.
std::function<QString()> pictureWriter(QWidget& widget, const QString& file);

// Writes lines of text. Returns the reason of a failure, or an empty text.
QString exportText(const QStringList& lines, const QString& file);

}  // namespace ringside
