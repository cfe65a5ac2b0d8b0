// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/chart_export.h"

#include <QApplication>
#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QWidget>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "export/drawing.h"

namespace ringside {
namespace {

constexpr int kPictureScale = 2;

// Returns the background colour of the exported picture: that of the widget or, for a transparent widget, that of the
// panel behind it.
QColor paperOf(const QWidget& widget) {
    const QColor own = widget.palette().color(QPalette::Window);
    return own.alpha() == 255 ? own : QApplication::palette().color(QPalette::Base);
}

bool isSvg(const QString& file) {
    return file.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive);
}

QImage pictureOf(QWidget& widget) {
    QImage image(widget.size() * kPictureScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPictureScale);
    image.fill(paperOf(widget));
    widget.render(&image, {}, {}, QWidget::DrawChildren);
    return image;
}

QByteArray pngOf(const QImage& picture) {
    QBuffer png;
    picture.save(&png, "PNG");
    return png.data();
}

QByteArray svgOf(const Drawing& drawing, const QColor& paper) {
    QBuffer svg;
    QSvgGenerator generator;
    generator.setOutputDevice(&svg);
    generator.setSize(drawing.size());
    generator.setViewBox(QRect(QPoint(), drawing.size()));
    generator.setTitle(QStringLiteral("Ringside"));
    QPainter painter(&generator);
    painter.fillRect(QRect(QPoint(), drawing.size()), paper);
    drawing.replay(painter);
    painter.end();
    return svg.data();
}

QString save(const QByteArray& content, const QString& file) {
    try {
        writeFileAtomically(file.toStdString(), content.toStdString());
    } catch (const IoError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace

std::function<QString()> pictureWriter(QWidget& widget, const QString& file) {
    if (!isSvg(file)) return [picture = pictureOf(widget), file] { return save(pngOf(picture), file); };
    return [drawing = Drawing::of(widget), paper = paperOf(widget), file] { return save(svgOf(drawing, paper), file); };
}

QString writeLines(const QStringList& lines, const QString& file) {
    return save((lines.join(QLatin1Char('\n')) + QLatin1Char('\n')).toUtf8(), file);
}

}  // namespace ringside
