// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the context menu of objects with an identity (such as ranks, samples and steps), of copying as text, and of
// the start after a failure.
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QVBoxLayout>
#include <map>
#include <set>

#include "charts/chart_panel.h"
#include "controls/epoch_slider.h"
#include "help/help_dialog.h"
#include "identity/table_copy.h"
#include "identity/table_identity.h"
#include "main_window/pages/identity_menu.h"
#include "ranks/rank_strip.h"
#include "shards/grid/grid_widget.h"
#include "shards/history/sample_history_view.h"
#include "shards/page/explanation_box.h"
#include "shards/summary/epoch_summary_panel.h"
#include "strategy/pictures/strategy_canvas.h"
#include "tables/table_panel.h"
#include "timeline/lanes/lanes_widget.h"
#include "timeline/page/timeline_page.h"
#include "timeline/step/step_panel.h"
#include "ui/traced_run.h"
#include "ui/window_fixture.h"

using namespace ringside;

namespace {

struct IdentityWindow : WindowFixture {
    // Opens the context menu at a point of a widget of the window.
    QMenu* menuAt(QWidget& widget, const QPoint& point) {
        const QPoint place = widget.mapTo(&window, point);
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, window.mapToGlobal(place));
        QApplication::sendEvent(&window, &event);
        return window.findChild<QMenu*>(QStringLiteral("identityMenu"));
    }
    static QStringList names(const QMenu& menu) {
        QStringList names;
        for (const QAction* action : menu.actions())
            if (!action->objectName().isEmpty()) names << action->objectName();
        return names;
    }
    static void choose(const QMenu& menu, const char* name) {
        menu.findChild<QAction*>(QLatin1String(name))->trigger();
    }
    QString page() { return window.pages().current().name(); }
};

const QStringList kActions{"showInShardsAction", "showInTimelineAction", "showInTrainingAction",
                           "copyIdentityAction", "findIdentityAction",   "explainIdentityAction"};

}  // namespace

TEST_CASE("a sample of the grid has the menu of its sample, and of its rank, step and epoch") {
    IdentityWindow f;
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    auto* grid = f.find<GridWidget>("gridWidget");
    const QPoint first = grid->cellsArea().topLeft().toPoint() + QPoint(4, 4);
    const auto things = grid->identitiesAt(first);
    REQUIRE(things.size() == 4);
    CHECK(things[1] == Identity{IdentityKind::Rank, 0});
    CHECK(things[2] == Identity{IdentityKind::Step, 1});
    CHECK(things[3] == Identity{IdentityKind::Epoch, 0});
    QMenu* menu = f.menuAt(*grid, first);
    REQUIRE(menu != nullptr);
    const QAction* title = menu->actions().front();
    CHECK(title->text() == identityText(things[0]));
    CHECK((!title->isSeparator() && !title->isEnabled()));  // the style draws no text of separators
    CHECK(IdentityWindow::names(*menu) == kActions);
    CHECK(menu->findChildren<QMenu*>().size() == 3);
    for (const QMenu* other : menu->findChildren<QMenu*>()) CHECK(IdentityWindow::names(*other) == kActions);
    IdentityWindow::choose(*menu, "copyIdentityAction");
    CHECK(QApplication::clipboard()->text() == identityText(things[0]));
    IdentityWindow::choose(*menu, "showInTrainingAction");
    CHECK(f.page() == "training");
}

TEST_CASE("a rank's card, its lane and a step of the timeline lead to the other pages") {
    IdentityWindow f;
    TracedRun run(f.window.run(), 4, 2);
    run.steps(12);
    auto* cards = f.find<QWidget>("rankStripArea");
    QMenu* menu = f.menuAt(*cards, QPoint(20, 20));
    REQUIRE(menu != nullptr);
    CHECK(IdentityWindow::names(*menu) == kActions);
    IdentityWindow::choose(*menu, "findIdentityAction");
    CHECK(f.page() == "shards");
    CHECK(f.find<QLineEdit>("findEdit")->text() == "rank:0");
    delete menu;
    f.window.pages().show(QStringLiteral("timeline"));
    auto* lanes = f.window.findChild<LanesWidget*>();
    REQUIRE(
        waitFor([&] { return lanes->isVisible() && !lanes->identitiesAt(QPoint(lanes->width() / 2, 10)).empty(); }));
    // Determined by hand: the middle of the picture, which shows the last two steps, lies in step 11 or 12 and in the
    // lane of rank 0.
    const auto things = lanes->identitiesAt(QPoint(lanes->width() / 2, 10));
    CHECK(std::ranges::count(things, Identity{IdentityKind::Rank, 0}) == 1);
    menu = f.menuAt(*lanes, QPoint(lanes->width() / 2, 10));
    REQUIRE(menu != nullptr);
    IdentityWindow::choose(*menu, "showInShardsAction");
    CHECK(f.page() == "shards");
}

