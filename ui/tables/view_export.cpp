// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/view_export.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QMenu>
#include <QResizeEvent>

#include "export/chart_export.h"

namespace ringside {
namespace {

constexpr qint64 kMomentMs = 1;

}  // namespace

ViewExport::ViewExport(const QString& page, QWidget* parent) : QPushButton(tr("More"), parent) {
    setObjectName(page + QStringLiteral("MoreButton"));
    setAccessibleName(tr("Table and export"));
    setProperty("role", "menu");
    setToolTip(tr("Show this view as a table, or save it"));
    auto* menu = new QMenu(this);
    m_showTable = menu->addAction(tr("Show as table"));
    m_showTable->setObjectName(QStringLiteral("showTableAction"));
    m_showTable->setCheckable(true);
    menu->addSeparator();
    menu->addAction(tr("Save the view as CSV..."), this, [this] {
        const TableData table = m_table();
        choosePath(table.name, QStringLiteral("csv"), [this, table](const QString& file) { saveTable(table, file); });
    });
    for (const auto& [text, suffix] :
         {std::pair(tr("Save the view as PNG..."), "png"), std::pair(tr("Save the view as SVG..."), "svg")}) {
        menu->addAction(text, this, [this, wanted = QString::fromLatin1(suffix)] {
            choosePath(m_table().name, wanted, [this](const QString& file) { savePicture(file); });
        });
    }
    m_extra = menu->addSeparator();
    setMenu(menu);
    connect(&m_settle, &QTimer::timeout, this, &ViewExport::writePicture);
    connect(m_showTable, &QAction::toggled, this, &ViewExport::tableToggled);
}

void ViewExport::reportTo(Page& page) {
    connect(this, &ViewExport::saved, &page, &Page::saved);
    connect(this, &ViewExport::failed, &page, &Page::failed);
    connect(this, &ViewExport::pathWanted, &page, &Page::savePathWanted);
}

QList<QAction*> ViewExport::saveActions() const {
    QList<QAction*> actions = menu()->actions();
    actions.removeIf([this](const QAction* action) { return action == m_showTable || action->isSeparator(); });
    return actions;
}

void ViewExport::setView(Table table, std::function<QWidget*()> picture) {
    m_table = std::move(table);
    m_picture = std::move(picture);
}

void ViewExport::addTable(const QString& text, Table table) {
    menu()->addAction(text, this, [this, table = std::move(table)] {
        const TableData made = table();
        choosePath(made.name, QStringLiteral("csv"), [this, made](const QString& file) { saveTable(made, file); });
    });
}

void ViewExport::addFile(const QString& text, const QString& name, const QString& suffix,
                         const std::function<Writer(const QString& file)>& prepare) {
    menu()->addAction(text, this, [this, name, suffix, prepare] {
        choosePath(name, suffix, [this, prepare](const QString& file) { saveFile(prepare(file), file); });
    });
}

void ViewExport::saveFile(const Writer& writer, const QString& file) {
    if (isBusy()) return reportBusy(file);
    Q_EMIT messageReady(tr("Writing %1").arg(QFileInfo(file).fileName()), false);
    m_work.requestLatest(
        this, [writer](const LatestWork::Stop&) { return writer(); },
        [this, file](const QString& problem) { report(file, problem); });
}

void ViewExport::choosePath(const QString& name, const QString& suffix, const PathTaken& save) {
    Q_EMIT pathWanted(name + QLatin1Char('.') + suffix, QStringLiteral("*.") + suffix, save);
}

void ViewExport::saveTable(const TableData& table, const QString& file) {
    if (table.rows == 0) {
        report(file, tr("Nothing to save: this view shows no rows yet."));
        return;
    }
    if (isBusy()) return reportBusy(file);
    Q_EMIT messageReady(tr("Writing %1 rows to %2").arg(table.rows).arg(QFileInfo(file).fileName()), false);
    m_work.requestLatest(
        this, [table, file](const LatestWork::Stop& stop) { return writeCsv(table, file, stop); },
        [this, file](const QString& problem) { report(file, problem); });
}

void ViewExport::savePicture(const QString& file) {
    if (isBusy()) return reportBusy(file);
    Q_EMIT messageReady(tr("Writing %1").arg(QFileInfo(file).fileName()), false);
    m_pictureFile = file;
    m_settle.start(0);
}

// Sends a few of the pending resize events to hidden widgets. Without this, QWidget::render() sends all of them at
// once, which blocks the window for 10 ms the first time. Returns true if no event was pending.
bool ViewExport::settleForAMoment() {
    QElapsedTimer time;
    time.start();
    bool settled = true;
    for (QWidget* widget : window()->findChildren<QWidget*>()) {
        if (!widget->testAttribute(Qt::WA_PendingResizeEvent)) continue;
        if (time.elapsed() >= kMomentMs) return false;
        settled = false;
        widget->setAttribute(Qt::WA_PendingResizeEvent, false);
        QResizeEvent owed(widget->size(), QSize());
        QCoreApplication::sendEvent(widget, &owed);
    }
    return settled;
}

void ViewExport::writePicture() {
    if (!settleForAMoment()) return;
    m_settle.stop();
    m_work.requestLatest(
        this, [write = pictureWriter(*m_picture(), m_pictureFile)](const LatestWork::Stop&) { return write(); },
        [this, file = m_pictureFile](const QString& problem) { report(file, problem); });
}

void ViewExport::reportBusy(const QString& file) {
    report(file, tr("Another file is still being written. Save this one afterwards."));
}

void ViewExport::report(const QString& file, const QString& problem) {
    const QString sentence = problem.isEmpty() ? tr("Saved %1").arg(file) : problem;
    Q_EMIT messageReady(sentence, !problem.isEmpty());
    problem.isEmpty() ? Q_EMIT saved(sentence) : Q_EMIT failed(sentence);
}

}  // namespace ringside
