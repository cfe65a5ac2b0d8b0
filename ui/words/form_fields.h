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
    const char* label;                            // label of the field in the form
    bool more = false;                            // true if the field is visible only after a click on "More"
    bool (*applies)(const RunConfig&) = nullptr;  // condition under which the field is visible; null: always
    bool besidePrevious = false;                  // true if the check box shares a line with the previous one
    const char* lineLabel = nullptr;              // shorter label of a check box on a shared line
    const char* lineCaption = nullptr;            // caption at the start of a shared line
};

std::span<const FormField> formFields();  // returns all fields, in the order of the form
QString sectionTitle(FormSectionId section);
// Returns the name of a choice in experiment files: "shm".
template <NamedChoice T>
QString choiceText(T value) {
    const std::string_view name = nameOf(value);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

// Returns the label of a choice: "shm" -> "Shared memory"; unknown values are returned unchanged.
QString choiceLabel(const QString& value);

QString inFormWords(QString text);  // replaces each field path in the text by its label: "parallel.world_size" ->
                                    // "World size"

}  // namespace ringside
