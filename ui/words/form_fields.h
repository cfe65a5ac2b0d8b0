// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

#include "config/choices.h"
#include "config/run_config.h"

namespace ringside {

enum class FormSectionId { Data, Model, Parallel, Loading, Optimisation };

// Where a configuration field stands in the form.
struct FormField {
    FormSectionId section;
    const char* path;                             // "parallel.world_size"
    const char* stem;                             // "worldSize": start of the control's objectName
    const char* label;                            // on screen
    bool more = false;                            // only after "More" was pressed
    bool (*applies)(const RunConfig&) = nullptr;  // null: always
    bool besidePrevious = false;                  // two short check boxes share a line
    const char* lineLabel = nullptr;              // a check box's shorter name there
    const char* lineCaption = nullptr;            // what stands before the line
};

std::span<const FormField> formFields();  // top to bottom
QString sectionTitle(FormSectionId section);
// Name of a choice in experiment files: "shm".
template <NamedChoice T>
QString choiceText(T value) {
    const std::string_view name = nameOf(value);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

QString choiceLabel(const QString& value);  // "shm" -> "Shared memory"; unknown values as they are

QString inFormWords(QString text);  // "parallel.world_size" -> "World size", wherever it stands

}  // namespace ringside
