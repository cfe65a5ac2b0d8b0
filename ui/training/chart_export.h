// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Writes what a widget shows, as .svg, or as PNG at twice the size. Returns why it failed, or nothing.
QString exportPicture(QWidget& widget, const QString& file);

// The two halves of it: drawing needs the window's thread and is done when this returns; writing, which takes ten times
// as long, is left to whoever calls what it returns, on any thread.
std::function<QString()> pictureWriter(QWidget& widget, const QString& file);

// Writes lines of text. Returns why it failed, or nothing.
QString exportText(const QStringList& lines, const QString& file);

}  // namespace ringside
