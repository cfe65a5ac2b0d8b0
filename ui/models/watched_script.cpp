// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/watched_script.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "config/run_config.h"
#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxLoaders = 64;

QString translated(const char* text) {
    return QCoreApplication::translate("WatchedScript", text);
}

QString textIn(const Json& facts, std::string_view key) {
    return QString::fromStdString(textOf(facts, key));
}

const Json& objectIn(const Json& facts, std::string_view key) {
    static const Json none = Json::object();
    const Json* found = memberOf(facts, key);
    return found != nullptr && found->is_object() ? *found : none;
}

// Returns the last part of a dotted class name: "SGD" for "torch.optim.sgd.SGD".
QString className(const Json& facts) {
    return textIn(facts, "class").section(QLatin1Char('.'), -1);
}

const Json& innermost(const Json& facts) {
    const Json* one = &facts;
    for (int depth = 0; depth < 8 && !objectIn(*one, "inner").empty(); ++depth) one = &objectIn(*one, "inner");
    return *one;
}

QString countOf(std::int64_t count, const char* one, const char* many) {
    return translated(count == 1 ? one : many).arg(groupedText(count));
}

QString dataText(const Json& loader) {
    const Json& data = objectIn(loader, "dataset");
    const QString outer = className(data), inner = className(innermost(data));
    const QString name = outer == inner || inner.isEmpty() ? outer : translated("%1 (%2)").arg(inner, outer);
    const std::int64_t length = numberOf(data, "length", -1);
    const QString size =
        length < 0 ? translated("unknown number of samples") : countOf(length, "%1 sample", "%1 samples");
    return name.isEmpty() ? size : name + QStringLiteral(", ") + size;
}

QString samplerText(const Json& loader) {
    const Json& sampler = innermost(objectIn(loader, "sampler"));
    QStringList parts{className(sampler)};
    if (parts.first().isEmpty()) return {};
    if (const auto seed = numberOf(sampler, "seed")) parts << translated("seed %1").arg(*seed);
    if (const auto shuffle = flagOf(sampler, "shuffle"))
        parts << (*shuffle ? translated("shuffled") : translated("not shuffled"));
    if (flagOf(sampler, "drop_last").value_or(false)) parts << QStringLiteral("drop_last");
    return parts.join(QStringLiteral(", "));
}

QString loaderText(const Json& loader) {
    QStringList parts;
    if (const auto batch = numberOf(loader, "batch_size")) parts << translated("batch %1").arg(groupedText(*batch));
    const std::int64_t workers = numberOf(loader, "num_workers", 0);
    parts << (workers == 0 ? translated("no workers") : countOf(workers, "%1 worker", "%1 workers"));
    if (flagOf(loader, "drop_last").value_or(false)) parts << QStringLiteral("drop_last");
    return parts.join(QStringLiteral(", "));
}

// Returns the number and the total size of the gradient buckets, such as "1 bucket of 14.9 KiB" if `buckets` contains
// the sizes "15272" in bytes.
QString bucketText(const Json& buckets) {
    std::int64_t count = 0, bytes = 0;
    for (const QString& part : textIn(buckets, "sizes").split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bytes += part.trimmed().toLongLong();
        ++count;
    }
    if (count == 0) return {};
    const QString size = QLocale().formattedDataSize(bytes, 1).replace(QLatin1Char(' '), QChar::Nbsp);
    return count == 1 ? translated("1 bucket of %1").arg(size) : translated("%1 buckets, %2").arg(count).arg(size);
}

QString wrapperName(const QString& kind) {
    if (kind == QLatin1String("ddp")) return QStringLiteral("DDP");
    if (kind == QLatin1String("fsdp1")) return QStringLiteral("FSDP");
    return kind;
}

void add(QList<WatchedScript::Fact>& facts, const QString& label, const QString& value, const QString& tip = {}) {
    if (!value.isEmpty()) facts << WatchedScript::Fact{label, value, tip};
}

QString placeTip(const Json& facts) {
    const QString where = textIn(facts, "where");
    return where.isEmpty() ? QString() : translated("At %1").arg(where);
}

}  // namespace

bool WatchedScript::apply(const Event& event) {
    if (const auto* started = std::get_if<RunStarted>(&event)) {
        m_started = *started;
        const Result<RunConfig> config = RunConfig::parse(started->config, "run");
        m_isWatched = m_isWatched || (config && config.value().dataset.kind == DatasetKind::kExternal);
        return true;
    }
    if (const auto* facts = std::get_if<ScriptFacts>(&event)) {
        m_isWatched = true;
        takeFacts(*facts);
        return true;
    }
    if (std::holds_alternative<Finding>(event)) return m_findings.apply(event);
    const auto* indices = std::get_if<ConsumedIndices>(&event);
    if (indices == nullptr || indices->rank != m_lowest) return false;
    const auto loader = m_loaders.find(indices->loader);
    return loader != m_loaders.end() && !std::exchange(loader->second.hasTrained, true);
}

void WatchedScript::takeFacts(const ScriptFacts& event) {
    const Result<Json> parsed = parseJson(event.facts, "facts");
    if (!parsed || !parsed.value().is_object()) return;
    const Json& facts = parsed.value();
    const std::optional<ScriptTopic> topic = topicOf(event);
    if (topic == ScriptTopic::kProcess && (m_lowest < 0 || event.rank < m_lowest)) {
        m_lowest = event.rank;
        m_process = facts;
        m_loaders.clear();  // removes the loaders of another rank: the new lowest rank reports its own
        m_optimizers.clear();
    }
    if (topic == ScriptTopic::kProcessGroupCreated && m_group.is_null()) m_group = facts;
    if (event.rank != m_lowest) return;
    if (topic == ScriptTopic::kDataParallel && m_wrapper.is_null()) m_wrapper = facts;
    if (topic == ScriptTopic::kPipeline && m_wrapper.is_null()) m_wrapper = facts;
    if (topic == ScriptTopic::kBuckets) m_buckets = facts;
    if (topic == ScriptTopic::kLoss && m_loss.is_null()) m_loss = facts;
    if (topic == ScriptTopic::kSees) m_sees = facts;
    const std::int64_t id = numberOf(facts, "id", 0);
    if (topic == ScriptTopic::kLoader && m_loaders.size() < kMaxLoaders) m_loaders[id].facts = facts;
    if (topic == ScriptTopic::kOptimizer && m_optimizers.size() < kMaxLoaders) m_optimizers[id] = facts;
}

