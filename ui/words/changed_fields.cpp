// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/changed_fields.h"

#include <QCoreApplication>

#include "base/json/json.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

// Returns the JSON pointer of a field path: "/parallel/world_size" for "parallel.world_size".
Json::json_pointer pointerTo(const FormField& field) {
    std::string path = std::string("/") + field.path;
    for (char& letter : path) letter = letter == '.' ? '/' : letter;
    return Json::json_pointer(path);
}

Json valueOf(const Json& config, const Json::json_pointer& at) {
    return config.contains(at) ? config.at(at) : Json();
}

}  // namespace

QStringList changedFields(const RunConfig& a, const RunConfig& b) {
    QStringList names;
    if (a == b) return names;
    const Json first = a.toJson(), second = b.toJson();
    for (const FormField& field : formFields()) {
        const Json::json_pointer at = pointerTo(field);
        if (valueOf(first, at) != valueOf(second, at)) names << QCoreApplication::translate("form", field.label);
    }
    return names;
}

}  // namespace ringside
