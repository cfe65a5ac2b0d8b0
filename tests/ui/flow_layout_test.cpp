// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/flow_layout.h"

#include <QVBoxLayout>
#include <QWidget>

#include "support/catch.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

QWidget* fixedWidget(int width, int height) {
    auto* widget = new QWidget;
    widget->setFixedSize(width, height);
    return widget;
}

// Window with a flow layout of three widgets of 100 x 20 px, 10 px apart, and an empty widget below.
struct Flow {
    QWidget window;
    FlowLayout* layout;
    QList<QWidget*> parts;

    Flow() {
        auto* column = new QVBoxLayout(&window);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        auto* row = new QWidget;
        layout = new FlowLayout(row, 5);
        layout->setSpacing(10);
        for (int i = 0; i < 3; ++i) layout->addWidget(parts.emplaceBack(fixedWidget(100, 20)));
        column->addWidget(row);
        column->addWidget(new QWidget, 1);
        window.show();
    }
    void resize(int width) {
        window.resize(width, 200);
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    }
};

}  // namespace

TEST_CASE("a flow wraps its items, and its minimum is the widest item and the height of all rows") {
    Flow f;
    f.resize(400);
    CHECK(f.parts[2]->geometry() == QRect(220, 0, 100, 20));
    CHECK(f.layout->minimumSize() == QSize(100, 20));
    f.resize(220);  // two items: 100 + 10 + 100 = 210
    CHECK(f.parts[1]->geometry() == QRect(110, 0, 100, 20));
    CHECK(f.parts[2]->geometry() == QRect(0, 25, 100, 20));
    CHECK(f.layout->minimumSize() == QSize(100, 45));
    f.resize(205);
    CHECK(f.parts[2]->geometry() == QRect(0, 50, 100, 20));
    CHECK(f.parts[0]->parentWidget()->height() == 70);
    f.resize(400);
    CHECK(f.parts[0]->parentWidget()->height() == 20);
}

TEST_CASE("an item of a flow that expands takes the room that remains in its row") {
    Flow f;
    auto* wide = new QWidget;
    wide->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    wide->setMinimumSize(50, 20);
    f.layout->addWidget(wide);
    f.resize(400);  // 3 * 100 + 3 * 10 = 330
    CHECK(wide->geometry() == QRect(330, 0, 70, 20));
    f.resize(300);  // two items in a row, the third and the wide one below
    CHECK(wide->geometry() == QRect(110, 25, 190, 20));
    f.parts[0]->hide();  // a hidden item takes no space
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    CHECK(f.parts[1]->geometry() == QRect(0, 0, 100, 20));
}
