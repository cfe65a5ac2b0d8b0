// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/watched_script_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "controls/wrapped_text.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kLabelWidth{76};

QLabel* sectionTitle(const QString& text) {
    auto* label = new QLabel(text.toUpper());
    label->setProperty("role", "section");
    return label;
}

}  // namespace

WatchedScriptPanel::WatchedScriptPanel(RunModel& run, RunController& controller, QWidget* parent)
    : QFrame(parent), m_run(run), m_controller(controller) {
    setObjectName(QStringLiteral("watchedScriptPanel"));
    setProperty("role", "panel");
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(1, Theme::kSpace3, 1, 1);
    auto* content = new QWidget;
    content->setProperty("role", "clear");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Theme::kSpace4 - 1, 0, Theme::kSpace4 - 1, Theme::kSpace3);
    column->setSpacing(Theme::kSpace3);
    addHeader(*column);
    addCommand(*column);
    column->addWidget(sectionTitle(tr("Facts of the script")));
    m_facts = new QGridLayout;
    column->addLayout(m_facts);
    m_noFacts = new WrappedText;
    m_noFacts->setObjectName(QStringLiteral("noFactsLabel"));
    m_noFacts->setProperty("role", "note");
    column->addWidget(m_noFacts);
    addButtons(*column);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("watchedScriptScrollArea"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    whole->addWidget(scroll);
    for (QGridLayout* grid : {m_start, m_facts}) {
        grid->setHorizontalSpacing(Theme::kSpace3);
        grid->setVerticalSpacing(Theme::kSpace1);
        grid->setColumnStretch(1, 1);
    }
    connect(&run, &RunModel::watchedChanged, this, &WatchedScriptPanel::refresh);
    connect(&run, &RunModel::expectedChanged, this, &WatchedScriptPanel::refresh);
    connect(&run, &RunModel::restarted, this, [this] {
        m_isDismissed = false;
        refresh();
    });
    connect(&controller, &RunController::stateChanged, this, &WatchedScriptPanel::refresh);
    hide();
}

void WatchedScriptPanel::addHeader(QVBoxLayout& column) {
    auto* line = new QHBoxLayout;
    auto* title = new QLabel(tr("Watched script"));
    title->setProperty("role", "title");
    m_version = new QLabel;
    m_version->setObjectName(QStringLiteral("watchedVersionLabel"));
    m_version->setProperty("role", "muted");
    line->addWidget(title);
    line->addStretch(1);
    line->addWidget(m_version);
    column.addLayout(line);
    m_start = new QGridLayout;
    column.addLayout(m_start);
}

void WatchedScriptPanel::addCommand(QVBoxLayout& column) {
    m_commandBox = new QFrame;
    m_commandBox->setProperty("role", "sentence");
    auto* inner = new QVBoxLayout(m_commandBox);
    inner->setContentsMargins(Theme::kSpace2, Theme::kSpace2, Theme::kSpace2, Theme::kSpace2);
    inner->setSpacing(2);
    m_commandText = new WrappedText;
    m_commandText->setObjectName(QStringLiteral("watchedCommandLabel"));
    m_commandText->setProperty("role", "small");
    m_commandText->setTextFormat(Qt::PlainText);
    m_commandText->setTextInteractionFlags(Qt::TextSelectableByMouse);
    inner->addWidget(m_commandText);
    auto* unchanged = new QLabel(tr("The script is not changed."));
    unchanged->setProperty("role", "note");
    inner->addWidget(unchanged);
    column.addWidget(m_commandBox);
}

void WatchedScriptPanel::addButtons(QVBoxLayout& column) {
    auto* line = new QHBoxLayout;
    line->setSpacing(Theme::kSpace2);
    m_watch = new QPushButton(tr("Watch"));
    m_watch->setObjectName(QStringLiteral("watchAgainButton"));
    m_watch->setProperty("role", "accent");
    m_check = new QPushButton(tr("Check 50 steps"));
    m_check->setObjectName(QStringLiteral("checkAgainButton"));
    m_output = new QPushButton(tr("Output"));
    m_output->setObjectName(QStringLiteral("scriptOutputButton"));
    line->addWidget(m_watch, 1);
    line->addWidget(m_check, 1);
    column.addLayout(line);
    column.addWidget(m_output);
    connect(m_watch, &QPushButton::clicked, this, [this] { Q_EMIT watchWanted(*m_command, false); });
    connect(m_check, &QPushButton::clicked, this, [this] { Q_EMIT watchWanted(*m_command, true); });
    connect(m_output, &QPushButton::clicked, this, [this] { Q_EMIT outputWanted(outputFile()); });
}

