// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_page.h"

#include <QCheckBox>
#include <QFile>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <map>

#include "config/run_config.h"
#include "support/catch.h"
#include "support/size_limit.h"
#include "telemetry.h"
#include "theme/theme.h"
#include "wait_for.h"

using namespace ringside;

namespace {

struct Charts {
    Theme theme;
    RunModel run;
    TrainingPage page{run, theme};

    Charts() {
        page.resize(1000, 640);
        page.show();
    }
    LiveChart& chart(const char* name) { return *page.findChild<LiveChart*>(QLatin1String(name)); }
    // Exports to the file. Returns the problem, or an empty text on success.
    QString problemOfExport(const QString& file) {
        std::optional<QString> problem;
        const QObject context;
        QObject::connect(&page, &TrainingPage::saved, &context, [&] { problem = QString(); });
        QObject::connect(&page, &TrainingPage::failed, &context, [&](const QString& why) { problem = why; });
        page.exportTo(file);
        REQUIRE(waitFor([&] { return problem.has_value(); }));
        return *problem;
    }
    bool shows(int points) {
        return waitFor([&] {
            const auto& curves = chart("lossChart").curves();
            return !curves.empty() && static_cast<int>(curves[0].points.size()) == points;
        });
    }
};

// Steps with 8 samples each, one step per second. first: number of the first step; firstSecond: time of its end.
StepsFrame stepsFrom(std::int64_t first, const std::vector<double>& losses, std::int64_t firstSecond) {
    StepsFrame frame;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        frame.step.push_back(first + static_cast<std::int64_t>(i));
        frame.loss.push_back(losses[i]);
        frame.samples.push_back(8);
        frame.endUs.push_back(1'000'000 * (firstSecond + static_cast<std::int64_t>(i)));
    }
    return frame;
}

}  // namespace

TEST_CASE("before the first run the page explains what to do") {
    Charts page;
    CHECK(page.page.findChild<QLabel*>("trainingEmptyLabel")->isVisible());
    FakeRun run(page.run);
    run.steps(4);
    REQUIRE(page.shows(4));
    CHECK(!page.page.findChild<QLabel*>("trainingEmptyLabel")->isVisible());
    page.run.reset();
    REQUIRE(waitFor([&] { return page.page.findChild<QLabel*>("trainingEmptyLabel")->isVisible(); }));
}

TEST_CASE("with many separate ranks the mean and the five worst are shown") {
    RunModel model;
    const Theme theme;
    RunStarted started;
    started.worldSize = 64;
    started.stepsPerEpoch = 10;
    started.epochs = 1;
    model.feed(QByteArray::fromStdString(encode(started)));
    for (int rank = 0; rank < 64; ++rank) {
        StepsFrame frame;
        frame.rank = rank;
        frame.step = {1};
        frame.loss = {rank % 13 == 5 ? 9.0 - rank / 100.0 : 1.0};  // 5, 18, 31, 44, 57
        frame.correct = {1};
        frame.samples = {4};
        frame.endUs = {1000};
        frame.gradientNorm = {1};
        model.feed(QByteArray::fromStdString(encode(frame)));
    }
    QStringList names;
    GrowingCurves held;
    for (const Curve& curve : lossCurves(held, partsOf({}, model.data()), XAxis::Step, true, theme))
        names << curve.name;
    CHECK(names == QStringList{"train", "rank 5", "rank 18", "rank 31", "rank 44", "rank 57"});
}

