// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/navigator.h"

#include <algorithm>

#include "pages/page_area.h"

namespace ringside {
namespace {

QString pageOf(const QString& place) {
    return place.section(QLatin1Char('/'), 0, 0).toLower();
}

QStringList viewNames(const Page& page) {
    QStringList names;
    for (const Page::View& view : page.views()) names << view.name;
    return names;
}

}  // namespace

Navigator::Navigator(QTabWidget& tabs, QObject* parent) : QObject(parent), m_tabs(tabs) {
    connect(&tabs, &QTabWidget::currentChanged, this, [this](int index) {
        if (index >= 0) Q_EMIT currentChanged(*m_pages[index]);
    });
}

void Navigator::add(Page* page) {
    m_pages << page;
    m_tabs.addTab(new PageArea(*page), page->title());
    connect(page, &Page::savePathWanted, this, &Navigator::savePathWanted);
    connect(page, &Page::openPathWanted, this, &Navigator::openPathWanted);
    connect(page, &Page::saved, this, &Navigator::saved);
    connect(page, &Page::failed, this, &Navigator::failed);
}

Page& Navigator::current() const {
    return *m_pages[m_tabs.currentIndex()];
}

QStringList Navigator::names() const {
    QStringList names;
    for (const Page* page : m_pages) names << page->name();
    return names;
}

Page* Navigator::find(const QString& name) const {
    const auto found = std::ranges::find(m_pages, name, &Page::name);
    return found == m_pages.end() ? nullptr : *found;
}

bool Navigator::show(const QString& place) {
    Page* page = find(pageOf(place));
    if (page == nullptr) return false;
    if (const QString view = place.section(QLatin1Char('/'), 1); !view.isEmpty()) {
        if (!viewNames(*page).contains(view)) return false;
        page->showView(view);
    }
    m_tabs.setCurrentIndex(static_cast<int>(m_pages.indexOf(page)));
    return true;
}

void Navigator::focusPage() const {
    if (QWidget* home = current().keyboardWidget()) home->setFocus(Qt::ShortcutFocusReason);
}

QString Navigator::choices(const QString& place) const {
    const Page* page = find(pageOf(place));
    if (page == nullptr) return tr("the pages are %1").arg(names().join(QStringLiteral(", ")));
    if (page->views().isEmpty()) return tr("the page %1 has no views").arg(page->name());
    return tr("the views of the page %1 are %2").arg(page->name(), viewNames(*page).join(QStringLiteral(", ")));
}

}  // namespace ringside
