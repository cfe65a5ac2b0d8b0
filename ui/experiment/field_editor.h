// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <memory>
#include <optional>

#include "config/config_fields.h"

namespace ringside {

// Editor of one configuration field: shows the field's value in a control, and reads the value from the control.
class FieldEditor : public QObject {
    Q_OBJECT
  public:
    // `stem` is the start of the control's objectName: "worldSize" makes "worldSizeSpinBox".
    static FieldEditor* make(const ConfigField& field, const QString& stem, QWidget* parent);

    QWidget* widget() const { return m_widget; }
    const ConfigField& field() const { return m_field; }

    // Shows the value that the field has in `config`. If the typed text already has this value, such as "1e-1" for 0.1,
    // the text does not change.
    virtual void display(RunConfig config) = 0;
    // Writes the value of the control into `config`. Returns a problem if the typed text is not a value of the field's
    // type.
    virtual std::optional<Problem> store(RunConfig& config) const = 0;

  Q_SIGNALS:
    void edited();

  protected:
    FieldEditor(const ConfigField& field, QWidget* widget, const QString& name);

    template <class T>
    T& valueIn(RunConfig& config) const {
        return *std::get<T*>(m_field.slot(config));
    }
    bool eventFilter(QObject* watched, QEvent* event) override;

    const ConfigField& m_field;
    QWidget* m_widget;
};

}  // namespace ringside
