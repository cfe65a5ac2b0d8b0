// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ringside {

// Values for the marks (@name@) in a template, by name.
using PythonPieces = std::map<std::string, std::string, std::less<>>;

// Returns the frame of an exported script, resources/export/pytorch_train.py, with its marks filled in.
std::string pythonFrame(const PythonPieces& values);

// Returns a piece of Python from the other files there, with its marks filled in. A line "#@ name" begins a piece,
// which goes up to the next such line. Every mark needs a value; a name without a piece is an error of the program.
std::string pythonPiece(std::string_view name, const PythonPieces& values = {});

}  // namespace ringside
