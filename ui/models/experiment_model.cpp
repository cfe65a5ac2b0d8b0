// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/experiment_model.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <algorithm>
#include <functional>
#include <utility>

#include "config/config_fields.h"
#include "cost/memory_limit.h"
#include "cost/throttle_limit.h"
#include "data/loading/sample_transforms.h"
#include "devices/memory_check.h"
#include "model/model_description.h"
#include "plan/strategy_plan.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"
#include "words/form_fields.h"

namespace ringside {
// Undoable edit of the experiment. Successive edits of the same field are merged, so that typing "128" is one undo
// step. An edit of several fields, such as the choice of a data file, is never merged.
class ConfigEdit final : public QUndoCommand {
  public:
    ConfigEdit(ExperimentModel& model, RunConfig next, const QString& field)
        : QUndoCommand(inFormWords(field)),
          m_model(model),
          m_before(model.config()),
          m_after(std::move(next)),
          m_field(field) {}

    void undo() override { m_model.apply(m_before); }
    void redo() override { m_model.apply(m_after); }
    int id() const override {
        if (findConfigField(m_field.toStdString()) == nullptr) return -1;
        return static_cast<int>(qHash(m_field) & 0x7FFFFFFFU);
    }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* edit = static_cast<const ConfigEdit*>(other);
        if (edit->m_field != m_field) return false;
        m_after = edit->m_after;
        setObsolete(m_after == m_before);
        return true;
    }

  private:
    ExperimentModel& m_model;
    RunConfig m_before;
    RunConfig m_after;
    QString m_field;
};

namespace {

// Returns the first problem of the data section; empty if there is none. Data with a problem is not loaded, because it
// may need more memory than the computer has.
std::optional<Problem> refusalOfData(const RunConfig& config) {
    for (const Problem& problem : config.validate()) {
        if (problem.field.starts_with("dataset.")) return problem;
    }
    return {};
}

}  // namespace

ExperimentModel::ExperimentModel(QObject* parent, std::chrono::milliseconds slowAfter) : QObject(parent) {
    m_loader.setMaxThreadCount(1);
    m_slow.setSingleShot(true);
    m_slow.setInterval(slowAfter);
    connect(&m_slow, &QTimer::timeout, this, [this] {
        if (m_loading) Q_EMIT loadingSlowly();
    });
    m_undo.setUndoLimit(500);
    revalidate();
    loadData();
}

ExperimentModel::~ExperimentModel() {
    m_stopLoad.request_stop();
    m_loader.clear();
}

void ExperimentModel::edit(const RunConfig& next, const QString& field) {
    if (next == m_config) return;
    m_undo.push(new ConfigEdit(*this, next, field));
}

void ExperimentModel::replace(const RunConfig& config, const QString& filePath) {
    m_undo.clear();
    m_inputProblems.clear();
    m_filePath = filePath;
    m_config = config;
    revalidate();
    loadData();
    Q_EMIT fileChanged();
    Q_EMIT configChanged();
}

void ExperimentModel::setSaved(const QString& filePath) {
    m_filePath = filePath;
    m_undo.setClean();
    Q_EMIT fileChanged();
}

const Problem* ExperimentModel::problemOf(const std::string& field) const {
    const auto found =
        std::find_if(m_problems.begin(), m_problems.end(), [&](const Problem& p) { return p.field == field; });
    return found == m_problems.end() ? nullptr : &*found;
}

void ExperimentModel::setInputProblem(const std::string& field, const QString& message, const QString& remedy) {
    const auto removed = std::erase_if(m_inputProblems, [&](const Problem& p) { return p.field == field; });
    if (removed == 0 && message.isEmpty()) return;
    if (!message.isEmpty()) m_inputProblems.push_back({field, message.toStdString(), remedy.toStdString()});
    revalidate();
    Q_EMIT configChanged();
}

void ExperimentModel::setHost(const HostDevices& host) {
    m_host = host;
    Q_EMIT configChanged();
}

RunConfig ExperimentModel::resolvedConfig() const {
    RunConfig config = m_config;
    for (std::string* path :
         {&config.dataset.path, &config.dataset.labelsPath, &config.training.resume, &config.pipeline.scheduleFile}) {
        if (!path->empty()) *path = std::filesystem::absolute(baseDirectory() / *path).string();
    }
    return config;
}

std::filesystem::path ExperimentModel::baseDirectory() const {
    if (m_filePath.isEmpty()) return {};
    return QFileInfo(m_filePath).absolutePath().toStdString();
}

void ExperimentModel::apply(const RunConfig& config) {
    const bool dataDiffers = config.dataset != m_config.dataset;
    m_config = config;
    if (dataDiffers) loadData();
    revalidate();
    Q_EMIT configChanged();
}

