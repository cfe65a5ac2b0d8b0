// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/classroom_process.h"

#include <utility>

#include "base/json/json_members.h"
#include "words/failure_cause.h"

namespace ringside {
namespace {

constexpr qsizetype kMaxPending = 1 << 20;

QString textIn(const Json& json, const char* key) {
    return QString::fromStdString(stringIn(json, key));
}

int numberIn(const Json& json, const char* key, int otherwise = 0) {
    const std::optional<std::int64_t> number = integerIn(json, key);
    return number && std::in_range<int>(*number) ? static_cast<int>(*number) : otherwise;
}

std::vector<ClassroomCard> cardsIn(const Json& json) {
    std::vector<ClassroomCard> cards;
    const auto found = json.find("members");
    if (found == json.end() || !found->is_array()) return cards;
    for (const Json& one : *found) {
        if (!one.is_object()) continue;
        cards.push_back({textIn(one, "name"), textIn(one, "address"), textIn(one, "state"), numberIn(one, "rank", -1)});
    }
    return cards;
}

}  // namespace

ClassroomProcess::ClassroomProcess(const QString& controlProgram, QObject* parent)
    : QObject(parent), m_program(controlProgram) {}

// Closes the standard input of the child process and does not wait for the end of the process. At the end of its input,
// `ringsidectl host` closes the classroom if no run was started, and `ringsidectl join` leaves the classroom.
ClassroomProcess::~ClassroomProcess() {
    if (!m_process) return;
    m_process->disconnect(this);
    m_process->setParent(nullptr);
    if (m_process->state() == QProcess::NotRunning) {
        m_process->deleteLater();
        return;
    }
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->closeWriteChannel();
}

void ClassroomProcess::start(const QStringList& arguments) {
    if (isLive()) return;
    delete m_process;
    m_process = new QProcess(this);
    m_pending.clear();
    m_over = false;
    connect(m_process, &QProcess::readyReadStandardOutput, this, &ClassroomProcess::readLines);
    connect(m_process, &QProcess::finished, this, [this](int code) { handleExit(code); });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            emitEnded(tr("%1 cannot be started: build or install Ringside again.").arg(m_program), 2);
    });
    m_process->start(m_program, arguments);
}

void ClassroomProcess::send(const QByteArray& word) {
    if (isLive()) m_process->write(word + '\n');
}

void ClassroomProcess::leave() {
    if (isLive()) m_process->terminate();
}

void ClassroomProcess::readLines() {
    m_pending += m_process->readAllStandardOutput();
    for (qsizetype newline = m_pending.indexOf('\n'); newline >= 0; newline = m_pending.indexOf('\n')) {
        handleLine(m_pending.first(newline));
        m_pending.remove(0, newline + 1);
    }
    if (m_pending.size() > kMaxPending) m_pending.clear();
}

void ClassroomProcess::handleLine(const QByteArray& line) {
    const Result<Json> parsed = parseJson(line.toStdString(), "an output line of ringsidectl");
    if (m_over || !parsed || !parsed.value().is_object()) return;
    const Json& json = parsed.value();
    const QString kind = textIn(json, "kind");
    if (kind == QStringLiteral("code")) return Q_EMIT opened(textIn(json, "code"), numberIn(json, "wanted"));
    if (kind == QStringLiteral("class"))
        return Q_EMIT changed(textIn(json, "phase"), numberIn(json, "wanted"), textIn(json, "news"), cardsIn(json));
    if (kind == QStringLiteral("run")) return Q_EMIT runBegan(textIn(json, "directory"));
    if (kind == QStringLiteral("over"))
        return emitEnded(textIn(json, "text"), numberIn(json, "code", numberIn(json, "number")));
    Q_EMIT messageReceived(kind, textIn(json, "text"));
}

void ClassroomProcess::handleExit(int exitCode) {
    readLines();
    const QString why = failureCause(m_process->readAllStandardError());
    emitEnded(why.isEmpty() ? tr("ringsidectl ended with code %1 and gave no reason.").arg(exitCode) : why, exitCode);
}

void ClassroomProcess::emitEnded(const QString& verdict, int exitCode) {
    if (m_over) return;
    m_over = true;
    Q_EMIT ended(verdict, exitCode);
}

}  // namespace ringside
