// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

#include "config/choices.h"
#include "config/run_config.h"

namespace ringside {

enum class FormSectionId { Data, Model, Parallel, Loading, Optimisation };

// Position and labels of a configuration field in the form.
struct FormField {
    FormSectionId section;
    const char* path;                             // configuration path of the field, such as "parallel.world_size"
    const char* stem;                             // start of the control's objectName, such as "worldSize"
    const char* label;                            // text of the field's label in the form
    bool more = false;                            // true if the field is hidden until the user clicks "More"
    bool (*applies)(const RunConfig&) = nullptr;  // condition under which the field is visible; null: always
    bool besidePrevious = false;        // true if the field is a check box on the same line as the previous field
    const char* lineLabel = nullptr;    // shorter label of a check box on a shared line; null: `label`
    const char* lineCaption = nullptr;  // caption at the start of a shared line; null: none
};

std::span<const FormField> formFields();  // returns all fields, in the order of the form
QString sectionTitle(FormSectionId section);
// Returns the name of a choice as experiment files contain it, such as "shm".
template <NamedChoice T>
QString choiceText(T value) {
    const std::string_view name = nameOf(value);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

// Returns the label of a choice on screen: "shm" -> "Shared memory". Returns an unknown value unchanged.
QString choiceLabel(const QString& value);

QString inFormWords(QString text);  // replaces each field path in the text by its label: "parallel.world_size" ->
                                    // "World size"

}  // namespace ringside
