// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ringside {
namespace {

std::string quoted(const std::string& value) {
    return std::string("cannot be \"").append(value).append("\"");
}

// Returns the problem of an argument that belongs to no option.
Problem unexpected(const CLI::App& app, const char* remedy) {
    const std::string extra = app.remaining().front();
    if (extra.starts_with("-")) return {extra, "is not an option of ringside-worker", remedy};
    const std::vector<const CLI::Option*> positionals =
        app.get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (positionals.empty()) return {extra, "is not an argument of ringside-worker", remedy};
    return {extra, "is a second experiment after " + positionals.front()->results().front(), remedy};
}

// Returns the option whose value CLI11 has rejected. Searches the error text for the option's name, because the
// exception has no other reference to the option.
const CLI::Option* refusedOption(const CLI::App& app, const CLI::ParseError& error) {
    const std::string text = error.what();
    const CLI::Option* refused = nullptr;
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && text.find(option->get_name()) != std::string::npos) refused = option;
    return refused;
}

}  // namespace

std::optional<Problem> readCommandLine(CLI::App& app, int argc, const char* const* argv, const char* remedy) {
    // If an option is given several times, its last value is used, so that options can be appended to a command line.
    for (CLI::Option* option : app.get_options())
        if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) option->take_last();
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        throw;
    } catch (const CLI::ExtrasError&) {
        return unexpected(app, remedy);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string text = error.what();  // for example "--rank: 1 required INT missing"
        return Problem{text.substr(0, text.find(':')), "has no value", remedy};
    } catch (const CLI::ParseError& error) {
        const CLI::Option* option = refusedOption(app, error);
        if (option == nullptr) return Problem{"the command line", error.what(), remedy};
        return Problem{option->get_name(), quoted(option->results().back()), remedy};
    }
    for (const CLI::Option* option : app.get_options()) {
        const std::vector<std::string>& values = option->results();
        if (std::ranges::find(values, std::string()) != values.end())
            return Problem{option->get_name(), "is empty", remedy};
    }
    return {};
}

}  // namespace ringside