TEST_CASE("every row of the sample history has its sample, and the epoch, rank and step where it is trained") {
    IdentityWindow f;
    f.window.pages().show(QStringLiteral("shards/history"));
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    auto* grid = f.find<GridWidget>("gridWidget");
    const auto first = grid->identitiesAt(grid->cellsArea().topLeft().toPoint() + QPoint(4, 4));
    auto* history = f.find<SampleHistoryCanvas>("sampleHistoryCanvas");
    f.window.plan().select(0);
    REQUIRE(waitFor([&] { return history->identitiesAt(QPoint(10, 40)).size() >= 4; }));
    const auto things = history->identitiesAt(QPoint(10, 40));  // the second row
    CHECK(things[0] == Identity{IdentityKind::Sample, 0});
    CHECK(things[1] == Identity{IdentityKind::Epoch, 1});
    CHECK(things[2].kind == IdentityKind::Rank);
    CHECK(things[3].kind == IdentityKind::Step);
    const std::int64_t steps = f.window.plan().plan()->stepsPerEpoch();
    CHECK(things[3].number > steps);  // a step of the second epoch
    CHECK(things[3].number <= 2 * steps);
    // The numbers at the end of the row are the other samples of the batch, in the order of the plan.
    std::vector<std::int64_t> mates;
    for (int x = 0; x < history->width(); ++x) {
        const auto here = history->identitiesAt(QPoint(x, 40));
        if (here.size() == 5 && (mates.empty() || mates.back() != here[4].number)) mates.push_back(here[4].number);
    }
    REQUIRE(mates.size() > 3);
    ShardSpec spec = f.window.plan().plan()->spec();
    spec.epoch = 1;
    const auto plan = ShardPlan::make(spec);
    const auto rank = static_cast<int>(things[2].number);
    const std::int64_t slot = (things[3].number - steps - 1) * spec.batchSize;
    std::vector<std::int64_t> batch;
    for (std::int64_t i = slot; batch.size() < mates.size(); ++i)
        if (plan.value().index(rank, i) != 0) batch.push_back(plan.value().index(rank, i));
    CHECK(mates == batch);
    QMenu* menu = f.menuAt(*history, QPoint(10, 40));
    REQUIRE(menu != nullptr);
    CHECK(IdentityWindow::names(*menu) == kActions);
}

TEST_CASE("a right click on the epoch slider opens the menu of the epoch at that place") {
    IdentityWindow f;
    auto* slider = f.find<EpochSlider>("epochSlider");
    REQUIRE(slider->maximum() > 0);
    QMenu* menu = f.menuAt(*slider, QPoint(slider->width() - 2, slider->height() / 2));
    REQUIRE(menu != nullptr);
    CHECK(menu->actions().front()->text() == identityText({IdentityKind::Epoch, slider->maximum()}));
    IdentityWindow::choose(*menu, "showInShardsAction");
    CHECK(slider->value() == slider->maximum());
}

