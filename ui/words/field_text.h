// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

// Conversion between the form's texts and values, in the C locale. The parse functions return nothing if the text is no
// value of their type.
std::optional<std::int64_t> parseInteger(const QString& text);
std::optional<double> parseReal(const QString& text);
// Parses a list such as "128, 64"; an empty text is an empty list.
std::optional<std::vector<std::int64_t>> parseIntegerList(const QString& text);

QString realText(double value);  // returns the shortest text that reads back as the same number
QString integerListText(const std::vector<std::int64_t>& values);

// Returns a loss with four significant digits: "0.1234". Used wherever losses are shown; empty if it is not finite.
QString lossText(double loss);

// Returns the number of the epoch with this index: "3" for index 2. Epochs and steps count from 1 on screen. Ranks,
// samples, positions and slots are indices from 0, as in PyTorch; in files epochs are indices, too.
QString epochNumber(std::int64_t index);

// Returns the number with separators for thousands: "1,437".
QString groupedText(std::int64_t value);

// Returns a clause of the engine as a sentence: "shared memory: one host" -> "Shared memory: one host."
QString sentenceText(const std::string& clause);

}  // namespace ringside
