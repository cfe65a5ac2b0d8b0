// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/navigator.h"

#include <QApplication>
#include <QLineEdit>

#include "support/catch.h"

using namespace ringside;

namespace {

class Places final : public Page {
  public:
    Places(const QString& name, QStringList views)
        : Page(name, name.toUpper()), m_views(std::move(views)), m_line(new QLineEdit(this)) {}
    QList<View> views() const override {
        QList<View> all;
        for (const QString& name : m_views) all << View{name, name, {}};
        return all;
    }
    void showView(const QString& view) override { shown = view; }
    QWidget* keyboardWidget() const override { return m_line; }
    QString shown;

  private:
    QStringList m_views;
    QLineEdit* m_line;
};

}  // namespace

TEST_CASE("adding a page with one call creates its tab, name and views") {
    QTabWidget tabs;
    Navigator pages(tabs);
    auto* map = new Places("atlas", {"north", "south"});
    auto* plain = new Places("diary", {});
    pages.add(map);
    pages.add(plain);
    CHECK(pages.names() == QStringList{"atlas", "diary"});
    CHECK(tabs.tabText(1) == "DIARY");
    CHECK(&pages.current() == map);

    CHECK(pages.show("diary"));
    CHECK(&pages.current() == plain);
    CHECK(pages.show("Atlas/south"));
    CHECK(&pages.current() == map);
    CHECK(map->shown == "south");
}

TEST_CASE("an unknown page keeps the visible one and lists the valid ones") {
    QTabWidget tabs;
    Navigator pages(tabs);
    auto* map = new Places("atlas", {"north", "south"});
    pages.add(map);
    pages.add(new Places("diary", {}));
    CHECK_FALSE(pages.show("attic"));
    CHECK_FALSE(pages.show("atlas/west"));
    CHECK_FALSE(pages.show("diary/north"));
    CHECK(&pages.current() == map);
    CHECK(map->shown.isEmpty());
    CHECK(pages.choices("attic") == "the pages are atlas, diary");
    CHECK(pages.choices("atlas/west") == "the views of the page atlas are north, south");
    CHECK(pages.choices("diary/north") == "the page diary has no views");
}

TEST_CASE("messages of a page about files reach the window, and its shortcut gives it the focus") {
    QTabWidget tabs;
    Navigator pages(tabs);
    auto* page = new Places("atlas", {});
    pages.add(page);
    QStringList messages;
    QObject::connect(&pages, &Navigator::saved, [&](const QString& text) { messages << "saved " + text; });
    QObject::connect(&pages, &Navigator::failed, [&](const QString& text) { messages << "failed " + text; });
    Q_EMIT page->saved("a");
    Q_EMIT page->failed("b");
    CHECK(messages == QStringList{"saved a", "failed b"});
    tabs.show();
    tabs.activateWindow();
    pages.focusPage();
    CHECK(tabs.focusWidget() == page->keyboardWidget());
}
