// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <vector>

namespace ringside {

// Computer that has joined a classroom (a group of computers that train one run), as reported by the computer that has
// opened the classroom.
struct ClassroomCard {
    QString name;
    QString address;
    // state of the computer: "fetching" (it receives files), "ready" (it can start), "rank" (it is a rank of the live
    // run) or "away" (the connection to it is lost)
    QString state;
    int rank = -1;
    bool operator==(const ClassroomCard&) const = default;
};

// Opens a classroom, a group of computers that train one run, with `ringsidectl host --lines`, or joins one with
// `ringsidectl join --lines`. Reads the output of this child process line by line. When this object is destroyed: a
// classroom that has started a run continues; a classroom without a run is closed; a computer that has joined leaves.
class ClassroomProcess final : public QObject {
    Q_OBJECT
  public:
    explicit ClassroomProcess(const QString& controlProgram, QObject* parent = nullptr);
    ~ClassroomProcess() override;

    void start(const QStringList& arguments);
    bool isLive() const { return m_process && m_process->state() != QProcess::NotRunning; }
    void send(const QByteArray& word);  // sends "start" or "stop" to `ringsidectl host`, which starts or stops the run
    void leave();  // sends SIGTERM to the child process, which then leaves the classroom, as after Ctrl-C in a terminal

  Q_SIGNALS:
    void opened(const QString& code, int wanted);
    void changed(const QString& phase, int wanted, const QString& news,
                 const std::vector<ringside::ClassroomCard>& cards);
    void messageReceived(const QString& kind, const QString& text);
    void runBegan(const QString& directory);
    void ended(const QString& verdict, int exitCode);  // emitted last, when the child process has ended

  private:
    void readLines();
    void handleLine(const QByteArray& line);
    void handleExit(int exitCode);
    void emitEnded(const QString& verdict, int exitCode);

    QString m_program;
    QProcess* m_process = nullptr;
    QByteArray m_pending;
    bool m_over = true;
};

}  // namespace ringside
