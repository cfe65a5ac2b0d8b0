// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <QUndoStack>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "devices/compute_choice.h"

namespace ringside {

// The experiment that the user edits: its RunConfig, undo history, problems, file and data set. After each change of
// the data settings, a worker thread loads the data set.
class ExperimentModel : public QObject {
    Q_OBJECT
  public:
    static constexpr std::chrono::milliseconds kSlow{300};

    // `slowAfter` is the loading time after which loadingSlowly() is emitted.
    explicit ExperimentModel(QObject* parent = nullptr, std::chrono::milliseconds slowAfter = kSlow);
    ~ExperimentModel() override;

    const RunConfig& config() const { return m_config; }
    // Replaces the configuration by `next` as one undo step. `field` is the path of the changed field, such as
    // "parallel.world_size"; successive edits of the same field are merged into one undo step.
    void edit(const RunConfig& next, const QString& field);
    void replace(const RunConfig& config,
                 const QString& filePath);  // replaces the experiment by another one and clears the undo history

    // Returns all problems of the experiment: in the form's inputs, the settings, the model, the shard plan and the
    // data set.
    const Problems& problems() const { return m_problems; }
    // Returns the first problem of a field, such as "parallel.world_size"; null if it has none.
    const Problem* problemOf(const std::string& field) const;
    // Sets the problem of a typed text that is not a value of the field, such as "12x" for a number. An empty message
    // removes the problem.
    void setInputProblem(const std::string& field, const QString& message, const QString& remedy);

    QString filePath() const { return m_filePath; }
    void setHost(const HostDevices& host);  // sets the devices of this computer, including its GPUs
    // Returns the devices and the backend that a run on this computer would use, with reasons.
    ComputeChoice compute() const { return chooseCompute(m_config, m_host); }
    // Returns the configuration with absolute file paths, valid from any working directory.
    RunConfig resolvedConfig() const;
    void setSaved(const QString& filePath);
    // Provides a data set that is already loaded. If the next load is for the same data settings `config`, which must
    // contain an absolute path, it uses this data set; if not, it discards the data set.
    void offerData(const DatasetConfig& config, const DataSplit& data) { m_offered = {config, data}; }
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }

    // Returns the loaded data set; null if the data set has a problem or if none is loaded yet.
    const DataSplit* data() const { return m_data ? &*m_data : nullptr; }
    bool isLoadingData() const { return m_loading; }
    // True while a load takes longer than `slowAfter`. During each load, data() returns the previous data set.
    bool isLoadingSlowly() const { return m_loading && !m_slow.isActive(); }

  Q_SIGNALS:
    void configChanged();  // emitted after a change of the configuration or of its problems
    void dataChanged();
    void loadingSlowly();
    void fileChanged();

  private:
    friend class ConfigEdit;
    void apply(const RunConfig& config);
    void revalidate();
    void loadData();
    Problems modelProblems() const;
    Problem ofField(const Problem& problem) const;
    void deliver(quint64 number, const Result<DataSplit>& loaded);  // receives a loaded data set; callable from any
                                                                    // thread
    void setLoaded(quint64 number, const Result<DataSplit>& loaded);
    std::filesystem::path baseDirectory() const;

    HostDevices m_host = findHostDevices();
    RunConfig m_config;
    Problems m_problems;
    Problems m_inputProblems;
    std::optional<Problem> m_dataProblem;
    QString m_filePath;
    QUndoStack m_undo;
    std::optional<DataSplit> m_data;
    std::optional<std::pair<DatasetConfig, DataSplit>> m_offered;
    bool m_loading = false;
    quint64 m_loadNumber = 0;
    QTimer m_slow;
    std::stop_source m_stopLoad;  // stops the newest load
    QThreadPool m_loader;  // pool of one thread; its destructor waits for the running load, which therefore cannot
                           // outlive this object
};

}  // namespace ringside
