// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <optional>

#include "config/run_config.h"

namespace ringside {

// Predicted and measured numbers of a strategy, as `ringsidectl strategies --measure` reports them.
struct StrategyFigures {
    std::optional<double> expectedMs = {};
    std::optional<double> expectedSamplesPerSecond = {};
    std::optional<double> measuredMs = {};
    std::optional<double> measuredSamplesPerSecond = {};
    std::optional<double> measuredIdleShare = {};
    QString limitedBy = {};
    QString note = {};     // remark on the measurement, such as that the loss diverged; empty if there is none
    QString problem = {};  // reason why there is no measurement; empty if there is one
};

// Result of a test whether training with a strategy ends with exactly the same weights as training with another
// strategy.
struct StrategyProof {
    std::optional<bool> equal;
    QString reference;
    QString text;  // first step and tensor that differ, or the reason why the strategy could not be tested
};

// Measures or proves strategies with a child process, `ringsidectl strategies` or `ringsidectl prove`, because the
// window's process does not train. The child process receives SIGTERM when this object is destroyed.
class StrategyProcess final : public QObject {
    Q_OBJECT
  public:
    explicit StrategyProcess(const QString& controlProgram, QObject* parent = nullptr);
    ~StrategyProcess() override;

    bool isBusy() const { return m_process != nullptr; }
    bool isProving() const { return m_proving; }
    void measure(const RunConfig& config);
    void prove(const RunConfig& config, const QStringList& strategies, int steps);
    void stop();

  Q_SIGNALS:
    void measured(const QString& strategy, const ringside::StrategyFigures& figures);
    void proved(const QString& strategy, const ringside::StrategyProof& proof);
    void failed(const QString& sentence);
    void over();

  private:
    void start(const RunConfig& config, const QStringList& arguments);
    void readLines();
    void parseLine(const QByteArray& line);
    void finished(int exitCode, QProcess::ExitStatus status);
    void dropProcess();

    QString m_program;
    QProcess* m_process = nullptr;
    QByteArray m_pending;
    bool m_proving = false;
};

}  // namespace ringside
