// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/launch_dialog.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <array>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/text/shell_word.h"
#include "cluster/job_queue_text.h"
#include "dialogs/dialogs.h"
#include "models/experiment_model.h"
#include "theme/dialog_size.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr TypePixels kScriptFont{12};
constexpr QSize kLaunchSize{900, 600};
constexpr TypePixels kSideWidth{150};
constexpr TypePixels kFieldWidth{140};
constexpr int kMaxNodes = 4096;
constexpr int kMaxMinutes = 100000;
constexpr int kMaxSeeds = 1000;

// Entry in the dialog's list of launchers: the launcher for the job script (null: this computer, without a script), its
// title, whether the dialog shows a field for the time limit (times) and for host names (hosts), and its description.
struct Way {
    std::optional<JobLauncher> launcher;
    const char* title;
    bool times, hosts;
    const char* about;
};

constexpr std::array kWays = {
    Way{std::nullopt, QT_TRANSLATE_NOOP("launch", "This computer"), false, false,
        QT_TRANSLATE_NOOP("launch", "All ranks are processes of this computer. No other program is needed.")},
    Way{JobLauncher::kSsh, QT_TRANSLATE_NOOP("launch", "Hosts via ssh"), false, true,
        QT_TRANSLATE_NOOP("launch",
                          "ringsidectl starts the ranks through ssh, without a password. The program, the experiment "
                          "and the data must have the same paths on all hosts. Rank 0 runs on the first host.")},
    Way{JobLauncher::kSlurm, QT_TRANSLATE_NOOP("launch", "Slurm"), true, false,
        QT_TRANSLATE_NOOP(
            "launch",
            "A Slurm job that saves a checkpoint before its time limit, requests a restart and resumes. Fill "
            "in the lines that your site needs.")},
    Way{JobLauncher::kPbs, QT_TRANSLATE_NOOP("launch", "PBS"), true, false,
        QT_TRANSLATE_NOOP(
            "launch",
            "A PBS job that saves a checkpoint before its time limit, submits itself again and resumes. Fill "
            "in the lines that your site needs.")},
    Way{JobLauncher::kTorchrun, QT_TRANSLATE_NOOP("launch", "torchrun"), false, false,
        QT_TRANSLATE_NOOP("launch", "PyTorch's launcher starts the ranks and restarts them after a failure.")},
    Way{JobLauncher::kMpirun, QT_TRANSLATE_NOOP("launch", "mpirun"), false, true,
        QT_TRANSLATE_NOOP("launch", "Open MPI starts the ranks on the hosts.")},
};

// Returns the program that must be installed on this computer to use the launcher.
QString submittingProgram(JobLauncher launcher) {
    switch (launcher) {
        case JobLauncher::kSlurm:
            return QStringLiteral("sbatch");
        case JobLauncher::kPbs:
            return QStringLiteral("qsub");
        case JobLauncher::kTorchrun:
        case JobLauncher::kMpirun:
        case JobLauncher::kSsh:
            break;
    }
    return QString::fromStdString(textOf(launcher));
}

QString translated(const char* text) {
    return QCoreApplication::translate("launch", text);
}

// Replaces configuration paths in the text, such as "parallel.world_size", by the labels of the experiment form, and
// options of `ringsidectl export`, such as "--nodes", by the labels of this dialog.
QString inFieldWords(QString text) {
    text.replace(QStringLiteral("--nodes"), LaunchDialog::tr("Nodes"));
    text.replace(QStringLiteral("--seeds"), LaunchDialog::tr("Number of seeds"));
    text.replace(QStringLiteral("--time"), LaunchDialog::tr("Time limit"));
    return inFormWords(text);
}

QString newFolder(const QString& name) {
    QString plain;
    for (const QChar c : name) plain += c.isLetterOrNumber() ? c : QLatin1Char('-');
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss"));
    QString base = QDir::currentPath();
    if (!QFileInfo(base).isWritable()) base = QDir::homePath();
    return base + QStringLiteral("/jobs/") + stamp + QLatin1Char('-') + plain;
}

}  // namespace

