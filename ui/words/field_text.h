// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

// The functions below convert between texts of the experiment form and values, in the C locale. The parse functions
// return an empty optional if the text is not a value of their type.
std::optional<std::int64_t> parseInteger(const QString& text);
std::optional<double> parseReal(const QString& text);
// Parses a list such as "128, 64"; returns an empty list for an empty text.
std::optional<std::vector<std::int64_t>> parseIntegerList(const QString& text);

QString realText(double value);  // returns the shortest decimal text that parses to exactly this number
QString integerListText(const std::vector<std::int64_t>& values);

// Returns a loss with four significant digits, such as "0.1234" or "2.250"; empty if the loss is not finite.
QString lossText(double loss);

// Returns the number on screen of the epoch with this index: "3" for index 2. On screen, epochs and steps count from 1;
// ranks and samples count from 0, as in PyTorch. In files, epochs count from 0.
QString epochNumber(std::int64_t index);

// Returns the number with separators for thousands: "1,437".
QString groupedText(std::int64_t value);

// Returns a text of the engine as a sentence, with a capital letter and a full stop: "shared memory: one host" ->
// "Shared memory: one host."
QString sentenceText(const std::string& clause);

}  // namespace ringside
