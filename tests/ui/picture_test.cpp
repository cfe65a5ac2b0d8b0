// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/picture.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QToolTip>

#include "support/catch.h"
#include "theme/theme.h"
#include "wait_for.h"

using namespace ringside;

namespace {

// Picture whose left half has a tooltip.
class HalfPicture : public Picture {
  public:
    using Picture::Picture;
    std::vector<Identity> identitiesAt(const QPoint&) const override { return {}; }

  protected:
    Tip tipAt(const QPoint& point) const override {
        if (point.x() >= width() / 2) return {};
        return {QStringLiteral("left half"), QRect(0, 0, width() / 2, height())};
    }
};

// Asks for the tooltip at a position, as Qt does when the pointer rests there.
void requestTip(QWidget& widget, const QPoint& point) {
    QHelpEvent help(QEvent::ToolTip, point, widget.mapToGlobal(point));
    QCoreApplication::sendEvent(&widget, &help);
}

}  // namespace

TEST_CASE("a picture shows the tooltip of the part under the pointer") {
    Theme theme;
    HalfPicture picture(theme);
    picture.resize(200, 100);
    picture.show();
    requestTip(picture, {20, 50});
    CHECK(QToolTip::text() == "left half");
    requestTip(picture, {150, 50});
    CHECK(waitFor([] { return !QToolTip::isVisible(); }));
    picture.setToolTip("whole picture");
    requestTip(picture, {150, 50});
    CHECK(QToolTip::text() == "whole picture");
    requestTip(picture, {20, 50});
    CHECK(QToolTip::text() == "left half");
}

TEST_CASE("a picture repaints when the theme changes") {
    Theme theme;
    HalfPicture picture(theme);
    picture.resize(200, 100);
    picture.setAttribute(Qt::WA_OpaquePaintEvent);
    picture.show();
    struct Paints : QObject {
        int count = 0;
        bool eventFilter(QObject*, QEvent* event) override {
            if (event->type() == QEvent::Paint) ++count;
            return false;
        }
    } paints;
    REQUIRE(waitFor([&] { return picture.isVisible(); }));
    QCoreApplication::processEvents();
    picture.installEventFilter(&paints);
    const int before = paints.count;
    Q_EMIT theme.changed();
    CHECK(waitFor([&] { return paints.count > before; }));
}
