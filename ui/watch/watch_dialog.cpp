// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/watch_dialog.h"

#include <QFileInfo>
#include <QFontDatabase>
#include <QFrame>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "dialogs/dialogs.h"
#include "models/run_controller.h"
#include "settings/settings.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "watch/interpreters.h"
#include "watch/watched_command.h"

namespace ringside {
namespace {

constexpr TypePixels kWidth{620};
constexpr TypePixels kLauncherWidth{150};
constexpr TypePixels kCommandFont{12};
constexpr int kMaxRanks = 4096;
constexpr qsizetype kMaxRecent = 8;

void describe(QWidget* control, const char* name, const QString& spoken, const QString& tip) {
    control->setObjectName(QLatin1String(name));
    control->setAccessibleName(spoken);
    control->setToolTip(tip);
}

}  // namespace

WatchDialog::WatchDialog(const RunController& controller, Settings& settings, Dialogs& dialogs, const QString& script,
                         QWidget* parent)
    : QDialog(parent),
      m_controller(controller),
      m_settings(settings),
      m_dialogs(dialogs),
      m_form(new QFormLayout),
      m_script(new QComboBox(this)),
      m_browse(new QPushButton(tr("Browse..."), this)),
      m_arguments(new QLineEdit(this)),
      m_launcher(new QComboBox(this)),
      m_ranks(new QSpinBox(this)),
      m_interpreter(new QComboBox(this)),
      m_command(new QLineEdit(this)),
      m_shown(new WrappedText(this)),
      m_problem(new WrappedText(this)),
      m_watch(new QPushButton(tr("Watch"), this)),
      m_check(new QPushButton(tr("Check 50 steps"), this)) {
    setObjectName(QStringLiteral("watchDialog"));
    setWindowTitle(tr("Watch a script"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    column->setSpacing(Theme::kSpace3);
    auto* about = new WrappedText(this);
    about->setText(
        tr("Ringside runs your PyTorch script as it is and shows which samples each rank trains, how long "
           "each part of a step takes, and mistakes in its distributed training."));
    about->setProperty("role", "muted");
    column->addWidget(about);
    addFields(*m_form);
    column->addLayout(m_form);
    auto* box = new QFrame(this);
    box->setProperty("role", "sentence");
    auto* inner = new QVBoxLayout(box);
    m_shown->setObjectName(QStringLiteral("watchCommandLabel"));
    followType(*m_shown, [this] {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPixelSize(kCommandFont);
        m_shown->setFont(font);
    });
    m_shown->setTextFormat(Qt::PlainText);
    m_shown->setTextInteractionFlags(Qt::TextSelectableByMouse);
    inner->addWidget(m_shown);
    column->addWidget(box);
    m_problem->setObjectName(QStringLiteral("watchProblemLabel"));
    m_problem->setProperty("role", "note");
    m_problem->setTextFormat(Qt::PlainText);
    column->addWidget(m_problem);
    column->addStretch(1);
    column->addWidget(makeButtons());
    connectFields();
    const QStringList recent = settings.get(settings::kRecentScripts);
    m_script->addItems(recent);
    setScript(script.isEmpty() ? recent.value(0) : script);
    m_script->setFocus();
    resize(kWidth, sizeHint().height());
}

void WatchDialog::addFields(QFormLayout& form) {
    form.setHorizontalSpacing(Theme::kSpace3);
    form.setVerticalSpacing(Theme::kSpace2);
    form.setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    describe(m_arguments, "watchArgumentsEdit", tr("Arguments of the script"),
             tr("Arguments of the script, as typed in a terminal: --epochs 10 --batch-size 32"));
    describe(m_interpreter, "watchInterpreterCombo", tr("Python interpreter"),
             tr("Python interpreter with PyTorch. The list contains the virtual environments in the script's folder."));
    describe(m_command, "watchCommandEdit", tr("Whole command"),
             tr("Any command that starts PyTorch processes: torchrun, mpirun, srun, accelerate launch"));
    m_interpreter->setEditable(true);
    m_interpreter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    form.addRow(tr("Script"), makeScriptRow());
    form.addRow(tr("Arguments"), m_arguments);
    form.addRow(tr("Launcher"), makeLauncherRow());
    form.addRow(tr("Interpreter"), m_interpreter);
    form.addRow(tr("Command"), m_command);
}

QWidget* WatchDialog::makeScriptRow() {
    auto* row = new QWidget(this);
    row->setProperty("role", "clear");
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Theme::kSpace2);
    describe(m_script, "watchScriptCombo", tr("Script"), tr("Python script to watch; the list holds recent ones"));
    m_script->setEditable(true);
    m_script->setInsertPolicy(QComboBox::NoInsert);
    m_script->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    describe(m_browse, "watchBrowseButton", tr("Browse for the script"),
             tr("Choose the Python script in a file dialog"));
    m_browse->setAutoDefault(false);
    line->addWidget(m_script, 1);
    line->addWidget(m_browse);
    return row;
}

QWidget* WatchDialog::makeLauncherRow() {
    auto* row = new QWidget(this);
    row->setProperty("role", "clear");
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Theme::kSpace2);
    describe(m_launcher, "watchLauncherCombo", tr("Launcher"), tr("Program that starts the ranks"));
    m_launcher->addItems({QStringLiteral("python"), QStringLiteral("torchrun"), tr("Whole command")});
    m_launcher->setMinimumWidth(kLauncherWidth);
    describe(m_ranks, "watchRanksSpin", tr("Number of ranks"), tr("Processes that torchrun starts on this computer"));
    m_ranks->setRange(1, kMaxRanks);
    m_ranks->setSuffix(tr(" ranks"));
    line->addWidget(m_launcher);
    line->addWidget(m_ranks);
    line->addStretch(1);
    return row;
}

QWidget* WatchDialog::makeButtons() {
    auto* row = new QWidget(this);
    row->setProperty("role", "clear");
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Theme::kSpace2);
    auto* cancel = new QPushButton(tr("Cancel"), row);
    describe(cancel, "watchCancelButton", tr("Cancel"), tr("Close this dialog"));
    m_watch->setObjectName(QStringLiteral("watchStartButton"));
    m_watch->setProperty("role", "accent");
    m_watch->setDefault(true);
    m_check->setObjectName(QStringLiteral("watchCheckButton"));
    for (QPushButton* button : {cancel, m_check}) button->setAutoDefault(false);
    line->addStretch(1);
    line->addWidget(cancel);
    line->addWidget(m_check);
    line->addWidget(m_watch);
    setTabOrder(m_command, cancel);
    setTabOrder(cancel, m_check);
    setTabOrder(m_check, m_watch);
    connect(cancel, &QPushButton::clicked, this, &QDialog::close);
    connect(m_watch, &QPushButton::clicked, this, [this] { startScript(false); });
    connect(m_check, &QPushButton::clicked, this, [this] { startScript(true); });
    return row;
}