TEST_CASE("the pictures of the Strategy page name the rank under the pointer") {
    IdentityWindow f;
    f.window.pages().show(QStringLiteral("strategy"));
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    for (const char* name : {"holdsCanvas", "memoryCanvas", "scheduleCanvas"}) {
        INFO(name);
        auto* picture = f.find<StrategyCanvas>(name);
        REQUIRE(waitFor([&] { return !picture->grab().isNull() && !picture->visibleRegion().isEmpty(); }));
        std::set<std::int64_t> ranks;
        for (int y = 0; y < picture->height(); ++y)
            for (const Identity& one : picture->identitiesAt(QPoint(picture->width() / 2, y)))
                if (one.kind == IdentityKind::Rank) ranks.insert(one.number);
        CHECK(ranks == std::set<std::int64_t>{0, 1, 2, 3});
    }
    RunConfig sharded = f.window.experiment().config();  // each shard has its own curve
    sharded.parallel.strategy = StrategyKind::kFsdp;
    f.window.experiment().edit(sharded, "parallel.strategy");
    for (const auto& [view, name] :
         {std::pair("strategy/mesh", "meshCanvas"), std::pair("strategy/memory_over_step", "memoryCurveCanvas")}) {
        INFO(name);
        f.window.pages().show(QLatin1String(view));
        auto* picture = f.find<StrategyCanvas>(name);
        std::set<std::int64_t> ranks;
        CHECK(waitFor([&] {
            ranks.clear();
            if (picture->grab().isNull() || picture->visibleRegion().isEmpty()) return false;
            for (int y = 0; y < picture->height(); y += 4)
                for (int x = 0; x < picture->width(); x += 4)
                    for (const Identity& one : picture->identitiesAt(QPoint(x, y)))
                        if (one.kind == IdentityKind::Rank) ranks.insert(one.number);
            return ranks == std::set<std::int64_t>{0, 1, 2, 3};
        }));
    }
}

TEST_CASE("the copy key copies a table of any window whole, and its selected rows if there are several") {
    TableCopy copy;
    qApp->installEventFilter(&copy);
    QStandardItemModel model(3, 2);
    model.setHorizontalHeaderLabels({"Key", "Action"});
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 2; ++column)
            model.setItem(row, column, new QStandardItem(QString::number(10 * row + column)));
    QTableView view;
    view.setModel(&model);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.show();
    view.setCurrentIndex(model.index(1, 0));
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() == "Key\tAction\n0\t1\n10\t11\n20\t21\n");
    view.selectionModel()->select(model.index(2, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() == "Key\tAction\n10\t11\n20\t21\n");
}

TEST_CASE("a cell that the table shortens is copied whole") {
    TableCopy copy;
    qApp->installEventFilter(&copy);
    const QString text(300, 'x');
    TablePanel panel(QStringLiteral("test"));
    panel.setTable(tableOf("t", {"what", "why"}, {{"1", text}, {"2", "short"}}));
    panel.show();
    auto* view = panel.findChild<QTableView*>();
    CHECK(view->model()->index(0, 1).data().toString().size() < 150);
    CHECK(view->model()->index(0, 1).data(Qt::ToolTipRole).toString().contains(text));
    CHECK_FALSE(view->model()->index(1, 1).data(Qt::ToolTipRole).isValid());
    QTest::keyClick(view, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() == "what\twhy\n1\t" + text + "\n2\tshort\n");
}

TEST_CASE("the copy key copies the chart of a dialog, but not instead of the text of a field") {
    TableCopy copy;
    qApp->installEventFilter(&copy);
    Theme theme;
    QDialog dialog;
    auto* column = new QVBoxLayout(&dialog);
    auto* chart = new ChartPanel("Speed", "speed", theme);
    auto* field = new QLineEdit("typed");
    auto* button = new QPushButton("Close");
    for (QWidget* part : std::initializer_list<QWidget*>{chart, field, button}) column->addWidget(part);
    Curve curve{
        .key = "a", .name = "fast", .color = Qt::blue, .kind = Curve::Kind::MarkedLine, .points = {{1, 2.5}, {2, 4}}};
    chart->setCurves({curve}, wholeRange({curve}));
    dialog.show();
    QTest::keyClick(button, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() ==
          "series\tx\tvalue\tminimum\tmaximum\tsmoothed\nfast\t1\t2.5\t\t\t\nfast\t2\t4\t\t\t\n");
    field->selectAll();
    QTest::keyClick(field, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text() == "typed");
}

