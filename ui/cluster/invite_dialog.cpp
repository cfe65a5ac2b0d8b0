// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/invite_dialog.h"

#include <QClipboard>
#include <QCloseEvent>
#include <QFile>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "launch/wire/own_addresses.h"
#include "models/experiment_model.h"
#include "theme/dialog_size.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr QSize kInviteSize{820, 520};
constexpr int kMaxRanks = 256;

QLabel* wrapped(const QString& text, const char* name, const char* role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setObjectName(QLatin1String(name));
    label->setProperty("role", role);
    label->setWordWrap(true);
    return label;
}

QString stateText(const ClassroomCard& card) {
    if (card.state == QStringLiteral("away")) return QObject::tr("not connected");
    if (card.state == QStringLiteral("rank")) return QObject::tr("rank %1").arg(card.rank);
    return card.state == QStringLiteral("ready") ? QObject::tr("ready") : QObject::tr("receiving data");
}

}  // namespace

InviteDialog::InviteDialog(ExperimentModel& experiment, const QString& controlProgram, QWidget* parent)
    : QDialog(parent), m_experiment(experiment), m_pages(new QStackedWidget(this)), m_process(controlProgram) {
    setObjectName(QStringLiteral("inviteDialog"));
    setWindowTitle(tr("Invite ranks"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_pages->addWidget(buildPlan());
    m_pages->addWidget(buildLobby());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace4);
    column->addWidget(m_pages);
    connect(&m_process, &ClassroomProcess::opened, this, &InviteDialog::showCode);
    connect(&m_process, &ClassroomProcess::changed, this, &InviteDialog::showClassroom);
    connect(&m_process, &ClassroomProcess::messageReceived, this,
            [this](const QString&, const QString& text) { m_note->setText(text); });
    connect(&m_process, &ClassroomProcess::runBegan, this, &InviteDialog::runBegan);
    connect(&m_process, &ClassroomProcess::ended, this, &InviteDialog::showVerdict);
    resizeDialog(*this, kInviteSize);
}

QWidget* InviteDialog::buildPlan() {
    auto* page = new QWidget(this);
    const ParallelConfig& parallel = m_experiment.config().parallel;
    m_address = new QComboBox(page);
    m_address->setObjectName(QStringLiteral("inviteAddressCombo"));
    m_address->setAccessibleName(tr("Address"));
    m_address->setToolTip(
        tr("Address of this computer on the network that the other computers use. Ringside accepts connections at this "
           "address only."));
    for (const OwnAddress& own : ownAddresses())
        m_address->addItem(
            tr("%1   (%2)").arg(QString::fromStdString(own.address), QString::fromStdString(own.interface)),
            QString::fromStdString(own.address));
    m_address->addItem(tr("127.0.0.1   (this computer only, for trying it out)"), QStringLiteral("127.0.0.1"));
    m_ranks = new QSpinBox(page);
    m_ranks->setObjectName(QStringLiteral("inviteRanksSpin"));
    m_ranks->setAccessibleName(tr("Number of computers"));
    m_ranks->setRange(2, kMaxRanks);
    m_ranks->setValue(static_cast<int>(std::max<std::int64_t>(2, parallel.worldSize)));
    m_ranks->setToolTip(
        tr("Including this computer. Each computer is one rank. The run starts when all computers have joined, or when "
           "you click Start now."));
    m_least = new QSpinBox(page);
    m_least->setObjectName(QStringLiteral("inviteLeastSpin"));
    m_least->setAccessibleName(tr("Minimum ranks"));
    m_least->setRange(0, kMaxRanks);
    m_least->setSpecialValueText(tr("all"));
    m_least->setValue(static_cast<int>(parallel.minRanks));
    m_least->setToolTip(
        tr("If a computer is lost, the other computers wait for it. If it does not return, they continue from the last "
           "complete epoch when at least this many computers remain."));
    m_name = new QLineEdit(tr("Teacher"), page);
    m_name->setObjectName(QStringLiteral("inviteNameEdit"));
    m_name->setAccessibleName(tr("This computer's name"));
    m_name->setToolTip(tr("Name of this computer on the card of rank 0"));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(Theme::kSpace4);
    form->setVerticalSpacing(Theme::kSpace2);
    form->addRow(tr("Address"), m_address);
    form->addRow(tr("Number of computers"), m_ranks);
    form->addRow(tr("Minimum ranks"), m_least);
    form->addRow(tr("This computer's name"), m_name);
    m_problem = wrapped({}, "inviteProblemLabel", "problem", page);
    m_problem->hide();
    m_open = new QPushButton(tr("Open classroom"), page);
    m_open->setObjectName(QStringLiteral("openClassButton"));
    m_open->setProperty("role", "accent");
    m_open->setDefault(true);
    m_open->setToolTip(tr("Show the join code and wait for the other computers"));
    connect(m_open, &QPushButton::clicked, this, &InviteDialog::open);
    auto* close = new QPushButton(tr("Cancel"), page);
    close->setObjectName(QStringLiteral("cancelInviteButton"));
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(close);
    buttons->addWidget(m_open);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::kSpace3);
    column->addWidget(wrapped(tr("Train on other people's computers"), "inviteTitle", "title", page));
    column->addWidget(wrapped(
        tr("Each computer that enters the join code becomes one rank of this experiment and computes on its CPU. It "
           "receives the experiment and its data. Network traffic is not encrypted: use a network that you trust."),
        "inviteAbout", "muted", page));
    column->addLayout(form);
    column->addWidget(m_problem);
    column->addStretch(1);
    column->addLayout(buttons);
    return page;
}

