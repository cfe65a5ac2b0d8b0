// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/paint_stages.h"

#include <QLabel>
#include <QTabWidget>
#include <QTest>

#include "support/catch.h"
#include "ui/wait_for.h"
#include "ui/window_fixture.h"

using namespace ringside;

namespace {

// Widget that reports each paint event.
class Drawn final : public QWidget {
  public:
    Drawn(const char* name, QStringList& log, QWidget* parent) : QWidget(parent), m_log(log) {
        setObjectName(QString::fromLatin1(name));
    }

  protected:
    void paintEvent(QPaintEvent*) override { m_log << objectName(); }

  private:
    QStringList& m_log;
};

}  // namespace

TEST_CASE("the parts of a window are drawn one after another when it opens and when everything changes") {
    QStringList log;
    Drawn window("window", log, nullptr);
    window.resize(200, 100);
    Drawn first("first", log, &window), second("second", log, &window);
    first.setGeometry(0, 0, 100, 100);
    second.setGeometry(100, 0, 100, 100);
    PaintStages stages(window, {&first, &second}, &window);
    stages.beginWithFirstPaint();
    CHECK_FALSE(stages.isDone());
    window.show();
    REQUIRE(waitFor([&] { return stages.isDone(); }));
    REQUIRE(waitFor([&] { return log.contains("second"); }));
    CHECK(log.indexOf("window") == 0);
    CHECK(log.indexOf("first") > 0);
    CHECK(log.mid(log.indexOf("first")).indexOf("window") < log.mid(log.indexOf("first")).indexOf("second"));
    log.clear();
    stages.begin();
    CHECK_FALSE(stages.isDone());
    window.update();
    REQUIRE(waitFor([&] { return log.contains("second"); }));
    CHECK(log.indexOf("window") == 0);
    CHECK(log.mid(log.indexOf("first")).indexOf("window") < log.mid(log.indexOf("first")).indexOf("second"));
    CHECK_FALSE(first.testAttribute(Qt::WA_OpaquePaintEvent));
}

TEST_CASE("a picture of the window contains all visible parts, even if hidden ones are resized") {
    QStringList log;
    Drawn window("window", log, nullptr);
    window.resize(200, 100);
    QWidget otherPage(&window);
    otherPage.hide();
    Drawn seen("seen", log, &window), unseen("unseen", log, &otherPage);
    PaintStages stages(window, {&seen, &unseen}, &window);
    stages.beginWithFirstPaint();
    window.show();
    REQUIRE(waitFor([&] { return seen.updatesEnabled() && unseen.updatesEnabled(); }));
    for (const int width : {50, 60}) {  // in the first iteration, the window adopts its size
        unseen.resize(width, 50);
        log.clear();
        window.grab();
        CHECK(log.contains("seen"));
    }
}

TEST_CASE("a changed text redraws only its label") {
    WindowFixture f;
    REQUIRE(waitFor([&] { return f.window.pages().current().isSettled(); }));
    auto* title = f.find<QLabel>("explanationTitleLabel");
    auto* tabs = f.find<QTabWidget>("pagesTabWidget");
    QStringList log;
    auto* bystander = new Drawn("bystander", log, tabs->currentWidget());
    bystander->setGeometry(tabs->currentWidget()->width() - 1, tabs->currentWidget()->height() - 1, 1, 1);
    bystander->show();
    REQUIRE(waitFor([&] { return !log.isEmpty(); }));
    Drawn over("over", log, title);
    over.resize(1, 1);
    over.show();
    // On a busy machine, a stage of the first drawing can also redraw the bystander, but not in every attempt.
    bool alone = false;
    for (int turn = 0; turn < 10 && !alone; ++turn) {
        log.clear();
        title->setText(QString("something else, and longer than it was: %1").arg(turn));
        REQUIRE(waitFor([&] { return log.contains("over"); }));
        alone = !log.contains("bystander");
    }
    CHECK(alone);
}
