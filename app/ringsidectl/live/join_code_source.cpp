// SPDX-License-Identifier: Apache-2.0
#include "live/join_code_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/system/files.h"
#include "terminal/secret_input.h"

namespace ringside {
namespace {

constexpr const char* kWays =
    "use ringsidectl join - and enter it, set RINGSIDE_CODE, or name a file with --code-file FILE";

void warn(const std::string& text) {
    std::fprintf(stderr, "ringsidectl: %s\n", text.c_str());
}

Result<std::string> entered(const CodeSources& sources) {
    SecretInput input;
    input.name = "the join code";
    input.prompt = "Join code: ";
    input.fd = sources.inputFd;
    input.cancelFd = sources.cancelFd;
    input.maxBytes = JoinCode::kMaxText;
    return readSecret(input);
}

Result<std::string> fromFile(const std::string& file) {
    Result<std::string> text = readFile(file, JoinCode::kMaxText);
    struct stat info {};
    if (text && ::stat(file.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0)
        warn("other users can read the join code in " + file + ": chmod 600 protects it");
    return text;
}

Result<std::string> textOf(const CodeSources& sources) {
    const char* variable = std::getenv(kCodeVariable);
    const std::string inEnvironment = variable == nullptr ? "" : variable;
    ::unsetenv(kCodeVariable);
    if (!sources.argument.empty() && !sources.file.empty())
        return Problem{"the join code", "is given twice: on the command line and with --code-file", "give it once"};
    if (sources.argument == "-") return entered(sources);
    if (!sources.argument.empty()) {
        warn(std::string("other users of this computer can read the join code in the process list: ") + kWays);
        return sources.argument;
    }
    if (!sources.file.empty()) return fromFile(sources.file);
    if (!inEnvironment.empty()) return inEnvironment;
    if (::isatty(sources.inputFd) != 0) return entered(sources);
    return Problem{"the join code", "is missing", kWays};
}

}  // namespace

Result<JoinCode> findJoinCode(const CodeSources& sources) {
    const Result<std::string> text = textOf(sources);
    if (!text) return text.problem();
    return JoinCode::parse(text.value());
}

}  // namespace ringside
