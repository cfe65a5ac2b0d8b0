// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/live_chart.h"

#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <utility>

#include "charts/chart_drawing.h"
#include "charts/chart_legend.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/painted_texts.h"

using namespace ringside;

namespace {

Curve waves(int points, Curve::Kind kind = Curve::Kind::BandLine) {
    Curve curve{QStringLiteral("loss.train"), QStringLiteral("train"), Qt::blue, kind, {}};
    for (int at = 0; at < points; ++at) {
        const double y = 2 + std::sin(at * 0.9);
        curve.points.push_back({at * 1.0, y, y - 0.5, y + 0.5});
    }
    return curve;
}

// Draws only the box beside a crosshair in the middle of the widget.
class CrosshairBox : public QWidget {
  public:
    CrosshairBox(const Theme& theme, QStringList lines) : m_theme(theme), m_lines(std::move(lines)) {}

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const PlotScale scale{.plot = plotIn(rect()), .x = {0, 100}, .y = {0, 1}};
        drawCrosshairBox(painter, m_theme, scale, size(), 50, QStringLiteral("step 66, epoch 6, 7,988 samples"),
                         m_lines);
    }

  private:
    const Theme& m_theme;
    QStringList m_lines;
};

}  // namespace

TEST_CASE("a chart never holds more than two points for each pixel column") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    chart.show();
    chart.setSmoothing(0.6);
    for (const int points : {3, 1000, 60'000}) {
        chart.setCurves({waves(points)});
        CHECK(chart.largestPointCount() > 0);
        // Two points per pixel column, and one neighbour beyond each edge.
        CHECK(chart.largestPointCount() <= 2 * chart.pixelColumns() + 4);
    }
    chart.setXRange(AxisRange{1000, 30'000});
    CHECK(chart.largestPointCount() <= 2 * chart.pixelColumns() + 4);
    CHECK(!chart.grab().isNull());
}

TEST_CASE("the chart follows the live edge until a range is chosen, and again after it is cleared") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    chart.setCurves({waves(100)});
    CHECK(chart.shownX().maximum >= 99);
    chart.setXRange(AxisRange{10, 20});
    chart.setCurves({waves(200)});
    CHECK(chart.shownX() == AxisRange{10, 20});
    chart.setXRange({});
    CHECK(chart.shownX().maximum >= 199);
}

TEST_CASE("dragging a box chooses a range and a double click clears it") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    chart.show();
    chart.setCurves({waves(100)});
    std::vector<std::optional<AxisRange>> chosen;
    QObject::connect(&chart, &LiveChart::xRangeChosen, &chart, [&](auto range) { chosen.push_back(range); });
    QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, {200, 100});
    QTest::mouseMove(chart.viewport(), {300, 110});
    QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, {300, 110});
    REQUIRE(chosen.size() == 1);
    REQUIRE(chosen[0]);
    CHECK(chosen[0]->minimum > 20);
    CHECK(chosen[0]->maximum < 60);
    QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, {200, 100});
    CHECK(!chosen.back());
}

TEST_CASE("hidden curves are neither drawn into the range nor exported") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    Curve other = waves(3, Curve::Kind::MarkedLine);
    other.key = QStringLiteral("loss.validation");
    other.name = QStringLiteral("validation");
    chart.setCurves({waves(3), other});
    CHECK(chart.tableRows().size() == 6);
    chart.setHidden({QStringLiteral("loss.train")});
    const QList<QStringList> rows = chart.tableRows();
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] == QStringList{"validation", "0", "2", "", "", ""});
}

TEST_CASE("a click on the legend hides a curve, a double click shows it alone") {
    Theme theme;
    ChartLegend legend(theme);
    legend.resize(400, 18);
    Curve a = waves(3), b = waves(3), c = waves(3);
    b.key = QStringLiteral("rank.1");
    c.key = QStringLiteral("rank.2");
    legend.setCurves({a, b, c});
    const QPoint train = legend.entryRect(QStringLiteral("loss.train")).center();
    QTest::mouseClick(&legend, Qt::LeftButton, {}, train);
    CHECK(legend.hidden() == std::set<QString>{"loss.train"});
    QTest::mouseClick(&legend, Qt::LeftButton, {}, train);
    CHECK(legend.hidden().empty());
    const QPoint second = legend.entryRect(QStringLiteral("rank.1")).center();
    QTest::mouseClick(&legend, Qt::LeftButton, {}, second);
    QTest::mouseDClick(&legend, Qt::LeftButton, {}, second);
    CHECK(legend.hidden() == std::set<QString>{"loss.train", "rank.2"});
}

