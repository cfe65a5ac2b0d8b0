// SPDX-License-Identifier: Apache-2.0
#include "terminal/completion_command.h"

#include <iostream>
#include <memory>
#include <string>

#include "config/config_fields.h"

namespace ringside {
namespace {

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(ringsidectl completion bash)\n"
    "  ringsidectl completion zsh > ~/.zfunc/_ringsidectl      (with fpath+=~/.zfunc before compinit)";

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
    return all;
}

std::vector<std::string> optionsOf(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    // CLI11 stores a group of mutually exclusive options as a nameless subcommand.
    for (const CLI::App* group : command.get_subcommands({})) {
        if (!group->get_name().empty()) continue;
        for (const std::string& name : optionsOf(*group)) {
            if (name != "--help") names.push_back(name);
        }
    }
    return names;
}

std::vector<std::string> subcommandsOf(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!command->get_name().empty()) names.push_back(command->get_name());
    }
    return names;
}

// Returns the completions of --set: "dataset.kind=digits" for each value of a field that has a fixed list of values,
// and "loader.batch_size=" for any other field.
std::vector<std::string> assignments() {
    std::vector<std::string> words;
    for (const ConfigField& field : configFields()) {
        const std::string start = std::string(field.path) + "=";
        if (field.type == FieldType::kBoolean) {
            words.push_back(start + "true");
            words.push_back(start + "false");
        } else if (field.choices.empty()) {
            words.push_back(start);
        } else {
            for (const std::string_view choice : field.choices) words.push_back(start + std::string(choice));
        }
    }
    return words;
}

void printBash(const CLI::App& app) {
    std::cout << "# bash completion of ringsidectl\n"
                 "_ringsidectl() {\n"
                 "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                 "    COMPREPLY=()\n"
                 "    local line=${COMP_LINE:0:COMP_POINT}\n"
                 "    if [[ $line =~ --set[=\\ ]+([^\\ ]*)$ ]]; then\n"
                 "        local typed=${BASH_REMATCH[1]}\n"
                 "        COMPREPLY=($(compgen -W \""
              << joined(assignments())
              << "\" -- \"$typed\"))\n"
                 "        # = and : split words in bash: what is before them must not be repeated.\n"
                 "        [[ $typed == *=* ]] && COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n"
                 "        compopt -o nospace 2>/dev/null\n"
                 "        return\n"
                 "    fi\n"
                 "    case $COMP_CWORD in\n"
                 "        1) words=\""
              << joined(subcommandsOf(app)) << " " << joined(optionsOf(app))
              << "\" ;;\n"
                 "        *) case ${COMP_WORDS[1]} in\n";
    for (const CLI::App* command : app.get_subcommands({})) {
        const std::string nested = joined(subcommandsOf(*command));
        std::cout << "            " << command->get_name() << ") words=\"" << joined(optionsOf(*command))
                  << (nested.empty() ? "" : " " + nested) << (command->get_name() == "completion" ? " bash zsh" : "")
                  << "\" ;;\n";
    }
    std::cout << "        esac ;;\n"
                 "    esac\n"
                 "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                 "}\n"
                 "complete -o default -F _ringsidectl ringsidectl\n";
}

std::string quoted(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("'[]:", at)) != std::string::npos; at += 2) {
        if (text[at] == '\'') {
            text.replace(at, 1, "’");
        } else {
            text.insert(at, 1, '\\');
        }
    }
    return text;
}

void printZsh(const CLI::App& app) {
    std::cout << "#compdef ringsidectl\n"
                 "_ringsidectl_assignments() { compadd -S '' -- "
              << joined(assignments())
              << " }\n"
                 "_ringsidectl() {\n"
                 "    local -a commands\n"
                 "    commands=(\n";
    for (const CLI::App* command : app.get_subcommands({})) {
        std::cout << "        '" << command->get_name() << ":" << quoted(command->get_description()) << "'\n";
    }
    std::cout << "    )\n"
                 "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
                 "    case $words[2] in\n";
    for (const CLI::App* command : app.get_subcommands({})) {
        std::cout << "        " << command->get_name() << ") _arguments ";
        for (const std::string& name : optionsOf(*command)) {
            std::cout << (name == "--set" ? "'*--set[change one field]:field:_ringsidectl_assignments' " : name + " ");
        }
        std::cout << (command->get_name() == "completion" ? "'*:shell:(bash zsh)'" : "'*:file:_files'") << " ;;\n";
    }
    std::cout << "    esac\n"
                 "}\n"
                 "compdef _ringsidectl ringsidectl\n";
}

}  // namespace

void addCompletionCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command =
        app.add_subcommand("completion", "Prints a script that completes commands and fields in the shell");
    command->footer(kCompletionFooter);
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
    command->callback([shell, &app, &action] {
        action = [shell, &app] {
            *shell == "bash" ? printBash(app) : printZsh(app);
            return 0;
        };
    });
}

}  // namespace ringside
