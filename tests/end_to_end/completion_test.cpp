// SPDX-License-Identifier: Apache-2.0
// Tests of the words that a shell offers at the Tab key, with a real shell.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "program.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::string completionScript(const char* shell) {
    Program program({"completion", shell});
    CHECK(program.wait() == 0);
    return program.output();
}

// Returns the words to which bash completes a command line, with the cursor at the end of the line.
std::vector<std::string> offered(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream split(line + (line.ends_with(' ') ? "''" : ""));
    for (std::string word; split >> word;) words.push_back(word);
    std::string script =
        completionScript("bash") + "\nCOMP_LINE='" + line + "'\nCOMP_POINT=${#COMP_LINE}\nCOMP_WORDS=(";
    for (const std::string& word : words) script += word + " ";
    script +=
        ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) + "\n_ringsidectl\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const TemporaryDirectory scratch;
    const std::string file = scratch.path() / "complete.sh";
    std::ofstream(file) << script;
    FILE* bash = ::popen(("bash " + file).c_str(), "r");
    REQUIRE(bash != nullptr);
    std::string answer;
    for (std::array<char, 4096> part{}; std::fgets(part.data(), part.size(), bash) != nullptr;) answer += part.data();
    REQUIRE(::pclose(bash) == 0);
    std::vector<std::string> result;
    std::istringstream lines(answer);
    for (std::string word; std::getline(lines, word);) {
        if (!word.empty()) result.push_back(word);
    }
    return result;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

TEST_CASE("bash completes commands, their options and the choices of a field") {
    CHECK(offered("ringsidectl pl") == std::vector<std::string>{"plan"});
    const auto commands = offered("ringsidectl ");
    for (const char* command :
         {"plan", "run", "attach", "show", "compare", "export", "devices", "config", "completion"}) {
        INFO(command);
        CHECK(has(commands, command));
    }
    CHECK(offered("ringsidectl plan --world") == std::vector<std::string>{"--world-size"});
    CHECK(has(offered("ringsidectl plan --"), "--balance"));
    CHECK_FALSE(has(offered("ringsidectl plan --"), "--detach"));
    CHECK(has(offered("ringsidectl run --"), "--detach"));
    CHECK(offered("ringsidectl completion ") == std::vector<std::string>{"--help", "bash", "zsh"});
}

TEST_CASE("bash completes settings and their values") {
    CHECK(offered("ringsidectl run x.json --set loader.batch") == std::vector<std::string>{"loader.batch_size="});
    // bash splits words at "=", so only the part after it is completed.
    CHECK(offered("ringsidectl run x.json --set optimizer.kind=ad") == std::vector<std::string>{"adam", "adamw"});
    CHECK(offered("ringsidectl run x.json --set sampler.shuffle=") == std::vector<std::string>{"true", "false"});
    CHECK(offered("ringsidectl run x.json --set nonsense").empty());
}

TEST_CASE("the script for zsh names every command and its options") {
    const std::string script = completionScript("zsh");
    CHECK(script.starts_with("#compdef ringsidectl\n"));
    for (const char* part :
         {"'plan:", "'run:", "'attach:", "--world-size", "--detach", "optimizer.kind=adamw", "'*:shell:(bash zsh)'"}) {
        INFO(part);
        CHECK(script.find(part) != std::string::npos);
    }
}
