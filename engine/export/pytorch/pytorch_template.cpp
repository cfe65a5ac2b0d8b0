// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_template.h"

#include "base/errors/errors.h"

extern "C" {
extern const char ringsidePythonFrameBegin[];
extern const char ringsidePythonFrameEnd[];
extern const char ringsidePythonPiecesBegin[];
extern const char ringsidePythonPiecesEnd[];
}

namespace ringside {
namespace {

std::string_view between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

// Returns the name inside @name@ at position `at`; empty if the @ begins no mark.
std::string_view markAt(std::string_view text, std::size_t at) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end == std::string_view::npos || end == at + 1 || text[end] != '@') return {};
    return text.substr(at + 1, end - at - 1);
}

std::string filled(std::string_view text, const PythonPieces& values) {
    std::string result;
    std::size_t from = 0;
    for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
        const std::string_view name = markAt(text, at);
        if (name.empty()) continue;
        const auto value = values.find(name);
        RINGSIDE_ASSERT(value != values.end());
        result.append(text.substr(from, at - from)).append(value->second);
        at += name.size() + 1;
        from = at + 1;
    }
    return result.append(text.substr(from));
}

}  // namespace

std::string pythonFrame(const PythonPieces& values) {
    return filled(between(ringsidePythonFrameBegin, ringsidePythonFrameEnd), values);
}

std::string pythonPiece(std::string_view name, const PythonPieces& values) {
    const std::string_view all = between(ringsidePythonPiecesBegin, ringsidePythonPiecesEnd);
    const std::string head = "\n#@ " + std::string(name) + "\n";
    const std::size_t at = all.find(head);
    RINGSIDE_ASSERT(at != std::string_view::npos);
    const std::size_t begin = at + head.size();
    const std::size_t next = all.find("\n#@ ", begin - 1);
    const std::string_view piece = all.substr(begin, next == std::string_view::npos ? next : next + 1 - begin);
    return filled(piece, values);
}

}  // namespace ringside
