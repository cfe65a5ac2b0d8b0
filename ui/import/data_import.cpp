// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/data_import.h"

#include <QWidget>

#include "import/import_dialog.h"
#include "import/import_sentences.h"
#include "models/experiment_model.h"

namespace ringside {
namespace {

// Returns the kind of model that fits the kind of data. For texts: a transformer. For other data: `model`, or the
// default kind if `model` is a transformer. A model that is a list of layers is kept for all data.
ModelKind modelFor(DatasetKind data, ModelKind model) {
    if (data == DatasetKind::kText) return model == ModelKind::kLayers ? model : ModelKind::kTransformer;
    return model == ModelKind::kTransformer ? RunConfig().model.kind : model;
}

}  // namespace

DataImport::DataImport(ExperimentModel& model, Theme& theme, Dialogs& dialogs, QWidget* window)
    : QObject(window), m_model(model), m_theme(theme), m_dialogs(dialogs), m_window(window) {}

void DataImport::openFile(const QString& path) {
    if (!m_dialog) m_dialog = makeDialog();
    m_dialog->readFile(path, m_model.resolvedConfig().dataset);
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

// Makes the dialog. When the user accepts the data, puts the data set and a kind of model that fits into the
// experiment, as one undo step. If the experiment still has a suggested name, gives it a name that contains the name of
// the data.
ImportDialog* DataImport::makeDialog() {
    auto* dialog = new ImportDialog(m_theme, m_dialogs, m_window);
    connect(dialog, &ImportDialog::used, this,
            [this](const DatasetConfig& chosen, const std::optional<CheckedData>& data) {
                RunConfig config = m_model.config();
                const bool unnamed = config.name == suggestedName(config);
                config.dataset = chosen;
                config.model.kind = modelFor(chosen.kind, config.model.kind);
                if (unnamed) config.name = suggestedName(config);
                if (data) m_model.offerData(data->config, data->split);
                m_model.edit(config, QStringLiteral("dataset"));
            });
    connect(dialog, &ImportDialog::experimentFound, this, &DataImport::experimentFound);
    connect(dialog, &ImportDialog::runDirectoryChosen, this, &DataImport::runDirectoryChosen);
    return dialog;
}

}  // namespace ringside