void ExperimentModel::revalidate() {
    m_problems = m_inputProblems;
    const Problems fromConfig = m_config.validateForTraining();
    m_problems.insert(m_problems.end(), fromConfig.begin(), fromConfig.end());
    // Shows a problem of the mesh at the number of ranks, because the form has no field for the mesh.
    for (Problem& problem : m_problems)
        if (problem.field == "mesh")
            problem = {"parallel.world_size", "does not match the mesh, which " + problem.message, problem.remedy};
    if (m_data && fromConfig.empty()) {
        const Problems ofModel = modelProblems();
        m_problems.insert(m_problems.end(), ofModel.begin(), ofModel.end());
        const Problems ofPlan = planProblems(epochSpec(m_config, m_data->training, 0));
        m_problems.insert(m_problems.end(), ofPlan.begin(), ofPlan.end());
        const Problems ofLoader = transformProblems(m_config.loader, m_data->training->shape());
        m_problems.insert(m_problems.end(), ofLoader.begin(), ofLoader.end());
    }
    if (m_dataProblem) m_problems.push_back(*m_dataProblem);
}

// Returns the problems of the model that depend on the data and on this computer.
Problems ExperimentModel::modelProblems() const {
    const Result<ModelDescription> model = describeModel(m_config.model, *m_data->training);
    Problems problems;
    if (!model)
        problems.push_back(model.problem());
    else if (compute().device == DeviceChoice::kCpu)
        problems = checkMemory(model.value(), m_config, m_host);
    if (model) {
        const Result<PlanSubject> subject = planSubject(resolvedConfig(), *m_data);
        const Result<StrategyPlan> plan = subject ? planStrategy(subject.value()) : subject.problem();
        if (subject)
            for (const Problem& one : checkThrottleLimit(subject.value())) problems.push_back(one);
        if (!plan)
            problems.push_back(plan.problem());
        else if (compute().device == DeviceChoice::kCpu)
            for (const Problem& one : checkMemoryLimit(subject.value(), plan.value())) problems.push_back(one);
    }
    for (Problem& problem : problems) {
        constexpr std::string_view kLayers = "model.layers";
        const bool isPlace = problem.field.starts_with(kLayers) && problem.field.size() > kLayers.size();
        if (isPlace) problem.message = problem.field.substr(kLayers.size()) + ' ' + problem.message;
        if (findConfigField(problem.field) == nullptr)
            problem.field = m_config.model.kind == ModelKind::kLayers ? "model.layers" : "model.kind";
    }
    return problems;
}

void ExperimentModel::loadData() {
    const quint64 number = ++m_loadNumber;
    m_loader.clear();  // removes loads from the queue that have not started
    m_stopLoad.request_stop();
    m_stopLoad = std::stop_source();
    m_loading = true;
    m_slow.start();
    m_dataProblem.reset();
    const auto offered = std::exchange(m_offered, std::nullopt);
    if (const std::optional<Problem> refused = refusalOfData(m_config)) return deliver(number, *refused);
    if (offered && offered->first == m_config.dataset) return deliver(number, offered->second);
    m_loader.start([this, number, config = m_config.dataset, base = baseDirectory(), stop = m_stopLoad.get_token()] {
        deliver(number, loadDataset(config, base, stop));
    });
}

void ExperimentModel::deliver(quint64 number, const Result<DataSplit>& loaded) {
    QMetaObject::invokeMethod(
        this, [this, number, loaded] { setLoaded(number, loaded); }, Qt::QueuedConnection);
}

// Converts a problem of a data file to a problem of the form field that contains the path of this file.
Problem ExperimentModel::ofField(const Problem& problem) const {
    if (findConfigField(problem.field) != nullptr) return problem;
    const DatasetConfig& data = resolvedConfig().dataset;
    const std::string text = problem.field + ' ' + problem.message;
    const bool isLabels = !data.labelsPath.empty() && problem.field.starts_with(data.labelsPath);
    return {isLabels ? "dataset.labels_path" : "dataset.path", text, problem.remedy};
}

void ExperimentModel::setLoaded(quint64 number, const Result<DataSplit>& loaded) {
    if (number != m_loadNumber) return;  // ignores the result of an older load, because a newer load is running
    m_loading = false;
    m_data.reset();
    m_dataProblem.reset();
    if (loaded) {
        m_data = loaded.value();
    } else {
        m_dataProblem = ofField(loaded.problem());
    }
    revalidate();
    Q_EMIT dataChanged();
    Q_EMIT configChanged();
}

}  // namespace ringside
