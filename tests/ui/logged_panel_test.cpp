// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/logged_panel.h"

#include <QComboBox>
#include <QLabel>

#include "support/catch.h"
#include "telemetry.h"
#include "theme/theme.h"
#include "training/training_page.h"
#include "wait_for.h"

using namespace ringside;

namespace {

LoggedScalar logged(const char* tag, std::int64_t step, double value, int rank = 0,
                    const char* source = "tensorboard") {
    return {.rank = rank, .tag = tag, .step = step, .value = value, .source = source};
}

// The Training page of a watched run of which two steps are known.
struct LoggedPage {
    Theme theme;
    RunModel run;
    TrainingPage page{run, theme};
    FakeRun fake{run};

    LoggedPage() {
        page.resize(1000, 640);
        page.show();
        fake.steps(2);
    }
    LiveChart& chart() { return *page.findChild<LiveChart*>("loggedChart"); }
    QComboBox& groups() { return *page.findChild<QComboBox*>("loggedGroupCombo"); }
    QLabel& label(const char* name) { return *page.findChild<QLabel*>(QLatin1String(name)); }
    QStringList shown() {
        QStringList names;
        for (const Curve& curve : chart().curves()) names << curve.name;
        return names;
    }
};

}  // namespace

TEST_CASE("a chart shows what the script logs, at the script's own steps") {
    LoggedPage page;
    CHECK_FALSE(page.chart().isVisible());
    for (const int step : {10, 20}) {
        page.fake.feed(logged("acc/train", step, step / 100.0));
        page.fake.feed(logged("acc/test", step, step / 200.0));
    }
    REQUIRE(waitFor([&] { return page.shown() == QStringList{"acc/test", "acc/train"}; }));
    CHECK(page.chart().isVisible());
    CHECK_FALSE(page.groups().isVisible());  // hidden, because there is only one group
    const CurvePoints points = page.chart().curves()[0].points;
    CHECK(points.size() == 2);
    CHECK(points.back().x == 20);
    CHECK(points.back().y == 0.1F);  // curves have single precision
    const QString text = page.page.copyText();
    CHECK(text.contains("Logged values (x: step of the script)\tacc/test\t20"));
}

TEST_CASE("tags with different prefixes have charts of their own") {
    LoggedPage page;
    page.fake.feed(logged("epoch", 1, 0, 0, "lightning"));
    page.fake.feed(logged("train_loss", 1, 2.5, 0, "lightning"));
    page.fake.feed(logged("acc/train", 1, 0.5, 0, "lightning"));
    page.fake.feed(logged("loss gan.py:40", 1, 0.7, 0, "loss"));
    page.fake.feed(logged("loss gan.py:52", 1, 0.9, 0, "loss"));
    REQUIRE(waitFor([&] { return page.groups().count() == 4; }));
    CHECK(page.groups().itemText(0) == "acc");
    CHECK(page.groups().itemText(3) == "epoch");  // logged by Lightning itself
    CHECK(page.shown() == QStringList{"acc/train"});
    page.groups().setCurrentText("losses at backward() by script line");
    CHECK(waitFor([&] { return page.shown() == QStringList{"loss gan.py:40", "loss gan.py:52"}; }));
}

TEST_CASE("values whose steps start again are counted, so that curves never run backwards") {
    LoggedPage page;
    for (const int epoch : {0, 1})
        for (const int step : {0, 5}) page.fake.feed(logged("loss", step, epoch + step));
    // the second 0 is before the 5, and the second 5 is not
    REQUIRE(waitFor([&] { return page.label("loggedLeftOutLabel").text() == "1 logged values omitted"; }));
    std::vector<double> places;
    for (const CurvePoint& point : page.chart().curves()[0].points) places.push_back(point.x);
    CHECK(places == std::vector<double>{0, 5, 5});
    CHECK(page.label("loggedLeftOutLabel").isVisible());
}

TEST_CASE("another run starts without logged values") {
    LoggedPage page;
    page.fake.feed(logged("loss", 1, 1));
    REQUIRE(waitFor([&] { return !page.shown().isEmpty(); }));
    page.run.reset();
    CHECK(page.run.logged().curves().empty());
}
