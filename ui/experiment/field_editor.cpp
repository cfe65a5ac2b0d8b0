// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/field_editor.h"

#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>

#include "experiment/number_spin_box.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

class NumberEditor final : public FieldEditor {
  public:
    NumberEditor(const ConfigField& field, NumberSpinBox* box, const QString& stem)
        : FieldEditor(field, box, stem + QStringLiteral("SpinBox")), m_box(box) {
        m_box->setMinimum(field.min);
        if (isInteger() && field.min == -1) m_box->setWord(QStringLiteral("-1"), NumberSpinBox::tr("off"));
        connect(m_box, &NumberSpinBox::numberEdited, this, &FieldEditor::edited);
    }

    void display(RunConfig config) override {
        const QString wanted =
            isInteger() ? QString::number(valueIn<std::int64_t>(config)) : realText(valueIn<double>(config));
        RunConfig typed = config;
        const bool unreadable = store(typed).has_value();
        if (unreadable && wanted == m_shown) return;  // keeps the invalid text that the user typed and its message
        m_shown = wanted;
        if (unreadable || typed != config) m_box->setNumberText(wanted);
    }

    std::optional<Problem> store(RunConfig& config) const override {
        const QString text = m_box->numberText();
        if (isInteger()) {
            if (const auto value = parseInteger(text)) {
                valueIn<std::int64_t>(config) = *value;
                return {};
            }
            if (isWholeNumber(text))
                return Problem{std::string(m_field.path), problemText(text, "is too large for a 64-bit integer"),
                               "enter fewer digits"};
            return Problem{std::string(m_field.path), problemText(text, "is not a whole number"),
                           "enter digits only, such as 4"};
        }
        if (const auto value = parseReal(text)) {
            valueIn<double>(config) = *value;
            return {};
        }
        return Problem{std::string(m_field.path), problemText(text, "is not a number"),
                       "enter a number, such as 0.1 or 1e-3"};
    }

  private:
    bool isInteger() const { return m_field.type == FieldType::kInteger; }
    static bool isWholeNumber(const QString& text) {
        static const QRegularExpression kDigits(QStringLiteral("^\\s*[+-]?[0-9]+\\s*$"));
        return kDigits.match(text).hasMatch();
    }
    static std::string problemText(const QString& text, const char* what) {
        if (text.trimmed().isEmpty()) return "is empty";
        return QStringLiteral("\"%1\" %2").arg(text.left(24), QLatin1String(what)).toStdString();
    }

    NumberSpinBox* m_box;
    QString m_shown;
};

class ChoiceEditor final : public FieldEditor {
  public:
    ChoiceEditor(const ConfigField& field, QComboBox* box, const QString& stem)
        : FieldEditor(field, box, stem + QStringLiteral("ComboBox")), m_box(box) {
        for (const std::string_view choice : field.choices) addChoice(std::string(choice));
        m_box->setFocusPolicy(Qt::StrongFocus);
        m_box->installEventFilter(this);
        connect(m_box, &QComboBox::activated, this, &FieldEditor::edited);
    }

    void display(RunConfig config) override {
        m_box->setCurrentIndex(*std::get<ChoiceSlot>(m_field.slot(config)).index);
    }

    std::optional<Problem> store(RunConfig& config) const override {
        *std::get<ChoiceSlot>(m_field.slot(config)).index = static_cast<std::uint8_t>(m_box->currentIndex());
        return {};
    }

  private:
    void addChoice(const std::string& value) {
        m_box->addItem(choiceLabel(QString::fromStdString(value)), QString::fromStdString(value));
    }
    QComboBox* m_box;
};

class SwitchEditor final : public FieldEditor {
  public:
    SwitchEditor(const ConfigField& field, QCheckBox* box, const QString& stem)
        : FieldEditor(field, box, stem + QStringLiteral("CheckBox")), m_box(box) {
        connect(m_box, &QCheckBox::clicked, this, &FieldEditor::edited);
    }

    void display(RunConfig config) override { m_box->setChecked(valueIn<bool>(config)); }
    std::optional<Problem> store(RunConfig& config) const override {
        valueIn<bool>(config) = m_box->isChecked();
        return {};
    }

  private:
    QCheckBox* m_box;
};

class TextEditor final : public FieldEditor {
  public:
    TextEditor(const ConfigField& field, QLineEdit* line, const QString& stem)
        : FieldEditor(field, line, stem + QStringLiteral("LineEdit")), m_line(line) {
        connect(m_line, &QLineEdit::textEdited, this, &FieldEditor::edited);
    }

    void display(RunConfig config) override {
        const QString wanted = isList() ? integerListText(valueIn<std::vector<std::int64_t>>(config))
                                        : QString::fromStdString(valueIn<std::string>(config));
        RunConfig typed = config;
        const bool unreadable = store(typed).has_value();
        if (unreadable && wanted == m_shown) return;
        m_shown = wanted;
        if (!unreadable && typed == config) return;
        m_line->setText(wanted);
        if (!m_line->hasFocus()) m_line->setCursorPosition(0);  // shows the beginning of a text that is too long
    }

    std::optional<Problem> store(RunConfig& config) const override {
        if (!isList()) {
            valueIn<std::string>(config) = m_line->text().trimmed().toStdString();
            return {};
        }
        const auto values = parseIntegerList(m_line->text());
        if (!values) {
            return Problem{
                std::string(m_field.path),
                QStringLiteral("\"%1\" is not a list of whole numbers").arg(m_line->text().left(24)).toStdString(),
                "separate the widths by commas, such as 128, 64"};
        }
        valueIn<std::vector<std::int64_t>>(config) = *values;
        return {};
    }

  private:
    bool isList() const { return m_field.type == FieldType::kIntegerList; }
    QLineEdit* m_line;
    QString m_shown;
};

}  // namespace

FieldEditor::FieldEditor(const ConfigField& field, QWidget* widget, const QString& name)
    : QObject(widget), m_field(field), m_widget(widget) {
    widget->setObjectName(name);
    widget->setToolTip(
        QStringLiteral("<p>%1</p>").arg(QString::fromUtf8(field.help.data(), qsizetype(field.help.size()))));
    auto* line = qobject_cast<QLineEdit*>(widget);
    if (!line) line = widget->findChild<QLineEdit*>();
    if (line) line->installEventFilter(this);
}

// Prevents the control from handling some events itself. The keys for undo and redo apply to edits of the experiment
// and not to typed text. In number fields the window receives the key "?", which lists the keyboard shortcuts. The
// wheel scrolls the form if the control does not have the focus.
bool FieldEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool showsKeys = key->text() == QLatin1String("?") && qobject_cast<NumberSpinBox*>(m_widget);
        if (showsKeys || key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::Wheel && !m_widget->hasFocus()) {
        event->ignore();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

FieldEditor* FieldEditor::make(const ConfigField& field, const QString& stem, QWidget* parent) {
    switch (field.type) {
        case FieldType::kChoice:
            return new ChoiceEditor(field, new QComboBox(parent), stem);
        case FieldType::kInteger:
            return new NumberEditor(field, new NumberSpinBox(NumberSpinBox::Kind::Integer, parent), stem);
        case FieldType::kReal:
            return new NumberEditor(field, new NumberSpinBox(NumberSpinBox::Kind::Real, parent), stem);
        case FieldType::kBoolean:
            return new SwitchEditor(field, new QCheckBox(parent), stem);
        case FieldType::kText:
        case FieldType::kIntegerList:
        case FieldType::kLayerList:
            break;
    }
    return new TextEditor(field, new QLineEdit(parent), stem);
}

}  // namespace ringside