QString WatchedScript::script() const {
    return textIn(m_process, "script");
}

QString WatchedScript::torch() const {
    const QString version = textIn(m_process, "torch").section(QLatin1Char('+'), 0, 0);
    return version.isEmpty() ? QString() : translated("PyTorch %1").arg(version);
}

QString WatchedScript::python() const {
    return textIn(m_process, "python");
}

QString WatchedScript::launcher() const {
    const QString name = textIn(m_process, "launcher");
    const std::int64_t ranks = numberOf(m_process, "world_size", 0);
    if (name.isEmpty() || ranks < 1) return name;
    return name + QStringLiteral(", ") + countOf(ranks, "%1 rank", "%1 ranks");
}

std::int64_t WatchedScript::batchSize() const {
    const Loader* training = trainingLoader();
    return training != nullptr ? std::max<std::int64_t>(0, numberOf(training->facts, "batch_size", 0)) : 0;
}

const WatchedScript::Loader* WatchedScript::trainingLoader() const {
    for (const auto& [id, loader] : m_loaders)
        if (loader.hasTrained) return &loader;
    return m_loaders.size() == 1 ? &m_loaders.begin()->second : nullptr;
}

const WatchedScript::Loader* WatchedScript::validationLoader() const {
    const Loader* training = trainingLoader();
    for (const auto& [id, loader] : m_loaders)
        if (&loader != training && !loader.hasTrained) return &loader;
    return nullptr;
}

QList<WatchedScript::Fact> WatchedScript::facts() const {
    QList<Fact> facts;
    addData(facts);
    addModel(facts);
    addTraining(facts);
    return facts;
}

void WatchedScript::addData(QList<Fact>& facts) const {
    if (const Loader* training = trainingLoader()) {
        add(facts, translated("Data set"), dataText(training->facts), placeTip(training->facts));
        add(facts, translated("Sampler"), samplerText(training->facts));
        add(facts, translated("Loader"), loaderText(training->facts), placeTip(training->facts));
    }
    if (const Loader* validation = trainingLoader() ? validationLoader() : nullptr)
        add(facts, translated("Evaluation"), dataText(validation->facts), placeTip(validation->facts));
}

void WatchedScript::addModel(QList<Fact>& facts) const {
    std::int64_t parameters = numberOf(m_wrapper, "parameters", 0);
    for (const auto& [id, optimizer] : m_optimizers) {
        const Json* groups = memberOf(optimizer, "groups");
        if (numberOf(m_wrapper, "parameters", 0) > 0 || groups == nullptr || !groups->is_array()) continue;
        for (const Json& group : *groups) parameters += numberOf(group, "parameters", 0);
    }
    const QString count = parameters > 0 ? countOf(parameters, "%1 parameter", "%1 parameters") : QString();
    QStringList model{textIn(m_wrapper, "module"), count};
    model.removeAll(QString());
    add(facts, translated("Model"), model.join(QStringLiteral(", ")));
    const QString wrapper = wrapperName(m_wrapper.contains("kind") ? textIn(m_wrapper, "kind") : className(m_wrapper));
    QStringList parallel{wrapper, textIn(m_group, "backend"), bucketText(m_buckets)};
    parallel.removeAll(QString());
    const QString alone =
        m_process.is_object() && m_group.is_null() ? translated("no torch.distributed process group") : QString();
    add(facts, translated("Parallel"), parallel.isEmpty() ? alone : parallel.join(QStringLiteral(", ")),
        placeTip(m_wrapper.is_null() ? m_group : m_wrapper));
}

void WatchedScript::addTraining(QList<Fact>& facts) const {
    QStringList optimizers;
    for (const auto& [id, optimizer] : m_optimizers) {
        const Json* groups = memberOf(optimizer, "groups");
        const bool known = groups != nullptr && groups->is_array() && !groups->empty();
        const Json* rate = known ? memberOf(groups->front(), "lr") : nullptr;
        optimizers << (rate != nullptr && rate->is_number()
                           ? translated("%1, lr %2").arg(className(optimizer), realText(rate->get<double>()))
                           : className(optimizer));
    }
    const QString place = m_optimizers.empty() ? QString() : placeTip(m_optimizers.begin()->second);
    add(facts, translated("Optimizer"), optimizers.join(QStringLiteral("; ")), place);
    add(facts, translated("Loss"), textIn(m_loss, "where"),
        translated("Line of the script that calls backward() on the loss"));
    if (m_started && m_started->stepsPerEpoch > 0)
        add(facts, translated("Steps"), translated("%1 per epoch").arg(groupedText(m_started->stepsPerEpoch)));
    const Json* hidden = memberOf(m_sees, "unavailable");
    if (hidden == nullptr || !hidden->is_array()) return;
    QStringList names, reasons;
    for (const Json& one : *hidden) {
        names << textIn(one, "what");
        reasons << textIn(one, "what") + QStringLiteral(": ") + textIn(one, "why");
    }
    add(facts, translated("Not seen"), names.join(QStringLiteral(", ")), reasons.join(QLatin1Char('\n')));
}

}  // namespace ringside