LaunchDialog::LaunchDialog(ExperimentModel& experiment, Dialogs& dialogs, const QString& controlProgram,
                           QWidget* parent)
    : QDialog(parent),
      m_experiment(experiment),
      m_dialogs(dialogs),
      m_control(controlProgram),
      m_folder(newFolder(QString::fromStdString(experiment.config().name))),
      m_ways(new QListWidget(this)),
      m_about(new QLabel(this)),
      m_nodes(new QSpinBox(this)),
      m_minutes(new QSpinBox(this)),
      m_seeds(new QSpinBox(this)),
      m_hosts(new QLineEdit(this)),
      m_problem(new QLabel(this)),
      m_script(new QPlainTextEdit(this)),
      m_state(new QLabel(this)),
      m_save(new QPushButton(tr("Save script..."), this)),
      m_go(new QPushButton(this)) {
    setObjectName(QStringLiteral("launchDialog"));
    setWindowTitle(tr("Launch"));
    setAttribute(Qt::WA_DeleteOnClose);
    buildLayout();
    for (QSpinBox* box : {m_nodes, m_minutes, m_seeds})
        connect(box, &QSpinBox::valueChanged, this, &LaunchDialog::refresh);
    connect(m_hosts, &QLineEdit::textChanged, this, &LaunchDialog::refresh);
    connect(m_ways, &QListWidget::currentRowChanged, this, &LaunchDialog::refresh);
    connect(&experiment, &ExperimentModel::configChanged, this, &LaunchDialog::refresh);
    connect(&experiment, &ExperimentModel::fileChanged, this, &LaunchDialog::refresh);
    connect(&experiment.undoStack(), &QUndoStack::cleanChanged, this, &LaunchDialog::refresh);
    connect(m_save, &QPushButton::clicked, this, &LaunchDialog::saveScript);
    connect(m_go, &QPushButton::clicked, this, &LaunchDialog::startSelectedAction);
    connect(&m_follower, &JobFollower::stateChanged, this, [this](const QString& state) {
        m_state->setText(state);
        m_go->setEnabled(false);  // after a failure, refresh() enables the button again
        m_go->setToolTip(whyStartIsDisabled());
    });
    connect(&m_follower, &JobFollower::failed, this, [this](const QString& why) {
        m_state->setText(why);
        refresh();
    });
    connect(&m_follower, &JobFollower::runBegan, this, [this](const QString& directory) {
        Q_EMIT runBegan(directory);
        close();
    });
    m_ways->setCurrentRow(0);
    resizeDialog(*this, kLaunchSize);
}

QWidget* LaunchDialog::buildSide() {
    m_ways->setObjectName(QStringLiteral("launchWaysList"));
    m_ways->setAccessibleName(tr("Launcher"));
    m_ways->setToolTip(tr("Program that starts the ranks"));
    m_ways->setFixedWidth(kSideWidth);
    for (const Way& way : kWays) m_ways->addItem(translated(way.title));
    return m_ways;
}

QFormLayout* LaunchDialog::buildFields() {
    m_nodes->setObjectName(QStringLiteral("launchNodesSpin"));
    m_nodes->setRange(1, kMaxNodes);
    m_nodes->setToolTip(tr("Number of computers (nodes). Each node gets the same number of ranks."));
    m_minutes->setObjectName(QStringLiteral("launchMinutesSpin"));
    m_minutes->setRange(1, kMaxMinutes);
    m_minutes->setValue(60);
    m_minutes->setSuffix(tr(" min"));
    m_minutes->setToolTip(tr("Wall-clock limit of one job. The job saves a checkpoint two minutes before this limit."));
    m_seeds->setObjectName(QStringLiteral("launchSeedsSpin"));
    m_seeds->setRange(1, kMaxSeeds);
    m_seeds->setToolTip(tr(
        "The seeds (training.seed) start at 0. For more than one seed, the script is a job array with one run for each "
        "seed."));
    m_hosts->setObjectName(QStringLiteral("launchHostsEdit"));
    m_hosts->setPlaceholderText(tr("node1, node2"));
    m_hosts->setToolTip(tr("Host names, one for each node, separated by commas"));
    m_fields = new QFormLayout;
    m_fields->setHorizontalSpacing(Theme::kSpace4);
    m_fields->setVerticalSpacing(Theme::kSpace2);
    m_fields->addRow(tr("Hosts"), m_hosts);
    m_fields->addRow(tr("Nodes"), m_nodes);
    m_fields->addRow(tr("Time limit"), m_minutes);
    m_fields->addRow(tr("Number of seeds"), m_seeds);
    for (QSpinBox* box : {m_nodes, m_minutes, m_seeds}) box->setMaximumWidth(kFieldWidth);
    m_hosts->setAccessibleName(tr("Hosts"));
    m_nodes->setAccessibleName(tr("Nodes"));
    m_minutes->setAccessibleName(tr("Time limit in minutes"));
    m_seeds->setAccessibleName(tr("Number of seeds"));
    return m_fields;
}

