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

// The edited experiment: a RunConfig with undo, its problems, its file, and its data set, which is loaded on a worker
// thread after each change of the data section.
class ExperimentModel : public QObject {
    Q_OBJECT
  public:
    static constexpr std::chrono::milliseconds kSlow{300};

    // `slowAfter` is the loading time after which loadingSlowly() is emitted.
    explicit ExperimentModel(QObject* parent = nullptr, std::chrono::milliseconds slowAfter = kSlow);
    ~ExperimentModel() override;

    const RunConfig& config() const { return m_config; }
    // Applies an edit as one undo step. Successive edits of the same field (a JSON path) are merged into one.
    void edit(const RunConfig& next, const QString& field);
    void replace(const RunConfig& config, const QString& filePath);  // replaces the experiment by a new or opened one;
                                                                     // clears the undo history

    // Returns all problems: of the form's inputs, the settings, the model, the shard plan and the data set.
    const Problems& problems() const { return m_problems; }
    // Returns the first problem of the field (a JSON path), or null.
    const Problem* problemOf(const std::string& field) const;
    // Sets the problem of an input that no configuration can hold, such as "12x" for a number. An empty message removes
    // the problem of this field.
    void setInputProblem(const std::string& field, const QString& message, const QString& remedy);

    QString filePath() const { return m_filePath; }
    void setHost(const HostDevices& host);  // sets the devices of this computer, including its GPUs
    // Returns the devices and the backend that a run on this computer would use, with reasons.
    ComputeChoice compute() const { return chooseCompute(m_config, m_host); }
    // Returns the configuration with absolute file paths, valid from any working directory.
    RunConfig resolvedConfig() const;
    void setSaved(const QString& filePath);
    // Offers data that is already loaded, with an absolute path. The next load uses this data if the data section is
    // then equal to `config`; otherwise the offer expires.
    void offerData(const DatasetConfig& config, const DataSplit& data) { m_offered = {config, data}; }
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }

    // Returns the data; null if the data set has a problem or no data is loaded yet.
    const DataSplit* data() const { return m_data ? &*m_data : nullptr; }
    bool isLoadingData() const { return m_loading; }
    // True if a load has lasted longer than `slowAfter`. During every load, data() returns the previous data.
    bool isLoadingSlowly() const { return m_loading && !m_slow.isActive(); }

  Q_SIGNALS:
    void configChanged();  // emitted after a change of the configuration or only of its problems
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
    QThreadPool m_loader;         // pool of one thread; its destructor waits, so that no load outlives this object
};

}  // namespace ringside