TEST_CASE("a growing curve has the same points as a complete copy") {
    const Theme theme;
    RunData run;
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 100'000;
    started.epochs = 1;
    run.apply(started);
    GrowingCurves held;
    const auto drawn = [&](GrowingCurves& from) {
        return lossCurves(from, partsOf({}, run), XAxis::Step, false, theme).at(0);
    };
    std::optional<Curve> before;
    int sameOnes = 0;
    std::int64_t step = 0;
    SmoothedCurve smooth;
    // Beyond 65,536 points neighbours are merged, and the last point gathers several steps.
    for (const int steps : {1, 1, 2, 500, 65'000, 31, 1, 7000, 1, 1}) {
        StepsFrame frame;
        for (int i = 0; i < steps; ++i) {
            frame.step.push_back(++step);
            frame.loss.push_back(static_cast<double>(step % 7));
            frame.correct.push_back(1);
            frame.samples.push_back(4);
            frame.endUs.push_back(step * 1000);
        }
        run.apply(frame);
        const Curve grown = drawn(held);
        sameOnes += before && before->points.isSame(grown.points) ? 1 : 0;
        before = grown;
        GrowingCurves fresh;
        const Curve whole = drawn(fresh);
        REQUIRE(grown.points.size() == whole.points.size());
        CHECK(std::ranges::equal(grown.points, whole.points));
        CHECK(grown.key == "loss.train");
        smooth.follow(grown.points, 0.9);
        std::vector<double> values;
        for (const CurvePoint& point : whole.points) values.push_back(point.y);
        const std::vector<double> expected = smoothed(values, 0.9);
        REQUIRE(smooth.size() == expected.size());
        bool equal = true;
        for (std::size_t i = 0; i < expected.size(); ++i) equal = equal && smooth[i] == expected[i];
        CHECK(equal);
    }
    CHECK(sameOnes == 8);  // the curve is copied again only if all its points were merged
}

TEST_CASE("a legend that does not fit beside the title of its chart is below the title") {
    Theme theme;
    ChartPanel panel(QStringLiteral("Samples per second"), QStringLiteral("throughput"), theme);
    panel.setCurves({Curve{"train", "all ranks", Qt::blue, Curve::Kind::Line, {}}}, AxisRange{});
    const auto isBelow = [&](int width) {
        panel.resize(width, 200);
        panel.show();
        QCoreApplication::processEvents();
        CHECK(panel.legend().width() >= panel.legend().sizeHint().width());
        return panel.legend().y() > 20;
    };
    CHECK_FALSE(isBelow(400));
    CHECK(isBelow(198));  // width of the panel in a window that is 960 pixels wide
    CHECK_FALSE(isBelow(400));
    // The border of the style sheet makes the space narrower.
    panel.setStyleSheet(QStringLiteral("QFrame[role=\"panel\"] { border: 2px solid black; }"));
    for (int width = 198; width <= 330; ++width) isBelow(width);
}

TEST_CASE("a legend names the curves that fit and counts the others") {
    Theme theme;
    ChartLegend legend(theme);
    std::vector<Curve> curves;
    for (int rank = 0; rank < 64; ++rank) {
        curves.push_back({QString("rank.%1").arg(rank), QString("rank %1").arg(rank), Qt::red, Curve::Kind::Line, {}});
    }
    legend.setCurves(curves);
    legend.resize(300, 18);
    CHECK(legend.entryRect("rank.0").left() >= 0);
    CHECK(legend.entryRect("rank.2").right() < 300);
    CHECK(legend.entryRect("rank.63").isNull());
    curves.resize(2);
    legend.setCurves(curves);
    CHECK(legend.entryRect("rank.1").right() <= 300);
}

TEST_CASE("a legend has room for its names to the fraction of a pixel") {
    Theme theme;
    ChartLegend legend(theme);
    legend.resize(400, 18);
    const int mark = [&] {  // width of an entry without a name
        legend.setCurves({{QStringLiteral("a"), QString(), Qt::red, Curve::Kind::Line, {}}});
        return legend.entryRect("a").width();
    }();
    const QFontMetricsF metrics(theme.smallFont());
    for (const char* name : {"train", "validation", "forward", "backward", "data", "waiting", "rank 7", "optimizer"}) {
        const QString text = QLatin1String(name);
        legend.setCurves({{QStringLiteral("a"), text, Qt::red, Curve::Kind::Line, {}}});
        INFO(name);
        CHECK(legend.entryRect("a").width() - mark >= metrics.horizontalAdvance(text));
    }
}

TEST_CASE("the loss is the mean over ranks in a band from the lowest to the highest") {
    Charts page;
    FakeRun run(page.run);
    run.steps(2);
    run.validation(0, 0.25);
    REQUIRE(page.shows(2));
    const auto& curves = page.chart("lossChart").curves();
    REQUIRE(curves.size() == 2);
    CHECK(curves[0].points[0] == CurvePoint{1, 1.5, 1, 2});
    CHECK(curves[0].points[1] == CurvePoint{2, 2, 1.5, 2.5});
    CHECK(curves[1].name == "validation");
    CHECK(curves[1].points[0].x == 2);
    CHECK(curves[1].points[0].y == 0.25);
    CHECK(page.chart("accuracyChart").curves()[0].points[0].y == Approx(5.0 / 8));
}

TEST_CASE("with one curve per rank, every rank has its own curve") {
    Charts page;
    FakeRun run(page.run);
    run.steps(2);
    page.page.findChild<QCheckBox*>("fanOutCheckBox")->click();
    REQUIRE(waitFor([&] { return page.chart("lossChart").curves().size() == 2; }));
    const auto& curves = page.chart("lossChart").curves();
    CHECK(curves[0].name == "rank 0");
    CHECK(curves[1].name == "rank 1");
    CHECK(curves[1].points[0].y == 2);
}

TEST_CASE("the x axis shows steps, epochs, samples or seconds") {
    Charts page;
    FakeRun run(page.run);
    run.steps(4);
    REQUIRE(page.shows(4));
    const auto lastX = [&] { return page.chart("lossChart").curves()[0].points.back().x; };
    CHECK(lastX() == 4);
    page.page.findChild<QPushButton*>("axisEpochButton")->click();
    REQUIRE(waitFor([&] { return lastX() == 2; }));
    page.page.findChild<QPushButton*>("axisSamplesButton")->click();
    REQUIRE(waitFor([&] { return lastX() == 32; }));
    page.page.findChild<QPushButton*>("axisTimeButton")->click();
    REQUIRE(waitFor([&] { return std::abs(lastX() - 0.004) < 1e-12; }));
}

TEST_CASE("the curves of single ranks are drawn at the samples of all ranks") {
    const Theme theme;
    RunData run;
    RunStarted started;
    started.worldSize = 2;
    started.stepsPerEpoch = 10;
    started.epochs = 1;
    run.apply(started);
    GrowingCurves held;
    const auto positions = [&](const char* key) {
        std::vector<double> all;
        for (const Curve& curve : lossCurves(held, partsOf({}, run), XAxis::Samples, true, theme)) {
            if (curve.key != QLatin1String(key)) continue;
            for (const CurvePoint& point : curve.points) all.push_back(point.x);
        }
        return all;
    };
    for (const int rank : {0, 1}) {
        StepsFrame frame = stepsFrom(1, {4, 3, 2}, 1);  // 8 samples per step and rank
        frame.rank = rank;
        run.apply(frame);
    }
    CHECK(positions("loss.rank.0") == std::vector<double>{16, 32, 48});
    CHECK(positions("loss.rank.1") == std::vector<double>{16, 32, 48});
    StepsFrame last = stepsFrom(4, {1}, 4);
    run.apply(last);  // rank 1 has not finished step 4, so the samples of all ranks are not known yet
    CHECK(positions("loss.rank.0") == std::vector<double>{16, 32, 48});
    last.rank = 1;
    run.apply(last);
    CHECK(positions("loss.rank.0") == std::vector<double>{16, 32, 48, 64});
    CHECK(positions("loss.rank.1") == std::vector<double>{16, 32, 48, 64});
}

TEST_CASE("the CSV contains the contents of the charts") {
    Charts page;
    FakeRun run(page.run);
    run.steps(2);
    run.validation(0, 0.25);
    page.page.findChild<QSlider*>("smoothingSlider")->setValue(50);
    REQUIRE(waitFor([&] { return page.page.table().rows >= 6; }));
    const QTemporaryDir folder;
    REQUIRE(page.problemOfExport(folder.filePath("a.csv")).isEmpty());
    QFile file(folder.filePath("a.csv"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    CHECK(lines[0] == "chart,series,step,value,minimum,maximum,smoothed");
    CHECK(lines[1] == "Loss,train,1,1.5,1,2,1.5");
    // debiased with weight 0.5: (0.5 * 0.75 + 0.5 * 2) / 0.75
    CHECK(lines[2] == "Loss,train,2,2,1.5,2.5,1.83333333");
    CHECK(lines[3] == "Loss,validation,2,0.25,,,");
}

TEST_CASE("the charts are exported as pictures and tables, and a failure has a remedy") {
    Charts page;
    FakeRun run(page.run);
    run.steps(4);
    REQUIRE(page.shows(4));
    const QTemporaryDir folder;
    for (const char* name : {"a.png", "a.svg", "a.csv"}) {
        const QString file = folder.filePath(QLatin1String(name));
        CHECK(page.problemOfExport(file) == QString());
        CHECK(QFile(file).size() > 100);
    }
    const QString problem = page.problemOfExport(folder.filePath("missing/a.png"));
    CHECK(problem.contains("a.png cannot be written"));
    CHECK(problem.contains("choose another directory"));
}

TEST_CASE("an export that does not fit on the disk fails") {
    Charts page;
    FakeRun run(page.run);
    run.steps(4);
    REQUIRE(page.shows(4));
    const QTemporaryDir folder;
    const SizeLimit limit(50);
    for (const char* name : {"a.png", "a.svg", "a.csv"}) {
        const QString file = folder.filePath(QLatin1String(name));
        CHECK(page.problemOfExport(file).contains("File too large"));
        CHECK(!QFile::exists(file));
    }
}

TEST_CASE("a NaN loss leaves a gap") {
    Charts page;
    FakeRun run(page.run);
    StepsFrame frame;
    for (int rank = 0; rank < 2; ++rank) {
        frame = {};
        frame.rank = rank;
        frame.step = {1, 2, 3};
        frame.loss = {1, std::numeric_limits<double>::quiet_NaN(), 1};
        frame.samples = {4, 4, 4};
        frame.endUs = {1, 2, 3};
        run.feed(frame);
    }
    REQUIRE(waitFor([&] { return !page.chart("lossChart").curves().empty(); }));
    page.page.findChild<QCheckBox*>("logYCheckBox")->click();
    CHECK(!page.page.grab().isNull());
    CHECK(!page.page.findChild<QWidget*>("accuracyPanel")->isVisible());  // regression
}

TEST_CASE("a resumed run is shown from the end of the earlier run") {
    Charts page;
    FakeRun run(page.run, {.stepsBefore = 1000});
    run.steps(20);
    REQUIRE(page.shows(20));
    CHECK(page.chart("lossChart").shownX().minimum == 1001);
    page.run.reset();
    FakeRun fresh(page.run);
    fresh.steps(10);
    REQUIRE(page.shows(10));
    CHECK(page.chart("lossChart").shownX().minimum == 0);
}

TEST_CASE("the controls above the charts are never truncated") {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    QWidget window;  // a window without a layout: with one, it could not become narrower than the row
    auto* row = new TrainingToolRow(&window);
    window.show();
    for (const int width : {1000, 800, 799, 520, 519, 340}) {
        CAPTURE(width);
        row->resize(width, 80);
        REQUIRE(waitFor([&] { return row->width() == width; }));
        for (const auto* button : row->findChildren<QAbstractButton*>()) {
            CAPTURE(button->objectName().toStdString());
            CHECK(waitFor([&] { return button->width() >= button->minimumSizeHint().width(); }));
            CHECK(button->mapTo(row, QPoint(button->width(), 0)).x() <= row->width());
        }
    }
}

TEST_CASE("a chart uses the whole row if its neighbour is empty") {
    Charts page;
    FakeRun run(page.run);
    run.steps(2);
    REQUIRE(page.shows(2));
    const LiveChart& loss = page.chart("lossChart");
    CHECK(waitFor([&] { return page.chart("accuracyChart").isVisible() && loss.width() < 500; }));
    ringside::RunStarted regression;  // its steps have no accuracy
    regression.worldSize = 1;
    regression.stepsPerEpoch = 2;
    regression.epochs = 1;
    page.run.reset();
    run.feed(regression);
    StepsFrame frame;
    frame.step = {1};
    frame.loss = {1};
    frame.samples = {4};
    frame.endUs = {1000};
    frame.gradientNorm = {3};
    run.feed(frame);
    CHECK(waitFor([&] { return !page.chart("accuracyChart").isVisible() && loss.width() > 800; }));
}

TEST_CASE("the learning rate has a chart, and L makes the axis logarithmic") {
    Charts page;
    FakeRun run(page.run);
    run.steps(4);
    REQUIRE(page.shows(4));
    REQUIRE(page.chart("learningRateChart").curves().size() == 1);
    CHECK(page.chart("learningRateChart").curves()[0].points.size() == 4);
    auto* log = page.page.findChild<QCheckBox*>("logYCheckBox");
    page.page.activateWindow();
    page.page.setFocus();
    REQUIRE(waitFor([&] { return page.page.isActiveWindow(); }));
    QTest::keyClick(&page.page, Qt::Key_L);
    CHECK(log->isChecked());
    QTest::keyClick(&page.page, Qt::Key_L);
    CHECK(!log->isChecked());
}

TEST_CASE("a resumed run is shown after the earlier run, with a flag between them") {
    const QTemporaryDir folder;
    RunModel before;
    QFile file(folder.filePath("telemetry.jsonl"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    const auto write = [&](const Event& event) { file.write(QByteArray::fromStdString(encode(event))); };
    RunStarted first;
    first.worldSize = 1;
    first.stepsPerEpoch = 2;
    first.epochs = 10;
    write(first);
    write(stepsFrom(1, {9, 8, 7, 6, 5, 4}, 1));
    file.close();

    Charts page;
    RunStarted second = first;
    second.stepsBefore = 4;  // the checkpoint is of step 4, so steps 5 and 6 are repeated
    RunConfig config;
    config.training.resume = folder.path().toStdString();
    second.config = config.toText();
    FakeRun run(page.run);
    page.run.reset();
    run.feed(second);
    run.feed(stepsFrom(5, {3, 2, 1}, 1));
    REQUIRE(page.shows(7));
    const auto& points = page.chart("lossChart").curves()[0].points;
    CHECK(points[3].y == 6);
    CHECK(points[4].x == 5);
    CHECK(points[4].y == 3);
    CHECK(page.chart("lossChart").flags() == std::vector<ChartFlag>{{4, "resumed"}});
    CHECK(page.chart("lossChart").shownX().minimum == 0);
    page.page.findChild<QPushButton*>("axisSamplesButton")->click();
    REQUIRE(waitFor([&] { return page.chart("lossChart").curves()[0].points.back().x == 56; }));
    page.page.findChild<QPushButton*>("axisTimeButton")->click();
    REQUIRE(waitFor([&] { return page.chart("lossChart").curves()[0].points.back().x == 3; }));
    CHECK(page.chart("lossChart").curves()[0].points.front().x == -3);  // 1 s after a start 4 s before
}

TEST_CASE("a flag marks the last step before the ranks were restarted") {
    Charts page;
    RunStarted start;
    start.worldSize = 1;
    start.stepsPerEpoch = 8;
    start.epochs = 2;
    FakeRun run(page.run);
    page.run.reset();
    run.feed(start);
    run.feed(stepsFrom(1, {4, 3, 2}, 1));
    run.feed(Controlled{.command = ControlKind::kRestart, .value = 1, .step = 3, .timeUs = 4000000});
    run.feed(stepsFrom(4, {4, 3}, 5));
    REQUIRE(page.shows(5));
    const LiveChart& loss = page.chart("lossChart");
    CHECK(loss.flags() == std::vector<ChartFlag>{{3, "restarted"}});
    // The run has no traced steps, and therefore no chart of phases, also after the window has got another size.
    CHECK_FALSE(page.chart("phasesChart").isVisible());
    page.page.resize(page.page.width() + 40, page.page.height());
    CHECK(waitFor([&] { return loss.width() > 0; }));
    CHECK_FALSE(page.chart("phasesChart").isVisible());
    page.page.findChild<QPushButton*>("axisSamplesButton")->click();
    CHECK(waitFor([&] { return loss.flags() == std::vector<ChartFlag>{{24, "restarted"}}; }));
    page.page.findChild<QPushButton*>("axisTimeButton")->click();
    CHECK(waitFor([&] { return loss.flags() == std::vector<ChartFlag>{{3, "restarted"}}; }));
}

TEST_CASE("ranks whose steps were recorded together are shown with their range") {
    Charts page;
    RunStarted start;
    start.worldSize = 1;
    start.stepsPerEpoch = 8;
    start.epochs = 2;
    FakeRun run(page.run);
    page.run.reset();
    run.feed(start);
    StepsFrame frame;
    frame.step = {4, 8};
    frame.from = {1, 5};
    frame.count = {4, 4};
    frame.loss = {2, 1};
    frame.lossMinimum = {1, 0.5};
    frame.lossMaximum = {3, 1.5};
    frame.samples = {32, 32};
    frame.endUs = {1, 2};
    run.feed(frame);
    page.page.findChild<QCheckBox*>("fanOutCheckBox")->click();
    REQUIRE(waitFor([&] {
        const auto& curves = page.chart("lossChart").curves();
        return curves.size() == 1 && curves[0].name == "rank 0" && curves[0].points.size() == 2;
    }));
    const Curve& rank = page.chart("lossChart").curves()[0];
    CHECK(rank.kind == Curve::Kind::BandLine);
    CHECK(rank.points[1] == CurvePoint{8, 1, 0.5, 1.5});
}

namespace {

// Feeds traced steps of two ranks. phaseNs returns the duration of a phase, by rank and step, in nanoseconds.
void feedTracedSteps(FakeRun& run, std::int64_t steps,
                     const std::map<Phase, std::function<std::int64_t(int, std::int64_t)>>& phaseNs) {
    for (int rank = 0; rank < 2; ++rank) {
        StepsFrame frame;
        frame.rank = rank;
        for (std::int64_t step = 1; step <= steps; ++step) {
            frame.step.push_back(step);
            frame.loss.push_back(1);
            frame.samples.push_back(4);
            frame.endUs.push_back(step * 1000);
            frame.traced.push_back(step);
            for (const auto& [phase, ns] : phaseNs)
                frame.phaseNs[static_cast<std::size_t>(phase)].push_back(ns(rank, step));
        }
        run.feed(frame);
    }
}

}  // namespace

TEST_CASE("the time per step is stacked by phase, as the mean of the ranks") {
    Charts page;
    FakeRun run(page.run);
    feedTracedSteps(run, 3,
                    {{Phase::kForward, [](int, std::int64_t) { return 2'000'000; }},
                     {Phase::kBackward, [](int rank, std::int64_t) { return rank == 0 ? 4'000'000 : 8'000'000; }}});
    REQUIRE(waitFor([&] { return page.chart("phasesChart").curves().size() == 2; }));
    const auto& curves = page.chart("phasesChart").curves();
    CHECK(curves[0].name == "forward");
    CHECK(curves[0].points[2] == CurvePoint{3, 2, 0, 2});
    CHECK(curves[1].name == "backward");
    CHECK(curves[1].points[2] == CurvePoint{3, 6, 2, 8});
    CHECK(page.chart("phasesChart").shownY().maximum >= 8);
    // The title of this chart contains a comma, so RFC 4180 requires quotes.
    const QTemporaryDir folder;
    REQUIRE(page.problemOfExport(folder.filePath("a.csv")).isEmpty());
    QFile file(folder.filePath("a.csv"));
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().contains("\n\"Time per step by phase, ms\",forward,3,2,"));
    CHECK(page.chart("phasesChart").tableRows().size() == 6);
}

TEST_CASE("a slow first step does not hide phases of the other steps") {
    Charts page;
    FakeRun run(page.run);
    feedTracedSteps(run, 5,
                    {{Phase::kForward, [](int, std::int64_t step) { return step == 1 ? 900'000'000 : 100'000; }},
                     {Phase::kBackward, [](int, std::int64_t) { return 200'000; }},
                     {Phase::kOptimizer, [](int, std::int64_t) { return 1'000; }}});  // less than 0.5 % of a step
    REQUIRE(waitFor([&] { return page.chart("phasesChart").curves().size() == 2; }));
    CHECK(page.chart("phasesChart").curves()[1].name == "backward");
}

TEST_CASE("a missing set_epoch call is reported above the curves, also with one rank") {
    Charts page;
    RunConfig config;
    config.sampler.setEpoch = false;
    FakeRun run(page.run, {.ranks = 1, .config = config.toText()});
    run.steps(2);
    auto* label = page.page.findChild<QLabel*>("mistakesLabel");
    CHECK(waitFor([&] { return label->text().startsWith("Mistake: set_epoch is never called."); }));
    CHECK(label->isVisible());
}