void LaunchDialog::buildLayout() {
    m_about->setObjectName(QStringLiteral("launchAboutLabel"));
    m_about->setWordWrap(true);
    m_problem->setObjectName(QStringLiteral("launchProblemLabel"));
    m_problem->setProperty("role", "problem");
    m_problem->setWordWrap(true);
    m_script->setObjectName(QStringLiteral("launchScriptView"));
    m_script->setAccessibleName(tr("Script"));
    m_script->setReadOnly(true);
    m_script->setLineWrapMode(QPlainTextEdit::NoWrap);
    followType(*m_script, [this] {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPixelSize(kScriptFont);
        m_script->setFont(font);
    });
    m_state->setObjectName(QStringLiteral("launchStateLabel"));
    m_state->setProperty("role", "muted");
    m_state->setWordWrap(true);
    m_save->setObjectName(QStringLiteral("saveScriptButton"));
    m_go->setObjectName(QStringLiteral("launchButton"));
    m_go->setProperty("role", "accent");
    m_go->setDefault(true);
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("closeLaunchButton"));
    close->setToolTip(tr("Close this dialog; a submitted job continues"));
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_state, 1);
    buttons->addWidget(close);
    buttons->addWidget(m_save);
    buttons->addWidget(m_go);
    auto* right = new QVBoxLayout;
    right->setSpacing(Theme::kSpace3);
    right->addWidget(m_about);
    right->addLayout(buildFields());
    right->addWidget(m_problem);
    right->addWidget(m_script, 1);
    right->addLayout(buttons);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    row->setSpacing(Theme::kSpace4);
    row->addWidget(buildSide());
    row->addLayout(right, 1);
    QWidget* before = m_ways;  // sets the tab order to the order on screen
    for (QWidget* next :
         std::initializer_list<QWidget*>{m_hosts, m_nodes, m_minutes, m_seeds, m_script, close, m_save, m_go}) {
        setTabOrder(before, next);
        before = next;
    }
}

std::optional<JobLauncher> LaunchDialog::launcher() const {
    const int row = std::max(0, m_ways->currentRow());
    return kWays[static_cast<std::size_t>(row)].launcher;
}