QWidget* InviteDialog::buildInvitation() {
    auto* page = new QWidget(this);
    m_qr = new QrView(page);
    m_code = wrapped({}, "joinCodeLabel", "title", page);
    m_code->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_code->setAlignment(Qt::AlignCenter);
    // The command in this text contains word joiners (U+2060), which prevent a line break inside an option.
    m_how = wrapped(tr("On the other computers: Run > Join in Ringside, or ringsidectl join - %1 NAME, then enter the "
                       "code")
                        .arg(QStringLiteral("-\u2060-\u2060name")),
                    "joinHowLabel", "note", page);
    m_how->setAlignment(Qt::AlignCenter);
    auto* copy = new QPushButton(tr("Copy code"), page);
    copy->setObjectName(QStringLiteral("copyCodeButton"));
    copy->setToolTip(tr("Copy the join code to the clipboard"));
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_joinCode); });
    auto* left = new QVBoxLayout(page);
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(Theme::kSpace2);
    left->addWidget(m_qr, 1);
    left->addWidget(m_code);
    left->addWidget(copy, 0, Qt::AlignCenter);
    left->addWidget(m_how);
    return page;
}

QWidget* InviteDialog::buildLobby() {
    auto* page = new QWidget(this);
    m_invitation = buildInvitation();
    m_news = wrapped({}, "classNewsLabel", "title", page);
    m_members = new QListWidget(page);
    m_members->setObjectName(QStringLiteral("classMembersList"));
    m_members->setAccessibleName(tr("Computers that have joined"));
    m_members->setSelectionMode(QAbstractItemView::NoSelection);
    m_noGuestsLabel = wrapped(tr("No computer has joined yet. Each one appears here with its name."), "noGuestsLabel",
                              "muted", m_members);
    m_noGuestsLabel->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace3, Theme::kSpace3);
    auto* over = new QVBoxLayout(m_members);
    over->addWidget(m_noGuestsLabel);
    over->addStretch(1);
    m_note = wrapped({}, "classNoteLabel", "note", page);
    m_start = new QPushButton(tr("Start now"), page);
    m_start->setObjectName(QStringLiteral("startClassButton"));
    m_start->setProperty("role", "accent");
    connect(m_start, &QPushButton::clicked, this, [this] { m_process.send("start"); });
    m_close = new QPushButton(tr("Cancel"), page);
    m_close->setObjectName(QStringLiteral("closeClassButton"));
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    buttons->addWidget(m_start);
    auto* right = new QVBoxLayout;
    right->setSpacing(Theme::kSpace2);
    right->addWidget(m_news);
    right->addWidget(m_members, 1);
    right->addWidget(m_note);
    right->addLayout(buttons);
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::kSpace5);
    row->addWidget(m_invitation, 1);
    row->addLayout(right, 1);
    return page;
}