TEST_CASE("Ctrl+C copies the panel that was clicked") {
    IdentityWindow f;
    f.window.resize(1440, 900);
    f.window.activateWindow();
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    const auto copied = [&](QWidget& panel) {
        QTest::mouseClick(&panel, Qt::LeftButton, {}, QPoint(panel.width() / 2, 8));
        f.trigger("copyAction");
        return QApplication::clipboard()->text();
    };
    // Computed by hand: 1,437 samples over 4 ranks are ceil(1437 / 4) = 360 each.
    CHECK(copied(*f.find<EpochSummaryPanel>("epochSummaryPanel")).contains("Per rank = ceil(n / W)\t360\n"));
    CHECK(copied(*f.find<QWidget>("classBalanceView")).startsWith("rank\tclass\tsamples"));
    auto* cards = f.find<RankStrip>("rankStripArea");
    const QStringList lines = copied(*cards->viewport()).split('\n');
    REQUIRE(lines.size() == 6);  // a heading, four ranks, the end
    CHECK(lines[4].startsWith("3\tready\t"));
}

TEST_CASE("every picture names the ranks, samples, steps and epochs that it draws") {
    IdentityWindow f;
    f.window.resize(1440, 900);
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    // Returns all identities that a widget has at any of its points.
    const auto named = [](const QWidget& widget) {
        const auto& source = dynamic_cast<const IdentitySource&>(widget);
        std::map<IdentityKind, std::set<std::int64_t>> all;
        for (int y = 0; y < widget.height(); y += 3)
            for (int x = 0; x < widget.width(); x += 3)
                for (const Identity& one : source.identitiesAt(QPoint(x, y))) all[one.kind].insert(one.number);
        return all;
    };
    const std::set<std::int64_t> ranks{0, 1, 2, 3};
    // 12 steps of 32 samples in an epoch of 360 per rank
    const auto map = named(*f.find<QWidget>("gridMinimap"));
    CHECK(map.at(IdentityKind::Rank) == ranks);
    CHECK(map.at(IdentityKind::Step).size() == 12);
    CHECK(map.at(IdentityKind::Epoch) == std::set<std::int64_t>{0});
    const auto last = named(*f.find<QWidget>("lastSlotsPanel"));
    CHECK(last.at(IdentityKind::Step) == std::set<std::int64_t>{12});
    CHECK(last.at(IdentityKind::Sample).size() >= 3);  // 3 duplicates
    CHECK(named(*f.find<QWidget>("classBalanceView")).at(IdentityKind::Rank) == ranks);
    CHECK(named(*f.find<QWidget>("breadcrumb")).at(IdentityKind::Epoch) == std::set<std::int64_t>{0});
    f.window.pages().show(QStringLiteral("shards/balance"));
    REQUIRE(waitFor([&] { return f.window.pages().current().isSettled(); }));
    CHECK(named(*f.find<QWidget>("balanceCanvas")).at(IdentityKind::Rank) == ranks);
    f.press("balanceByStepButton");
    CHECK(named(*f.find<QWidget>("balanceCanvas")).at(IdentityKind::Step).contains(1));
    f.window.pages().show(QStringLiteral("shards/mistakes"));
    REQUIRE(waitFor([&] { return f.window.pages().current().isSettled(); }));
    CHECK(named(*f.find<QWidget>("overlapMatrix")).at(IdentityKind::Rank) == ranks);
    TracedRun run(f.window.run(), 4, 2);
    run.steps(12);
    f.window.pages().show(QStringLiteral("timeline"));
    auto* panel = f.find<StepPanel>("stepPanel");
    REQUIRE(waitFor([&] { return panel->isVisible() && !panel->numbers().rows.empty(); }));
    CHECK(named(*panel).at(IdentityKind::Rank) == ranks);
    CHECK(named(*panel).at(IdentityKind::Step).size() == 1);
    CHECK(named(*f.find<QWidget>("verdictBanner")).at(IdentityKind::Rank) == std::set<std::int64_t>{2});
    CHECK(named(*f.window.findChild<LanesWidget*>()).contains(IdentityKind::Collective));
}