void WatchedScriptPanel::replace(QWidget* form) {
    m_form = form;
    refresh();
}

void WatchedScriptPanel::dismiss() {
    m_isDismissed = true;
    refresh();
}

QString WatchedScriptPanel::outputFile() const {
    return m_directory + QLatin1Char('/') + QLatin1String(WatchProcess::kOutputFile);
}

void WatchedScriptPanel::refresh() {
    const bool shows = m_run.isWatched() && !m_isDismissed;
    if (m_form) m_form->setVisible(!shows);
    setVisible(shows);
    if (!shows) return;
    const QString directory = m_run.expected() ? QString() : m_run.directory();
    if (directory != m_directory || !m_command) {
        m_directory = directory;
        m_command = directory.isEmpty() ? std::nullopt : readWatchedCommand(directory);
    }
    showRows();
    refreshButtons();
}

void WatchedScriptPanel::showRows() {
    const WatchedScript& script = m_run.watched();
    const auto& expected = m_run.expected();
    m_version->setText(expected ? QString() : script.torch());
    const QString name = expected ? expected->script : script.script();
    const QString python = script.python().isEmpty() ? QString() : tr("Python %1").arg(script.python());
    QList<std::pair<Row, QString>> rows{{{tr("Script"), name}, m_command ? m_command->script : QString()}};
    if (m_command && !m_command->arguments.isEmpty())
        rows << std::pair{Row{tr("Arguments"), commandLine(m_command->arguments)}, QString()};
    if (!expected) {
        rows << std::pair{Row{tr("Launcher"), script.launcher()}, QString()};
        rows << std::pair{Row{tr("Python"), python}, m_command ? m_command->words.first() : QString()};
    }
    fill(*m_start, rows);
    m_commandBox->setVisible(m_command.has_value());
    if (m_command) m_commandText->setText(commandLine(m_command->words));
    rows.clear();
    if (!expected)
        for (const WatchedScript::Fact& fact : script.facts()) rows << std::pair{Row{fact.label, fact.value}, fact.tip};
    fill(*m_facts, rows);
    m_noFacts->setText(tr("Data set, model and optimizer of the script appear here during its first step."));
    m_noFacts->setVisible(rows.isEmpty());
}

// Fills a grid with labels and values; omits rows without a value. Does nothing if the grid already shows exactly these
// rows, because this function is called often.
void WatchedScriptPanel::fill(QGridLayout& grid, const QList<std::pair<Row, QString>>& rows) {
    constexpr const char* kShown = "shownRows";
    QStringList shown;
    for (const auto& [row, tip] : rows) shown << row.first << row.second << tip;
    if (grid.property(kShown).toStringList() == shown) return;
    grid.setProperty(kShown, shown);
    while (QLayoutItem* item = grid.takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    int number = 0;
    for (const auto& [row, tip] : rows) {
        if (row.second.isEmpty()) continue;
        auto* label = new QLabel(row.first);
        label->setProperty("role", "muted");
        label->setMinimumWidth(kLabelWidth);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        auto* value = new WrappedText;
        value->setTextFormat(Qt::PlainText);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setText(row.second);
        value->setToolTip(tip);
        value->setAccessibleName(row.first);
        grid.addWidget(label, number, 0);
        grid.addWidget(value, number++, 1);
    }
}

void WatchedScriptPanel::refreshButtons() {
    const bool can = m_command && !m_controller.isLive();
    const QString reason = m_controller.isLive()
                               ? tr("The script is running: wait until it ends, or stop it first")
                               : tr("The run directory does not contain the command: use Run > Watch a "
                                    "script");
    m_watch->setEnabled(can);
    m_watch->setToolTip(can ? tr("Start this command again and record it in a new run directory") : reason);
    m_check->setEnabled(can);
    m_check->setToolTip(can ? tr("Start this command, end it after 50 steps of each rank, and show the findings")
                            : reason);
    m_output->setVisible(!m_directory.isEmpty() && QFileInfo::exists(outputFile()));
    m_output->setToolTip(tr("Open %1, which contains the output of the script").arg(outputFile()));
}

}  // namespace ringside
