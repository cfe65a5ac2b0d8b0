// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/drawing.h"

#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QWidget>
#include <memory>

namespace ringside {
namespace {

using Steps = std::vector<Drawing::Step>;

// Returns the font with all attributes set explicitly. Fonts in rich text have unset attributes, which a painter would
// replace by those of its own font.
QFont spelledOut(QFont font) {
    font.setFamilies(font.families());
    if (font.pixelSize() > 0) {
        font.setPixelSize(font.pixelSize());
    } else {
        font.setPointSizeF(font.pointSizeF());
    }
    font.setWeight(font.weight());
    font.setItalic(font.italic());
    return font;
}

class Recorder final : public QPaintEngine {
  public:
    explicit Recorder(Steps& steps) : QPaintEngine(AllFeatures), m_steps(steps) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }

    void updateState(const QPaintEngineState& now) override {
        const DirtyFlags dirty = now.state();
        applyStyle(now, dirty);
        if (dirty & DirtyClipEnabled) add([on = now.isClipEnabled()](QPainter& p) { p.setClipping(on); });
        if (dirty & DirtyClipRegion) {
            add([region = now.clipRegion(), how = now.clipOperation()](QPainter& p) { p.setClipRegion(region, how); });
        }
        if (dirty & DirtyClipPath) {
            add([path = now.clipPath(), how = now.clipOperation()](QPainter& p) { p.setClipPath(path, how); });
        }
    }
    void drawPath(const QPainterPath& path) override {
        add([path](QPainter& p) { p.drawPath(path); });
    }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
        const QPolygonF polygon(QList<QPointF>(points, points + count));
        add([polygon, mode](QPainter& p) {
            if (mode == PolylineMode) {
                p.drawPolyline(polygon);
            } else {
                p.drawPolygon(polygon, mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
            }
        });
    }
    void drawPixmap(const QRectF& place, const QPixmap& pixmap, const QRectF& part) override {
        drawImage(place, pixmap.toImage(), part, Qt::AutoColor);
    }
    // Draws only the given part, because an SVG file would contain the complete image.
    void drawImage(const QRectF& place, const QImage& image, const QRectF& part, Qt::ImageConversionFlags) override {
        const QImage seen = part.toAlignedRect() == image.rect() ? image : image.copy(part.toAlignedRect());
        add([place, seen](QPainter& p) { p.drawImage(place, seen); });
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        add([at, font = spelledOut(item.font()), text = item.text()](QPainter& p) {
            const QFont before = p.font();
            p.setFont(font);
            p.drawText(at, text);
            p.setFont(before);
        });
    }

  private:
    void add(Drawing::Step step) { m_steps.push_back(std::move(step)); }
    void applyStyle(const QPaintEngineState& now, DirtyFlags dirty) {
        if (dirty & DirtyTransform) add([t = now.transform()](QPainter& p) { p.setTransform(t); });
        if (dirty & DirtyPen) add([pen = now.pen()](QPainter& p) { p.setPen(pen); });
        if (dirty & DirtyBrush) add([brush = now.brush()](QPainter& p) { p.setBrush(brush); });
        if (dirty & DirtyBrushOrigin) add([at = now.brushOrigin()](QPainter& p) { p.setBrushOrigin(at); });
        if (dirty & DirtyOpacity) add([share = now.opacity()](QPainter& p) { p.setOpacity(share); });
        if (dirty & DirtyHints) {
            add([hints = now.renderHints()](QPainter& p) {
                p.setRenderHints(p.renderHints(), false);
                p.setRenderHints(hints);
            });
        }
    }

    Steps& m_steps;
};

class Paper final : public QPaintDevice {
  public:
    Paper(const QWidget& like, Steps& steps) : m_like(like), m_engine(steps) {}
    QPaintEngine* paintEngine() const override { return &m_engine; }

  protected:
    // Returns the metrics of the widget, but the device pixel ratio 1, because a vector file has no pixels.
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
    mutable Recorder m_engine;
};

}  // namespace

Drawing Drawing::of(QWidget& widget) {
    Drawing drawing;
    drawing.m_size = widget.size();
    Paper paper(widget, drawing.m_steps);
    QPainter painter(&paper);
    widget.render(&painter, {}, {}, QWidget::DrawChildren);
    return drawing;
}

void Drawing::replay(QPainter& painter) const {
    for (const Step& step : m_steps) step(painter);
}

}  // namespace ringside