TEST_CASE("the explanation of a sample has the menu of the sample, also at its text, and is copied as text") {
    IdentityWindow f;
    REQUIRE(waitFor([&] { return f.window.isDrawn() && f.window.pages().current().isSettled(); }));
    auto* box = f.find<ExplanationBox>("explanationBox");
    CHECK(box->identitiesAt({}) == std::vector<Identity>{{IdentityKind::Epoch, 0}});
    const auto* grid = f.find<GridWidget>("gridWidget");
    const QPoint first = grid->cellsArea().topLeft().toPoint() + QPoint(4, 4);
    QTest::mouseClick(f.find<QWidget>("gridWidget"), Qt::LeftButton, {}, first);
    REQUIRE(waitFor([&] { return box->identitiesAt({}) == grid->identitiesAt(first); }));
    auto* text = f.find<QLabel>("explanationLabel");
    QContextMenuEvent event(QContextMenuEvent::Mouse, text->rect().center(), text->mapToGlobal(text->rect().center()));
    QApplication::sendEvent(text, &event);
    auto* menu = f.window.findChild<QMenu*>(QStringLiteral("identityMenu"));
    REQUIRE(menu != nullptr);
    CHECK(menu->actions().front()->text() == identityText(grid->identitiesAt(first).front()));
    CHECK(IdentityWindow::names(*menu) == kActions);
    QTest::mouseClick(text, Qt::LeftButton, {}, QPoint(4, 4));
    f.trigger("copyAction");
    CHECK(QApplication::clipboard()->text().startsWith(f.find<QLabel>("explanationTitleLabel")->text() + '\n'));
    CHECK(QApplication::clipboard()->text().count('\n') >= 3);
}

TEST_CASE("the curve of a rank and its name in the legend have the menu of the rank") {
    Theme theme;
    ChartPanel panel("Loss", "loss", theme);
    panel.resize(500, 300);
    Curve curve{.key = "loss.rank.3", .name = "rank 3", .color = Qt::blue, .points = {{0, 1}, {10, 1}}, .rank = 3};
    panel.setCurves({curve}, wholeRange({curve}));
    panel.show();
    REQUIRE(QTest::qWaitForWindowExposed(&panel));
    CHECK(panel.legend().identitiesAt(panel.legend().entryRect("loss.rank.3").center()) ==
          std::vector<Identity>{{IdentityKind::Rank, 3}});
    bool isFound = false;
    for (int y = 0; y < panel.chart().height(); ++y)
        if (const Curve* at = panel.chart().curveAt(QPointF(panel.chart().width() / 2.0, y)))
            isFound = isFound || at->rank == 3;
    CHECK(isFound);
}

TEST_CASE("a line of the log has the menu of its rank") {
    IdentityWindow f;
    TracedRun run(f.window.run(), 2, 1);
    f.feed(LogLine{1, LogLevel::kWarning, "slow", 5});
    f.feed(LogLine{-1, LogLevel::kInfo, "of the run", 6});
    f.trigger("logAction");
    auto* list = f.find<QListView>("logListView");
    REQUIRE(waitFor([&] { return list->model()->rowCount() == 2 && list->isVisible(); }));
    const auto* source = dynamic_cast<IdentitySource*>(list);
    REQUIRE(source != nullptr);
    const auto at = [&](int row) {
        return source->identitiesAt(
            list->viewport()->mapTo(list, list->visualRect(list->model()->index(row, 0)).center()));
    };
    CHECK(at(0) == std::vector<Identity>{{IdentityKind::Rank, 1}});
    CHECK(at(1).empty());
}

TEST_CASE("the row of a table names its things by the headings of the columns") {
    QStandardItemModel model(1, 4);
    model.setHorizontalHeaderLabels({"epoch", "Rank", "index", "flag"});
    for (const auto& [column, text] : {std::pair(0, "2"), {1, "3"}, {2, "1,437"}, {3, "padded"}})
        model.setItem(0, column, new QStandardItem(QLatin1String(text)));
    QTableView view;
    view.setModel(&model);
    view.show();
    const auto things = tableIdentitiesAt(view, view.visualRect(model.index(0, 3)).center());
    REQUIRE(things.size() == 3);
    CHECK(std::ranges::count(things, Identity{IdentityKind::Epoch, 2}) == 1);
    CHECK(std::ranges::count(things, Identity{IdentityKind::Rank, 3}) == 1);
    CHECK(std::ranges::count(things, Identity{IdentityKind::Sample, 1437}) == 1);
    CHECK(tableText(view) == "epoch\tRank\tindex\tflag\n2\t3\t1,437\tpadded\n");
}

