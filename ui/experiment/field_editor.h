// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <memory>
#include <optional>

#include "config/config_fields.h"

namespace ringside {

// The control of one configuration field: shows its value and reads it back.
class FieldEditor : public QObject {
    Q_OBJECT
  public:
    // stem: "worldSize"; the control's objectName becomes "worldSizeSpinBox".
    static FieldEditor* make(const ConfigField& field, const QString& stem, QWidget* parent);

    QWidget* widget() const { return m_widget; }
    const ConfigField& field() const { return m_field; }

    // Leaves alone what the user typed when it already means the configured value.
    virtual void display(RunConfig config) = 0;
    // Puts what the control holds into config; a problem when it holds no value of the field's type.
    virtual std::optional<Problem> store(RunConfig& config) const = 0;

  Q_SIGNALS:
    void edited();

  protected:
    FieldEditor(const ConfigField& field, QWidget* widget, const QString& name);

    template <class T>
    T& slotOf(RunConfig& config) const {
        return *std::get<T*>(m_field.slot(config));
    }
    bool eventFilter(QObject* watched, QEvent* event) override;

    const ConfigField& m_field;
    QWidget* m_widget;
};

}  // namespace ringside
