// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/setting_commands.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "commands/command_search.h"
#include "config/config_fields.h"
#include "models/experiment_model.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

QString labelOf(const FormField& field) {
    return QCoreApplication::translate("form", field.label);
}

// Returns the text in which the command finder searches for a setting: its configuration path, the words of the path,
// and the first sentence of its help, which contains PyTorch's name for the setting.
QString wordsOf(const ConfigField& field) {
    const QString path = QString::fromUtf8(field.path.data(), static_cast<qsizetype>(field.path.size()));
    const QString help = QString::fromUtf8(field.help.data(), static_cast<qsizetype>(field.help.size()));
    QString apart = path;
    apart.replace(QLatin1Char('.'), QLatin1Char(' ')).replace(QLatin1Char('_'), QLatin1Char(' '));
    return QStringList{path, apart, help.section(QStringLiteral(". "), 0, 0)}.join(QLatin1Char(' '));
}

QString valueText(const ConfigField& field, const RunConfig& config) {
    const Json value = fieldValue(field, config);
    if (value.is_boolean())
        return value.get<bool>() ? QCoreApplication::translate("form", "on")
                                 : QCoreApplication::translate("form", "off");
    if (value.is_string()) return choiceLabel(QString::fromStdString(value.get<std::string>()));
    if (field.type == FieldType::kInteger && field.min == -1 && value == -1)
        return QCoreApplication::translate("form", "off");  // the form shows this word for the value -1
    return QString::fromStdString(value.dump());
}

// True if each of `words` is the beginning of a word of the text.
bool holdsWords(const QString& text, const QStringList& words) {
    static const QRegularExpression between(QStringLiteral("[^a-z0-9]+"));
    const QStringList own = text.toLower().split(between, Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [&](const QString& word) {
        return std::ranges::any_of(own, [&](const QString& one) { return one.startsWith(word); });
    });
}

// Sets a field to `value`. Returns false if the field is not a number or if `value` is outside its limits.
bool setNumber(const ConfigField& field, RunConfig& config, double value) {
    if (value < field.min || value > field.max || (field.aboveMin && value == field.min)) return false;
    const FieldSlot slot = field.slot(config);
    if (field.type == FieldType::kReal) {
        *std::get<double*>(slot) = value;
        return true;
    }
    if (field.type != FieldType::kInteger || value != std::floor(value) || std::abs(value) > 1e15) return false;
    *std::get<std::int64_t*>(slot) = static_cast<std::int64_t>(value);
    return true;
}

class Commands {
  public:
    Commands(ExperimentModel& experiment, QObject* parent) : m_experiment(experiment), m_parent(parent) {}

    QList<QAction*> made;

    void addPlace(const FormField& form, const ConfigField& field, const std::function<void(const char*)>& show) {
        const QString text =
            QCoreApplication::translate("form", "%1: %2").arg(labelOf(form), valueText(field, m_experiment.config()));
        QAction* action = add(text, wordsOf(field) + QLatin1Char(' ') + sectionTitle(form.section));
        QObject::connect(action, &QAction::triggered, m_parent, [show, path = form.path] { show(path); });
    }

    void addValues(const FormField& form, const ConfigField& field) {
        for (std::size_t index = 0; index < field.choices.size(); ++index) {
            const std::string_view name = field.choices[index];
            const QString value = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
            addValue(form, choiceLabel(value), value, [&field, index](RunConfig& config) {
                *std::get<ChoiceSlot>(field.slot(config)).index = static_cast<std::uint8_t>(index);
            });
        }
        if (field.type != FieldType::kBoolean) return;
        for (const bool on : {true, false}) {
            const QString text =
                on ? QCoreApplication::translate("form", "on") : QCoreApplication::translate("form", "off");
            addValue(form, text, wordsOf(field),
                     [&field, on](RunConfig& config) { *std::get<bool*>(field.slot(config)) = on; });
        }
    }

    void addNumber(const FormField& form, const ConfigField& field, double value) {
        RunConfig probe = m_experiment.config();
        if (!setNumber(field, probe, value)) return;
        addValue(form, realText(value), {}, [&field, value](RunConfig& config) { setNumber(field, config, value); });
    }

  private:
    QAction* add(const QString& text, const QString& words) {
        auto* action = new QAction(text, m_parent);
        setSynonyms(*action, words);
        made << action;
        return action;
    }

    void addValue(const FormField& form, const QString& value, const QString& words,
                  const std::function<void(RunConfig&)>& change) {
        RunConfig changed = m_experiment.config();
        change(changed);
        if (changed == m_experiment.config())
            return;  // no command is needed, because the setting already has this value
        QAction* action = add(QCoreApplication::translate("form", "Set %1 to %2").arg(labelOf(form), value), words);
        QObject::connect(action, &QAction::triggered, &m_experiment,
                         [&experiment = m_experiment, change, path = form.path] {
                             RunConfig next = experiment.config();
                             change(next);
                             experiment.edit(next, QString::fromLatin1(path));
                         });
    }

    ExperimentModel& m_experiment;
    QObject* m_parent;
};

}  // namespace

QList<QAction*> settingCommands(ExperimentModel& experiment, const std::function<void(const char* path)>& show,
                                QObject* parent) {
    Commands commands(experiment, parent);
    for (const FormField& form : formFields()) {
        const ConfigField* field = findConfigField(form.path);
        if (field == nullptr || (form.applies && !form.applies(experiment.config()))) continue;
        commands.addPlace(form, *field, show);
        commands.addValues(form, *field);
    }
    return commands.made;
}

QList<QAction*> numberCommands(ExperimentModel& experiment, const QString& typed, QObject* parent) {
    QStringList words = typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto value = words.size() < 2 ? std::nullopt : parseReal(words.last());
    if (!value) return {};
    words.removeLast();
    for (const char* filler : {"set", "to", "="}) words.removeAll(QLatin1String(filler));
    if (words.isEmpty()) return {};
    Commands commands(experiment, parent);
    const QString start = words.join(QLatin1Char(' '));
    // lists the settings whose label begins with the typed words before all other settings
    for (const bool first : {true, false}) {
        for (const FormField& form : formFields()) {
            const ConfigField* field = findConfigField(form.path);
            if (field == nullptr || (form.applies && !form.applies(experiment.config()))) continue;
            if (labelOf(form).startsWith(start, Qt::CaseInsensitive) != first) continue;
            if (first || holdsWords(labelOf(form) + QLatin1Char(' ') + QLatin1String(form.path), words))
                commands.addNumber(form, *field, *value);
        }
    }
    return commands.made;
}

}  // namespace ringside
