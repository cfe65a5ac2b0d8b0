// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <optional>

#include "base/result.h"
#include "config/run_config.h"
#include "data/dataset.h"

namespace ringside {

// The experiment being edited: one RunConfig with undo, its problems, its file, and its data set (loaded on a worker
// thread whenever the data section changes).
class ExperimentModel : public QObject {
    Q_OBJECT
  public:
    explicit ExperimentModel(QObject* parent = nullptr);

    const RunConfig& config() const { return m_config; }
    // One undo step; successive edits of the same field (the JSON path) merge into one.
    void edit(const RunConfig& next, const QString& field);
    void replace(const RunConfig& config, const QString& filePath);  // open or new: clears the undo history

    const Problems& problems() const { return m_problems; }  // of validate(), plus the data set's own
    QString filePath() const { return m_filePath; }
    void setSaved(const QString& filePath);
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }

    // Null while loading or when the data set has a problem.
    const DataSplit* data() const { return m_data ? &*m_data : nullptr; }
    bool isLoadingData() const { return m_loading; }

  Q_SIGNALS:
    void configChanged();
    void dataChanged();
    void fileChanged();

  private:
    friend class ConfigEdit;
    void apply(const RunConfig& config);
    void revalidate();
    void loadData();

    RunConfig m_config;
    Problems m_problems;
    std::optional<Problem> m_dataProblem;
    QString m_filePath;
    QUndoStack m_undo;
    std::optional<DataSplit> m_data;
    bool m_loading = false;
    quint64 m_loadNumber = 0;
};

}  // namespace ringside
