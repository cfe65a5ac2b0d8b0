// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

// Text of the form to values and back, in the C locale; nothing when the text is no such value.
std::optional<std::int64_t> parseInteger(const QString& text);
std::optional<double> parseReal(const QString& text);
std::optional<std::vector<std::int64_t>> parseIntegerList(const QString& text);  // "128, 64"; empty = no element

QString realText(double value);  // shortest text that reads back as the same number
QString integerListText(const std::vector<std::int64_t>& values);

// "0.1234", four significant digits: losses are written like this everywhere; empty if the loss is not finite.
QString lossText(double loss);

// "3" of the epoch with index 2. Epochs and steps are counted from 1 on screen; ranks, samples, positions and slots of
// an epoch are indices from 0, as in PyTorch and in files, where epochs are indices, too.
QString epochNumber(std::int64_t index);

// "1,437" for sentences.
QString groupedText(std::int64_t value);

// The engine's clause as a sentence: "shared memory: one host" -> "Shared memory: one host."
QString sentenceText(const std::string& clause);

}  // namespace ringside
