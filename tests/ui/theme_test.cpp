// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>
#include <cmath>

#include "support/catch.h"

using namespace ringside;

namespace {

double linear(double channel) {
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c) {
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

// Returns the contrast ratio of two colours, from their relative luminance (WCAG 2.1).
double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

TEST_CASE("every text colour has a contrast of 4.5 on its background in both themes") {
    Theme theme;
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        theme.setMode(mode);
        const ThemeColors& c = theme.colors();
        for (const QColor& ground : {c.window, c.panel, c.field}) {
            for (const QColor& text : {c.text, c.muted, c.goodText, c.warningText, c.danger}) {
                INFO(text.name().toStdString() << " on " << ground.name().toStdString());
                CHECK(contrast(text, ground) >= 4.5);
            }
        }
        CHECK(contrast(c.onAccent, c.accent) >= 4.5);
        CHECK(contrast(c.text, c.accentSoft) >= 4.5);
    }
}

TEST_CASE("a change of the type size or of the colours styles a nested widget twice, not once for each ancestor") {
    class Counted final : public QWidget {
      public:
        using QWidget::QWidget;
        int changes = 0;
        bool event(QEvent* event) override {
            if (event->type() == QEvent::StyleChange) ++changes;
            return QWidget::event(event);
        }
    };
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    QWidget window;
    QWidget* parent = &window;
    for (int depth = 0; depth < 10; ++depth) parent = new QWidget(parent);
    auto* innermost = new Counted(parent);
    window.show();
    innermost->changes = 0;
    theme.setTypePercent(125);
    CHECK(innermost->changes == 2);
    CHECK(innermost->font().pixelSize() == 16);  // 13 px * 125 % = 16.25 px
    innermost->changes = 0;
    theme.setMode(Theme::Mode::Dark);
    CHECK(innermost->changes == 2);
    theme.setTypePercent(100);
}

TEST_CASE("the style sheet uses only names the theme knows") {
    Theme theme;
    theme.setMode(Theme::Mode::Dark);
    CHECK(qApp->styleSheet().contains("#748ffc"));
    CHECK(!qApp->styleSheet().contains('@'));
}

TEST_CASE("the first eight ranks have the Okabe-Ito colours, and later ranks have other colours") {
    const Theme theme;
    CHECK(theme.rankColor(0) == QColor(0x0072B2));
    CHECK(theme.rankColor(1) == QColor(0xE69F00));
    CHECK(theme.rankColor(7) == QColor(0x7F7F7F));
    for (int rank = 8; rank < 32; ++rank) CHECK(theme.rankColor(rank) != theme.rankColor(rank % 8));
}
