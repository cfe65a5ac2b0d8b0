// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/window_tools.h"

#include <QApplication>
#include <QClipboard>
#include <filesystem>

#include "base/system/resource_directory.h"
#include "commands/command_palette.h"
#include "commands/keys_dialog.h"
#include "commands/setting_commands.h"
#include "devices/devices_dialog.h"
#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "experiment/model_summary_dialog.h"
#include "help/help_dialog.h"
#include "identity/text_source.h"
#include "loading/loader_sweep_dialog.h"
#include "main_window/actions/window_actions.h"
#include "main_window/bars/experiment_dock.h"
#include "main_window/bars/time_controls.h"
#include "pages/navigator.h"
#include "words/field_text.h"

namespace ringside {

WindowTools::WindowTools(const Dependencies& dependencies, QWidget& window)
    : QObject(&window), m_in(dependencies), m_window(window) {
    connectActions();
    connect(&m_in.dock.form(), &ExperimentForm::summaryRequested, this, &WindowTools::showModelSummary);
    connect(&m_in.dock.form(), &ExperimentForm::sweepRequested, this, &WindowTools::showLoaderSweep);
}

void WindowTools::connectActions() {
    const WindowActions& a = m_in.actions;
    connect(a.palette, &QAction::triggered, this, &WindowTools::showFinder);
    connect(a.help, &QAction::triggered, this, &WindowTools::showHelpOnControl);
    connect(a.documents, &QAction::triggered, this, [this] { showHelp(topicOf(nullptr)); });
    connect(a.copy, &QAction::triggered, this, &WindowTools::copyAsText);
    connect(a.otherPart, &QAction::triggered, this, &WindowTools::moveKeyboard);
    connect(a.devices, &QAction::triggered, this, &WindowTools::showDevices);
    connect(a.modelSummary, &QAction::triggered, this, &WindowTools::showModelSummary);
    connect(a.keys, &QAction::triggered, this, &WindowTools::showKeys);
    connect(a.about, &QAction::triggered, this, &WindowTools::showAbout);
}

// Opens the command finder with all commands: those of the window, the exports of the visible page, the speeds of the
// run, and the settings of the experiment form.
void WindowTools::showFinder() {
    auto* owner = new QObject;
    const auto showSetting = [this](const char* path) {
        m_in.dock.show();
        m_in.dock.form().focusSetting(path);
    };
    const QList<QAction*> all = m_in.actions.all() + m_in.pages.current().exportActions() +
                                m_in.timeControls.speedCommands(owner) +
                                settingCommands(m_in.experiment, showSetting, owner);
    auto* finder = new CommandPalette(
        all, &m_window, [this, owner](const QString& typed) { return numberCommands(m_in.experiment, typed, owner); });
    // Deletes `owner`, which owns the commands of this finder, when the finder is destroyed.
    connect(finder, &QObject::destroyed, owner, &QObject::deleteLater);
    finder->open();
}

// Shows the documentation of the control that has the keyboard focus. If no control has the focus, shows the
// documentation of the current page.
void WindowTools::showHelpOnControl() {
    const QWidget* control = QApplication::focusWidget();
    const bool isWindow = control == &m_window || (control != nullptr && control->isAncestorOf(&m_in.pages.current()));
    showHelp(topicOf(isWindow ? &m_in.pages.current() : control));
}

void WindowTools::showHelp(const HelpTopic& topic) {
    const Result<std::filesystem::path> folder = resourcePath("docs");
    if (!folder) {
        Q_EMIT failed(QString::fromStdString(folder.problem().text()));
        return;
    }
    auto* dialog = m_window.findChild<HelpDialog*>();
    if (dialog == nullptr) dialog = new HelpDialog(QString::fromStdString(folder.value().string()), &m_window);
    dialog->show(topic);
}

void WindowTools::showModelSummary() {
    auto* dialog = m_window.findChild<ModelSummaryDialog*>();
    if (!dialog) dialog = new ModelSummaryDialog(m_in.experiment, &m_window);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void WindowTools::showLoaderSweep() {
    (new LoaderSweepDialog(m_in.experiment, m_in.theme, m_in.controlProgram, &m_window))->show();
}

void WindowTools::showDevices() {
    (new DevicesDialog(m_in.experiment, m_in.devices, m_in.theme, &m_window))->show();
}

void WindowTools::showKeys() {
    (new KeysDialog(m_in.actions.all(), m_in.pages.pages(), &m_window))->open();
}

void WindowTools::showAbout() {
    m_in.dialogs.showQuestion(
        {tr("About Ringside"),
         tr("Ringside %1\n\nSee and run distributed training.\n\nThe window is GPL-3.0-or-later, the engine "
            "Apache-2.0. The digits: Alpaydin and Kaynak, UCI Machine Learning Repository, CC BY 4.0.")
             .arg(QCoreApplication::applicationVersion()),
         {tr("Close")}},
        [](int) {});
}

void WindowTools::copyAsText() {
    QString text = textAround(QApplication::focusWidget());
    if (text.isEmpty()) text = m_in.pages.current().copyText();
    if (text.isEmpty()) {
        Q_EMIT messageReady(tr("There are no numbers to copy here"));
        return;
    }
    QApplication::clipboard()->setText(text);
    const qsizetype lines = text.count(QLatin1Char('\n'));
    Q_EMIT messageReady(lines == 1 ? tr("Copied 1 line")
                        : lines <= kMaxCopiedRows
                            ? tr("Copied %1 lines").arg(lines)
                            : tr("Copied the first %1 rows. To save all rows, choose More > Save the view as CSV.")
                                  .arg(groupedText(kMaxCopiedRows)));
}

// Moves the keyboard focus from the form to the page or, if the form does not have it, to the form.
void WindowTools::moveKeyboard() {
    m_in.dock.hasKeyboard() ? m_in.pages.focusPage() : m_in.dock.focusForm();
}

}  // namespace ringside
