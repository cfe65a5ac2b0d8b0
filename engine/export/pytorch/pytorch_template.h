// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ringside {

// Values of the marks (@name@) in a template, by name.
using PythonPieces = std::map<std::string, std::string, std::less<>>;

// Returns the frame of an exported script, resources/export/pytorch_train.py, with its marks replaced by values.
std::string pythonFrame(const PythonPieces& values);

// Returns the piece `name` of the files resources/export/*.py except pytorch_train.py, with its marks replaced by
// values. A line "#@ name" begins a piece, which ends before the next such line. Asserts that the piece exists and that
// each mark has a value.
std::string pythonPiece(std::string_view name, const PythonPieces& values = {});

}  // namespace ringside
