// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Records the drawing of `widget` and returns a function that writes the picture to `file`: as SVG if the suffix is
// .svg, otherwise as PNG with twice the widget's width and height. The returned function may run on any thread, because
// writing takes ten times as long as recording. It returns the reason of a failure as a sentence; empty on success.
std::function<QString()> pictureWriter(QWidget& widget, const QString& file);

// Writes lines of text to `file`. Returns the reason of a failure as a sentence; empty on success.
QString writeLines(const QStringList& lines, const QString& file);

}  // namespace ringside