JobRequest LaunchDialog::request() const {
    JobRequest request;
    request.config = m_experiment.resolvedConfig();
    request.experiment = (m_folder + QStringLiteral("/experiment.json")).toStdString();
    request.worker = (QFileInfo(m_control).absolutePath() + QStringLiteral("/ringside-worker")).toStdString();
    const Way& way = kWays[static_cast<std::size_t>(std::max(0, m_ways->currentRow()))];
    request.nodes = m_nodes->value();
    if (way.times) request.minutes = m_minutes->value();
    if (way.times) request.seeds = m_seeds->value();
    if (!way.hosts) return request;
    for (const QString& host : m_hosts->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
        request.hosts.push_back(host.trimmed().toStdString());
    if (!request.hosts.empty()) request.nodes = static_cast<std::int64_t>(request.hosts.size());
    return request;
}

// Returns the reason why the button that submits or starts the script is disabled; empty if it is enabled.
QString LaunchDialog::whyStartIsDisabled() const {
    if (m_follower.isFollowing()) return tr("Ringside is watching this job.");
    const std::optional<JobLauncher> way = launcher();
    if (!way) return {};
    const QString program = submittingProgram(*way);
    if (!QStandardPaths::findExecutable(program).isEmpty()) return {};
    return tr("%1 is not installed here: save the script and copy it to a computer that has it.").arg(program);
}

// Returns the command that runs the experiment in a terminal. The command reads the experiment's file; if the file does
// not exist or does not contain the settings of the form, returns the reason and the remedy as comment lines.
QString LaunchDialog::terminalCommand() const {
    const QString file = m_experiment.filePath();
    const QString remedy = tr("Save the experiment, and the terminal command appears here.");
    if (file.isEmpty())
        return tr("# The experiment is not saved to a file, so no terminal command can run it.\n# %1").arg(remedy);
    if (!QFileInfo::exists(file)) return tr("# The file %1 no longer exists.\n# %2").arg(file, remedy);
    if (m_experiment.isModified())
        return tr("# The file %1 is older than the settings in the form.\n# %2").arg(file, remedy);
    const auto word = [](const QString& text) { return QString::fromStdString(shellWord(text.toStdString())); };
    return tr("# Command for the same run in a terminal:\n%1")
        .arg(word(m_control) + QStringLiteral(" run ") + word(file));
}

void LaunchDialog::refresh() {
    const Way& way = kWays[static_cast<std::size_t>(std::max(0, m_ways->currentRow()))];
    const std::optional<JobLauncher> name = launcher();
    const bool here = !name;
    m_about->setText(translated(way.about));
    const bool hasHosts = way.hosts && !m_hosts->text().trimmed().isEmpty();
    m_fields->setRowVisible(m_hosts, way.hosts);
    m_fields->setRowVisible(m_nodes, !here && !hasHosts);
    m_fields->setRowVisible(m_minutes, way.times);
    m_fields->setRowVisible(m_seeds, way.times);
    QString problem;
    if (!m_experiment.problems().empty())
        problem = inFormWords(QString::fromStdString(m_experiment.problems().front().text()));
    const bool queue = name && !submitCommand(*name, {}).isEmpty();
    if (here) {
        m_script->setPlainText(terminalCommand());
    } else if (problem.isEmpty()) {
        const Result<std::string> script = jobScript(*name, request());
        if (script) m_script->setPlainText(QString::fromStdString(script.value()));
        if (!script) problem = inFieldWords(QString::fromStdString(script.problem().text()));
    }
    const QString missing = whyStartIsDisabled();
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (!m_follower.isFollowing() && !missing.isEmpty()) m_state->setText(missing);
    m_save->setVisible(!here);
    m_save->setEnabled(problem.isEmpty());
    m_save->setToolTip(tr("Save the script and the experiment in one folder"));
    m_go->setText(here ? tr("Run") : queue ? tr("Submit") : tr("Start"));
    m_go->setEnabled(problem.isEmpty() && missing.isEmpty());
    m_go->setToolTip(!problem.isEmpty()   ? problem
                     : !missing.isEmpty() ? missing
                     : here               ? tr("Start one process per rank and train")
                     : queue              ? tr("Submit the script to the queue, and watch the run when it starts")
                                          : tr("Run the script here, and watch the run when it starts"));
    if (missing.isEmpty() && !m_follower.isFollowing() && !here)
        m_state->setText(tr("Folder for script, experiment and results: %1").arg(m_folder));
    if (here) m_state->clear();
}

// Writes the script and a copy of the experiment, which the script refers to, into one folder.
bool LaunchDialog::writeScript(const QString& path) {
    JobRequest job = request();
    const QString folder = QFileInfo(path).absolutePath();
    job.experiment = (folder + QStringLiteral("/experiment.json")).toStdString();
    const Result<std::string> script = jobScript(launcher().value(), job);
    if (!script) return false;
    try {
        if (!QDir().mkpath(folder)) throw IoError("the folder " + folder.toStdString() + " cannot be created");
        writeFileAtomically(job.experiment, job.config.toText(2) + "\n");
        writeFileAtomically(path.toStdString(), script.value());
    } catch (const IoError& error) {
        m_state->setText(QString::fromUtf8(error.what()));
        return false;
    }
    return true;
}

void LaunchDialog::saveScript() {
    m_dialogs.saveFile(tr("Save the job's script"), QDir::currentPath() + QStringLiteral("/job.sh"),
                       tr("Scripts (*.sh)"), [this](const QString& path) {
                           if (path.isEmpty() || !writeScript(path)) return;
                           m_state->setText(tr("Saved %1 and the experiment in the same folder").arg(path));
                       });
}

void LaunchDialog::startSelectedAction() {
    const std::optional<JobLauncher> way = launcher();
    if (!way) {
        Q_EMIT localRunWanted();
        close();
        return;
    }
    const QString script = m_folder + QStringLiteral("/job.sh");
    if (!writeScript(script)) return;
    submitCommand(*way, script).isEmpty() ? m_follower.start(script) : m_follower.submit(*way, script);
    refresh();
}

}  // namespace ringside
