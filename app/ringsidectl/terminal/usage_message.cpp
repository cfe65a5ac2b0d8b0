// SPDX-License-Identifier: Apache-2.0
#include "terminal/usage_message.h"

#include <algorithm>
#include <vector>

#include "config/nearest_word.h"

namespace ringside {
namespace {

std::string unknownCommand(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    std::string list;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
        list += (list.empty() ? "" : ", ") + command->get_name();
    }
    const std::string near = nearestWord(word, names);
    const std::string commands = "the commands are " + list;
    if (word.empty()) return "a command is missing: " + commands;
    return word + " is not a command: " + (near.empty() ? commands : "did you mean " + near + "?");
}

// Rewrites CLI11's error messages in Ringside's wording.
std::string describeUsageError(const CLI::Error& error) {
    const std::string text = error.what();
    const std::string name = error.get_name();
    const auto after = [&](const std::string& mark) { return text.substr(text.find(mark) + mark.size()); };
    if (text.rfind("A subcommand", 0) == 0) return "a command is missing";
    if (text.rfind("Exactly 1 option from ", 0) == 0) {
        const std::string given = after("from ");
        return "give exactly one of the options " + given.substr(1, given.find(']') - 1);
    }
    if (name == "ConversionError" && text.find(" = ") != std::string::npos) {
        const std::string given = after(": ");
        return given.substr(0, given.find(" = ")) + " is " + after(" = ") +
               ", which is not a valid number for this option";
    }
    if (name == "ArgumentMismatch" && text.find(" missing") != std::string::npos) {
        return text.substr(0, text.find(':')) + " has no value";
    }
    if (name == "RequiredError") return text.substr(0, text.find(" is required")) + " is missing";
    return text;
}

}  // namespace

std::string usageMessage(const CLI::App& app, const CLI::Error& error, const std::string& firstWord) {
    const auto chosen = app.get_subcommands();
    const bool isOption = !firstWord.empty() && firstWord.front() == '-';
    if (chosen.empty() && !isOption) return "ringsidectl: " + unknownCommand(app, firstWord) + "\n";
    const std::string command = chosen.empty() ? "ringsidectl" : "ringsidectl " + chosen.front()->get_name();
    const std::vector<std::string> extras = (chosen.empty() ? &app : chosen.front())->remaining();
    const bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty();
    return command + ": " + (unexpected ? extras.front() + " is not expected here" : describeUsageError(error)) +
           ": see " + command + " --help\n";
}

std::string findEmptyOption(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const auto& values = option->results();
        if (std::find(values.begin(), values.end(), std::string()) != values.end()) return option->get_name();
    }
    for (const CLI::App* group : command.get_subcommands({})) {
        if (const std::string name = findEmptyOption(*group); !name.empty()) return name;
    }
    return {};
}

}  // namespace ringside
