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

// The experiment being edited: one RunConfig with undo, its problems, its file, and its data set (loaded on a worker
// thread whenever the data section changes).
class ExperimentModel : public QObject {
    Q_OBJECT
  public:
    static constexpr std::chrono::milliseconds kSlow{300};

    // slowAfter: how long loading data goes unmentioned.
    explicit ExperimentModel(QObject* parent = nullptr, std::chrono::milliseconds slowAfter = kSlow);
    ~ExperimentModel() override;

    const RunConfig& config() const { return m_config; }
    // One undo step; successive edits of the same field (the JSON path) merge into one.
    void edit(const RunConfig& next, const QString& field);
    void replace(const RunConfig& config, const QString& filePath);  // open or new: clears the undo history

    const Problems& problems() const { return m_problems; }  // of validate(), plus the data set's own
    // First problem of that field (its JSON path), or null.
    const Problem* problemOf(const std::string& field) const;
    // What the form holds but no configuration can, such as "12x" for a number; an empty message clears it.
    void setInputProblem(const std::string& field, const QString& message, const QString& remedy);

    QString filePath() const { return m_filePath; }
    void setHost(const HostDevices& host);  // with its GPUs asked
    // How this machine would carry the run out, with reasons.
    ComputeChoice compute() const { return chooseCompute(m_config, m_host); }
    // The configuration with a data path that means the same file from everywhere.
    RunConfig resolvedConfig() const;
    void setSaved(const QString& filePath);
    // Data that somebody loaded already, from an absolute path: an edit to that data section need not load it again.
    void offerData(const DatasetConfig& config, const DataSplit& data) { m_offered = {config, data}; }
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }

    // Null while loading or when the data set has a problem.
    const DataSplit* data() const { return m_data ? &*m_data : nullptr; }
    bool isLoadingData() const { return m_loading; }
    // For so long that it should be said: until then, data() is that of before.
    bool isLoadingSlowly() const { return m_loading && !m_slow.isActive(); }

  Q_SIGNALS:
    void configChanged();  // also when only the problems changed
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
    void deliver(quint64 number, const Result<DataSplit>& loaded);  // from any thread
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
    std::stop_source m_stopLoad;  // of the newest load
    QThreadPool m_loader;         // one thread; its destructor waits, so no load outlives the model
};

}  // namespace ringside