void WatchDialog::connectFields() {
    connect(m_browse, &QPushButton::clicked, this, [this] {
        m_dialogs.openFile(tr("Choose a script"), QFileInfo(m_script->currentText()).absolutePath(),
                           tr("Python scripts (*.py);;All files (*)"), [this](const QString& path) {
                               if (!path.isEmpty()) setScript(path);
                           });
    });
    connect(m_script, &QComboBox::currentTextChanged, this, [this] {
        findInterpreters();
        refresh();
    });
    connect(m_interpreter, &QComboBox::currentTextChanged, this, &WatchDialog::refresh);
    for (QLineEdit* edit : {m_arguments, m_command})
        connect(edit, &QLineEdit::textChanged, this, &WatchDialog::refresh);
    connect(m_launcher, &QComboBox::currentIndexChanged, this, &WatchDialog::refresh);
    connect(m_ranks, &QSpinBox::valueChanged, this, &WatchDialog::refresh);
    connect(&m_controller, &RunController::stateChanged, this, &WatchDialog::refresh);
}

// Shows the script. If it is the script that was watched last, also restores its arguments, launcher and interpreter.
void WatchDialog::setScript(const QString& script) {
    const bool isLast = !script.isEmpty() && script == m_settings.get(settings::kRecentScripts).value(0);
    WatchChoice shown;
    if (isLast) shown.takeTexts(m_settings.get(settings::kLastWatch));
    shown.script = script;
    showChoice(shown);
}

