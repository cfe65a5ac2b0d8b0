// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painted_texts.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QRegion>

namespace {

// Records texts and ignores all other drawing.
class TextEngine final : public QPaintEngine {
  public:
    TextEngine(const QWidget& widget, QList<PaintedText>& texts)
        : QPaintEngine(AllFeatures), m_widget(widget), m_texts(texts) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState& now) override {
        if (now.state() & DirtyTransform) m_transform = now.transform();
        if (now.state() & DirtyOpacity) m_opacity = now.opacity();
    }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawPath(const QPainterPath&) override {}
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        const QString text = item.text().trimmed();
        if (text.isEmpty() || m_opacity < 0.05) return;
        const QRectF box(at.x(), at.y() - item.ascent() * 0.75, item.width(), item.ascent() * 0.75);
        const QRectF place = m_transform.mapRect(box);
        const QRectF whole = QRectF(m_widget.rect()).adjusted(-1, -1, 1, 1);
        if (!place.intersects(whole)) return;  // the text is outside of the visible area
        m_texts << PaintedText{text, place, whole.contains(place) && !isCutByClip(place)};
    }

  private:
    // True if the top or the bottom of the text lies outside the clip. drawText() uses the same clip for a text that is
    // higher than its rectangle.
    bool isCutByClip(const QRectF& place) const {
        if (!painter()->hasClipping()) return false;
        const QRectF clip = m_transform.mapRect(painter()->clipBoundingRect());
        return place.top() < clip.top() - 1 || place.bottom() > clip.bottom() + 1;
    }

    const QWidget& m_widget;
    QList<PaintedText>& m_texts;
    QTransform m_transform;
    double m_opacity = 1;
};

class TextPaper final : public QPaintDevice {
  public:
    TextPaper(const QWidget& like, QList<PaintedText>& texts) : m_like(like), m_engine(like, texts) {}
    QPaintEngine* paintEngine() const override { return &m_engine; }

  protected:
    int metric(PaintDeviceMetric which) const override {
        switch (which) {
            case PdmWidth:
                return m_like.width();
            case PdmHeight:
                return m_like.height();
            case PdmWidthMM:
                return m_like.widthMM();
            case PdmHeightMM:
                return m_like.heightMM();
            case PdmDpiX:
            case PdmPhysicalDpiX:
                return m_like.logicalDpiX();
            case PdmDpiY:
            case PdmPhysicalDpiY:
                return m_like.logicalDpiY();
            case PdmDepth:
                return m_like.depth();
            case PdmDevicePixelRatio:
                return 1;
            default:
                return QPaintDevice::metric(which);
        }
    }

  private:
    const QWidget& m_like;
    mutable TextEngine m_engine;
};

}  // namespace

QList<PaintedText> paintedTexts(QWidget& widget) {
    QList<PaintedText> texts;
    TextPaper paper(widget, texts);
    QPainter painter(&paper);
    widget.render(&painter, {}, {}, {});
    return texts;
}