void InviteDialog::open() {
    const QString file = m_folder.filePath(QStringLiteral("experiment.json"));
    QFile out(file);
    const std::string text = m_experiment.resolvedConfig().toText(2);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0) {
        m_problem->setText(tr("%1 cannot be written: free some disk space.").arg(file));
        m_problem->show();
        return;
    }
    out.close();
    m_problem->hide();
    m_open->setEnabled(false);
    m_process.start(
        {QStringLiteral("host"), file, QStringLiteral("--lines"), QStringLiteral("--address"),
         m_address->currentData().toString(), QStringLiteral("--ranks"), QString::number(m_ranks->value()),
         QStringLiteral("--min-ranks"), QString::number(m_least->value()),
         QStringLiteral("--name=") + (m_name->text().trimmed().isEmpty() ? tr("Teacher") : m_name->text())});
}

void InviteDialog::showCode(const QString& code, int wanted) {
    m_joinCode = code;
    // a line break after each slash puts the secret at the end of the join code on a line of its own
    m_code->setText(QString(code).replace(QLatin1Char('/'), QStringLiteral("/\n")));
    m_qr->show(code);
    m_invitation->show();
    m_news->setText(tr("Computers still missing: %1").arg(wanted - 1));
    m_pages->setCurrentIndex(1);
    m_start->setEnabled(false);
}

void InviteDialog::showClassroom(const QString& phase, int, const QString& news,
                                 const std::vector<ClassroomCard>& cards) {
    m_phase = phase;
    const bool running = phase == QStringLiteral("running");
    m_news->setText(running ? tr("The run continues in the main window") : news);
    m_members->clear();
    m_noGuestsLabel->setVisible(cards.empty());
    bool anyReady = false;
    for (const ClassroomCard& card : cards) {
        anyReady = anyReady || card.state == QStringLiteral("ready");
        m_members->addItem(QStringLiteral("%1   %2   %3").arg(card.name, stateText(card), card.address));
    }
    m_start->setVisible(!running);
    m_start->setEnabled(anyReady);
    m_start->setToolTip(anyReady ? tr("Start with the computers that are ready") : tr("No computer is ready yet"));
    m_close->setText(running ? tr("Close") : tr("Cancel"));
    m_close->setToolTip(running ? tr("The run continues. To end it, click Stop in the main window")
                                : tr("Close the classroom, so that no computer can join any more"));
}

void InviteDialog::showVerdict(const QString& verdict, int exitCode) {
    m_open->setEnabled(true);
    if (m_pages->currentIndex() == 0) {
        m_problem->setText(verdict);
        m_problem->show();
        return;
    }
    m_phase = QStringLiteral("over");
    m_invitation->hide();
    m_news->setText(exitCode == 0 ? tr("The run has finished") : tr("The classroom is closed"));
    m_note->setText(verdict);
    m_start->hide();
    m_close->setText(tr("Close"));
    m_close->setToolTip({});
}

// While a run is live, only hides the dialog and does not close the classroom, which the run needs.
void InviteDialog::closeEvent(QCloseEvent* event) {
    if (m_phase == QStringLiteral("running") && m_process.isLive()) {
        event->ignore();
        hide();
        return;
    }
    m_process.send("stop");
    event->accept();
}

}  // namespace ringside
