// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/join_dialog.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "launch/classroom/classroom_lines.h"
#include "launch/classroom/join_code.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kJoinWidth = 520;

QString firstName() {
    return qEnvironmentVariable("USER").left(static_cast<int>(kMaxClassName));
}

}  // namespace

JoinDialog::JoinDialog(const QString& controlProgram, QWidget* parent)
    : QDialog(parent),
      m_code(new QLineEdit(this)),
      m_name(new QLineEdit(firstName(), this)),
      m_problem(new QLabel(this)),
      m_state(new QLabel(this)),
      m_news(new QLabel(this)),
      m_join(new QPushButton(tr("Join"), this)),
      m_close(new QPushButton(tr("Close"), this)),
      m_process(controlProgram) {
    setObjectName(QStringLiteral("joinDialog"));
    setWindowTitle(tr("Join a classroom"));
    setAttribute(Qt::WA_DeleteOnClose);
    buildLayout();
    connect(m_code, &QLineEdit::textChanged, this, &JoinDialog::refresh);
    connect(m_name, &QLineEdit::textChanged, this, &JoinDialog::refresh);
    connect(m_join, &QPushButton::clicked, this, &JoinDialog::joinClassroom);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    connect(&m_process, &ClassroomProcess::messageReceived, this, &JoinDialog::showMessage);
    connect(&m_process, &ClassroomProcess::ended, this, &JoinDialog::showVerdict);
    connect(this, &QDialog::finished, this, [this] { m_process.leave(); });
    refresh();
}

void JoinDialog::buildLayout() {
    auto* about = new QLabel(
        tr("This computer becomes one rank of another person's run and computes on its CPU. It receives the experiment "
           "and its data from that person's computer. The other participants see only the name below."),
        this);
    about->setProperty("role", "note");
    about->setWordWrap(true);
    m_code->setObjectName(QStringLiteral("joinCodeEdit"));
    m_code->setAccessibleName(tr("Join code"));
    m_code->setPlaceholderText(QStringLiteral("192.168.1.20:21345/9ZK3P-..."));
    m_code->setToolTip(
        tr("Code below the QR code on the screen of the person who invited you, in upper or lower case"));
    m_name->setObjectName(QStringLiteral("joinNameEdit"));
    m_name->setAccessibleName(tr("Your name"));
    m_name->setMaxLength(static_cast<int>(kMaxClassName));
    m_name->setToolTip(tr("Name that the person who invited you sees on the card of this rank"));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(Theme::kSpace4);
    form->setVerticalSpacing(Theme::kSpace2);
    form->addRow(tr("Join code"), m_code);
    form->addRow(tr("Your name"), m_name);
    m_problem->setObjectName(QStringLiteral("joinProblemLabel"));
    m_problem->setProperty("role", "problem");
    m_state->setObjectName(QStringLiteral("joinStateLabel"));
    m_state->setProperty("role", "title");
    m_news->setObjectName(QStringLiteral("joinNewsLabel"));
    m_news->setProperty("role", "muted");
    for (QLabel* label : {m_problem, m_state, m_news}) label->setWordWrap(true);
    m_join->setObjectName(QStringLiteral("joinButton"));
    m_join->setProperty("role", "accent");
    m_join->setDefault(true);
    m_close->setObjectName(QStringLiteral("leaveButton"));
    m_close->setToolTip(tr("Leave the classroom and close this window"));
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    buttons->addWidget(m_join);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace4);
    column->setSpacing(Theme::kSpace3);
    column->addWidget(about);
    column->addLayout(form);
    column->addWidget(m_problem);
    column->addWidget(m_state);
    column->addWidget(m_news);
    column->addStretch(1);
    column->addLayout(buttons);
    setMinimumWidth(kJoinWidth);
}

void JoinDialog::refresh() {
    const bool live = m_process.isLive();
    const Result<JoinCode> code = JoinCode::parse(m_code->text().toStdString());
    QString problem;
    if (!code && !m_code->text().trimmed().isEmpty()) problem = QString::fromStdString(code.problem().text());
    if (code && m_name->text().trimmed().isEmpty())
        problem = tr("Enter your name. The other participants see it as the name of this rank.");
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty() && !live);
    m_join->setVisible(!live);
    m_join->setEnabled(code.ok() && problem.isEmpty());
    m_join->setToolTip(m_join->isEnabled() ? tr("Connect to the classroom and become one of its ranks")
                                           : tr("Enter the code and your name first"));
    m_code->setEnabled(!live);
    m_name->setEnabled(!live);
    m_close->setText(live ? tr("Leave") : tr("Close"));
    m_state->setVisible(!m_state->text().isEmpty());
    m_news->setVisible(!m_news->text().isEmpty());
    makeRoom();
}

// Enlarges the dialog if its wrapped label has become higher, because the label would otherwise reduce the height of
// the fields above it.
void JoinDialog::makeRoom() {
    layout()->activate();
    const int needed = layout()->totalHeightForWidth(width());
    if (height() < needed) resize(width(), needed);
}

void JoinDialog::joinClassroom() {
    m_state->setText(tr("Connecting to the classroom..."));
    m_news->clear();
    // Passes the join code, which contains the secret of the classroom, over standard input: the command line of a
    // process can be read by other users.
    m_process.start({QStringLiteral("join"), QStringLiteral("-"), QStringLiteral("--name=") + m_name->text().trimmed(),
                     QStringLiteral("--lines")});
    m_process.send(m_code->text().trimmed().toUtf8());
    refresh();
}

void JoinDialog::showMessage(const QString& kind, const QString& text) {
    if (kind == QStringLiteral("news") || kind == QStringLiteral("data")) {
        m_news->setText(text);
    } else if (kind == QStringLiteral("rank")) {
        m_state->setText(tr("Training as %1").arg(text));
    } else if (!text.isEmpty()) {
        m_state->setText(text.left(1).toUpper() + text.mid(1));
    }
    refresh();
}

void JoinDialog::showVerdict(const QString& verdict, int exitCode) {
    m_state->setText(exitCode == 0 ? tr("The classroom is closed") : tr("Not in a classroom"));
    m_news->setText(verdict);
    // Delays refresh() until the event loop runs, because ClassroomProcess::isLive() is still true at this point.
    QMetaObject::invokeMethod(this, &JoinDialog::refresh, Qt::QueuedConnection);
}

}  // namespace ringside