TEST_CASE("the first steps of a loss do not flatten the later ones, unless outliers are shown") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    Curve loss{QStringLiteral("loss.train"), QStringLiteral("train"), Qt::blue, Curve::Kind::BandLine, {}};
    for (int at = 0; at < 1000; ++at) {
        const double y = at < 20 ? 50 : 1 + 0.001 * (at % 100);
        loss.points.push_back({at * 1.0, y, y, y});
    }
    chart.setCurves({loss});
    CHECK(chart.shownY().maximum >= 50);
    chart.setIgnoreOutliers(true);
    CHECK(chart.shownY().maximum < 2);
    chart.setLogY(true);
    CHECK(chart.shownY().maximum >= std::log10(50.0));
}

TEST_CASE("a curve that crosses the visible range without a point in it stays visible") {
    Theme theme;
    LiveChart chart(theme);
    chart.resize(600, 300);
    Curve speed{QStringLiteral("speed"), QStringLiteral("speed"), Qt::blue, Curve::Kind::Line, {}};
    speed.points = {{1, 700'000, 0, 0}, {120, 720'000, 0, 0}};
    chart.setCurves({speed});
    chart.setXRange(AxisRange{30, 60});
    CHECK(chart.shownY().minimum <= 700'000);
    CHECK(chart.shownY().maximum >= 720'000);
    chart.setXRange(AxisRange{130, 140});  // beyond the last point, where the curve is not drawn
    CHECK(chart.shownY().maximum < 700'000);
}

TEST_CASE("no marker is cut at an edge of the plot") {
    Theme theme;
    LiveChart chart(theme);
    Curve accuracy = waves(0, Curve::Kind::MarkedLine);
    accuracy.points = {{1, 0.5, 0.5, 0.5}, {2, 1, 1, 1}, {3, 0, 0, 0}, {4, 1, 1, 1}};
    for (const QSize size : {QSize(260, 140), QSize(900, 400)}) {
        chart.resize(size);
        chart.show();
        for (const NumberStyle style : {NumberStyle::Percent, NumberStyle::Plain}) {
            chart.setStyles(NumberStyle::Whole, style);
            chart.setCurves({accuracy});
            // A marker has a radius of 4 px and a line of 2 px.
            const double perX = chart.pixelColumns() / chart.shownX().width();
            CHECK((chart.shownX().maximum - 4) * perX >= 5);
            const double height = chart.viewport()->height() - 34;  // without the margins of the plot
            const double perY = height / chart.shownY().width();
            CHECK((chart.shownY().maximum - 1) * perY >= 5);
            CHECK((0 - chart.shownY().minimum) * perY >= 5);
            CHECK(chart.shownY().maximum < 1.3);
        }
    }
}

TEST_CASE("the box beside the crosshair is whole in a low chart") {
    Theme theme;
    const QStringList phases{"data 0.0075",   "forward 0.0652",  "backward 0.0364", "waiting 0.5509",
                             "moving 0.1843", "optimizer 0.004", "copy 0.001"};
    for (const QSize size : {QSize(1000, 120), QSize(1000, 300), QSize(260, 100), QSize(160, 60)}) {
        CAPTURE(size.width(), size.height());
        CrosshairBox box(theme, phases);
        box.resize(size);
        int shown = 0;
        for (const PaintedText& one : paintedTexts(box)) {
            INFO(one.text.toStdString());
            CHECK((one.isWhole || one.text.startsWith(QLatin1String("step"))));  // the heading may be wider
            shown += phases.contains(one.text) ? 1 : 0;
        }
        if (size.width() == 1000) CHECK(shown == phases.size());
        CHECK(shown > 0);
    }
}

TEST_CASE("the box beside the crosshair counts all lines that it leaves out") {
    Theme theme;
    QStringList ranks;
    for (int rank = 0; rank < 20; ++rank) ranks << QStringLiteral("rank %1").arg(rank);
    for (const QSize size : {QSize(1000, 300), QSize(160, 60)}) {
        CAPTURE(size.width(), size.height());
        CrosshairBox box(theme, ranks);
        box.resize(size);
        int shown = 0;
        int leftOut = 0;
        for (const PaintedText& one : paintedTexts(box)) {
            shown += ranks.contains(one.text) ? 1 : 0;
            if (one.text.startsWith(QLatin1String("and "))) leftOut += one.text.section(QLatin1Char(' '), 1, 1).toInt();
        }
        CHECK(shown + leftOut == 20);
        CHECK(shown <= 11);
    }
}