void WatchDialog::showChoice(const WatchChoice& choice) {
    m_script->setEditText(choice.script);
    findInterpreters();
    m_arguments->setText(choice.arguments);
    m_launcher->setCurrentIndex(static_cast<int>(choice.launcher));
    m_ranks->setValue(choice.ranks);
    if (!choice.interpreter.isEmpty()) m_interpreter->setEditText(choice.interpreter);
    m_command->setText(choice.command);
    refresh();
}

// Fills the list of interpreters with interpretersFor(). Keeps an interpreter that the user has typed.
void WatchDialog::findInterpreters() {
    const QStringList found = interpretersFor(m_script->currentText(), interpreterPlaces());
    QStringList listed;
    for (int i = 0; i < m_interpreter->count(); ++i) listed << m_interpreter->itemText(i);
    if (listed == found) return;
    const QString typed = m_interpreter->currentText();
    const bool isOwn = !typed.isEmpty() && !listed.contains(typed);
    const QSignalBlocker blocker(m_interpreter);
    m_interpreter->clear();
    m_interpreter->addItems(found);
    if (isOwn) m_interpreter->setEditText(typed);
}

WatchChoice WatchDialog::choice() const {
    return {m_script->currentText().trimmed(),
            m_arguments->text(),
            static_cast<WatchLauncher>(std::max(0, m_launcher->currentIndex())),
            m_ranks->value(),
            m_interpreter->currentText().trimmed(),
            m_command->text()};
}

void WatchDialog::refresh() {
    const WatchChoice chosen = choice();
    const bool isWhole = chosen.launcher == WatchLauncher::kCommand;
    m_ranks->setVisible(chosen.launcher == WatchLauncher::kTorchrun);
    for (QWidget* field : {m_script->parentWidget(), static_cast<QWidget*>(m_arguments),
                           static_cast<QWidget*>(m_interpreter), static_cast<QWidget*>(m_command)}) {
        const bool isShown = (field == m_command) == isWhole;
        field->setVisible(isShown);
        m_form->labelForField(field)->setVisible(isShown);
    }
    const QString problem =
        m_controller.isLive() ? tr("A run is live: wait until it ends, or stop it first.") : chosen.problem();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    // A field for the script or the command that is still empty is not shown as an error.
    const bool isEmpty = isWhole ? chosen.words().isEmpty() : chosen.script.isEmpty();
    setTone(m_problem, !isEmpty || m_controller.isLive() ? "danger" : "");
    m_shown->setText(tr("ringsidectl watch -- %1").arg(commandLine(chosen.words())));
    m_shown->parentWidget()->setVisible(m_controller.isLive() || problem.isEmpty());
    m_shown->setToolTip(tr("The command runs in %1").arg(chosen.folder()));
    for (QPushButton* button : {m_watch, m_check}) button->setEnabled(problem.isEmpty());
    m_watch->setToolTip(problem.isEmpty() ? tr("Start the command and record what its ranks train") : problem);
    m_check->setToolTip(problem.isEmpty()
                            ? tr("Start the command, end it after 50 steps of each rank, and show the findings")
                            : problem);
}

void WatchDialog::startScript(bool isCheck) {
    const WatchChoice chosen = choice();
    if (m_controller.isLive() || !chosen.problem().isEmpty()) return;
    const WatchRequest request = chosen.request(isCheck);
    QStringList recent = m_settings.get(settings::kRecentScripts);
    if (QFileInfo(request.script)
            .isFile()) {  // a whole command may contain no script; if there is one, adds it to the recent scripts
        recent.removeAll(request.script);
        recent.prepend(request.script);
    }
    m_settings.set(settings::kRecentScripts, recent.first(std::min(kMaxRecent, recent.size())));
    m_settings.set(settings::kLastWatch, chosen.toTexts());
    close();
    Q_EMIT watchWanted(request);
}

}  // namespace ringside