TEST_CASE("a table on screen counts epochs from 1, and a column of a rank names the rank") {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({"Epoch", "Rank 3"});
    model.setItem(0, 0, new QStandardItem("2"));
    model.setItem(0, 1, new QStandardItem("360"));
    QTableView view;
    view.setModel(&model);
    view.show();
    CHECK(tableIdentitiesAt(view, view.visualRect(model.index(0, 1)).center()) ==
          std::vector<Identity>{{IdentityKind::Rank, 3}, {IdentityKind::Epoch, 1}});
    CHECK(tableIdentitiesAt(view, view.visualRect(model.index(0, 0)).center()) ==
          std::vector<Identity>{{IdentityKind::Epoch, 1}});
}

TEST_CASE("Ctrl+C copies the numbers of the page in sight as text") {
    IdentityWindow f;
    REQUIRE(waitFor([&] { return f.window.pages().current().isSettled(); }));
    f.trigger("copyAction");
    CHECK(QApplication::clipboard()->text().startsWith(QLatin1String("epoch\tstep\trank\tslot\tindex")));
    TracedRun run(f.window.run(), 2, 1);
    run.steps(3);
    f.window.pages().show(QStringLiteral("timeline"));
    REQUIRE(waitFor([&] { return f.window.pages().current().copyText().count(QLatin1Char('\n')) > 3; }));
    f.window.pages().show(QStringLiteral("strategy"));
    REQUIRE(
        waitFor([&] { return f.window.pages().current().copyText().contains(QLatin1String("strategy-memory\n")); }));
}

TEST_CASE("after a failure the window offers to start without the stored session") {
    const qint64 gone = 4'194'304;  // beyond the largest process id of Linux
    for (const int answer : {0, 1}) {
        IdentityWindow f;
        f.settings.set(settings::kProcess, gone);
        f.settings.set(settings::kPage, QStringLiteral("strategy"));
        f.dialogs.answer = answer;
        f.window.restore();
        REQUIRE(f.dialogs.questions.size() == 1);
        CHECK(f.dialogs.questions.first().answers.value(1) == "Start without");
        CHECK(f.page() == (answer == 0 ? "strategy" : "shards"));
        CHECK(f.settings.get(settings::kProcess) == QCoreApplication::applicationPid());
        f.window.close();
        CHECK(f.settings.get(settings::kProcess) == 0);
    }
}

TEST_CASE("the unsaved experiment is kept while the window is open, for the start after a failure") {
    QByteArray kept;
    {
        IdentityWindow f;
        f.window.restore();
        RunConfig config = f.window.experiment().config();
        config.training.epochs = 77;
        f.window.experiment().edit(config, "training.epochs");
        REQUIRE(waitFor([&] { return !f.settings.get(settings::kDraft).isEmpty(); }));
        kept = f.settings.get(settings::kDraft);
    }
    IdentityWindow next;
    next.settings.set(settings::kDraft, kept);
    next.settings.set(settings::kProcess, qint64{4'194'304});  // the setting that a killed window leaves
    next.dialogs.answer = 0;
    next.window.restore();
    CHECK(next.window.experiment().config().training.epochs == 77);
    CHECK(next.window.experiment().isModified());
}

TEST_CASE("a start after a proper end, or beside another window, shows no question") {
    for (const qint64 process : {qint64{0}, qint64{1}}) {  // process 1 is alive
        IdentityWindow f;
        f.settings.set(settings::kProcess, process);
        f.window.restore();
        CHECK(f.dialogs.questions.isEmpty());
    }
}

TEST_CASE("Explain opens the documents at the heading of a rank, step, epoch or collective") {
    IdentityWindow f;
    auto* identities = f.window.findChild<IdentityMenu*>();
    REQUIRE(identities != nullptr);
    const auto headingOf = [&](const Identity& thing) {
        QMenu menu;
        identities->fill(menu, {thing});
        IdentityWindow::choose(menu, "explainIdentityAction");
        const auto* help = f.window.findChild<HelpDialog*>();
        return help ? help->file() + QLatin1Char('/') + help->currentLine() : QString();
    };
    CHECK(headingOf({IdentityKind::Rank, 1}) == "experiments.md/Which rank gets which sample");
    CHECK(headingOf({IdentityKind::Step, 2}) == "timeline.md/What it shows");
    CHECK(headingOf({IdentityKind::Epoch, 0}) == "experiments.md/Which rank gets which sample");
    CHECK(headingOf({IdentityKind::Collective, 4, 2}) == "timeline.md/Which rank is late");
}
