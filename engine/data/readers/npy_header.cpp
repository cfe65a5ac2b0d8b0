// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "data/readers/array_file.h"

namespace ringside {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 20;
constexpr std::size_t kMaxNpyDimensions = 32;

// Parser of the subset of Python literals that .npy headers use.
class Literals {
  public:
    explicit Literals(std::string_view text) : m_text(text) {}

    bool accept(char wanted) {
        skipSpace();
        if (m_text.empty() || m_text.front() != wanted) return false;
        m_text.remove_prefix(1);
        return true;
    }
    std::optional<std::string> string() {
        skipSpace();
        if (m_text.empty() || (m_text.front() != '\'' && m_text.front() != '"')) return {};
        const std::size_t end = m_text.find(m_text.front(), 1);
        if (end == std::string_view::npos) return {};
        std::string found(m_text.substr(1, end - 1));
        m_text.remove_prefix(end + 1);
        return found;
    }
    std::optional<bool> boolean() {
        skipSpace();
        for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
            if (!m_text.starts_with(word)) continue;
            m_text.remove_prefix(word.size());
            return word == "True";
        }
        return {};
    }
    std::optional<std::vector<std::int64_t>> tuple() {
        if (!accept('(')) return {};
        std::vector<std::int64_t> values;
        while (!accept(')')) {
            skipSpace();
            std::int64_t value = 0;
            const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
            if (error != std::errc() || values.size() == kMaxNpyDimensions) return {};
            m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
            values.push_back(value);
            if (!accept(',') && !m_text.starts_with(')')) return {};
        }
        return values;
    }
    bool atEnd() {
        skipSpace();
        return m_text.empty();
    }

  private:
    void skipSpace() { m_text.remove_prefix(std::min(m_text.find_first_not_of(" \t\r\n"), m_text.size())); }

    std::string_view m_text;
};

struct NpyFields {
    std::optional<std::string> descr;
    std::optional<bool> fortranOrder;
    std::optional<std::vector<std::int64_t>> shape;
};

std::optional<NpyFields> parseFields(const std::string& text) {
    Literals literals(text);
    NpyFields fields;
    if (!literals.accept('{')) return {};
    while (!literals.accept('}')) {
        const auto key = literals.string();
        if (!key || !literals.accept(':')) return {};
        if (*key == "descr")
            fields.descr = literals.string();
        else if (*key == "fortran_order")
            fields.fortranOrder = literals.boolean();
        else if (*key == "shape")
            fields.shape = literals.tuple();
        else
            return {};
        if (!literals.accept(',')) {
            if (!literals.accept('}')) return {};
            break;
        }
    }
    const bool whole = fields.descr && fields.fortranOrder && fields.shape && literals.atEnd();
    return whole ? std::optional(fields) : std::nullopt;
}

std::optional<ElementType> typeOf(const std::string& descr) {
    static const std::map<std::string, ElementType> types = {
        {"|u1", ElementType::kU8},  {"|b1", ElementType::kS8},  {"|i1", ElementType::kS8},  {"<i2", ElementType::kI16},
        {"<i4", ElementType::kI32}, {"<i8", ElementType::kI64}, {"<f4", ElementType::kF32}, {"<f8", ElementType::kF64},
    };
    const auto known = types.find(descr);
    return known == types.end() ? std::nullopt : std::optional(known->second);
}

Problem unreadType(const std::string& descr, const std::string& file) {
    std::string shown = descr.substr(0, 40);
    std::ranges::replace_if(
        shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    if (descr.find('O') != std::string::npos) {
        return {file, "holds Python objects (type '" + shown + "')",
                "save numbers: numpy.save(f, a.astype('float32'))"};
    }
    if (descr.starts_with('>')) {
        return {file, "is big-endian (type '" + shown + "')", "save the array with numpy.save(f, a.astype('<f4'))"};
    }
    return {file, "holds values of type '" + shown + "'; u1, i1, i2, i4, i8, f4 and f8 can be read",
            "save the array with numpy.save(f, a.astype('float32'))"};
}

}  // namespace

Result<ArrayHeader> parseNpyHeader(const std::string& text, const std::string& file) {
    const auto fields = parseFields(text);
    if (!fields) {
        return Problem{file, "has a .npy header that cannot be read (it must give descr, fortran_order and shape)",
                       "the file is damaged, or a structured array: save a plain array with numpy.save"};
    }
    const auto type = typeOf(*fields->descr);
    if (!type) return unreadType(*fields->descr, file);
    if (*fields->fortranOrder && fields->shape->size() > 1) {
        return Problem{file, "is in Fortran order", "save the array with numpy.save(f, numpy.ascontiguousarray(a))"};
    }
    return ArrayHeader{"NumPy", *type, std::endian::little, *fields->shape};
}

Result<ArrayHeader> readNpyHeader(ByteSource& source, std::uint8_t majorVersion) {
    const std::string file = source.path().string();
    if (majorVersion < 1 || majorVersion > 3) {
        return Problem{file, "is a .npy file of version " + std::to_string(majorVersion) + "; 1 to 3 can be read",
                       "save the array again with numpy.save"};
    }
    std::vector<std::byte> raw(majorVersion == 1 ? 2 : 4);
    if (auto got = source.readAll(raw, "header"); !got) return got.problem();
    std::uint64_t size = 0;
    for (std::size_t i = raw.size(); i-- > 0;) size = size << 8 | std::to_integer<std::uint64_t>(raw[i]);
    if (size > kMaxHeaderBytes || size > source.maxBytesLeft()) {
        return Problem{file,
                       "specifies a header of " + std::to_string(size) + " bytes; at most " +
                           std::to_string(std::min(kMaxHeaderBytes, source.maxBytesLeft())) + " are possible",
                       "the file is damaged: download it again"};
    }
    std::string text(static_cast<std::size_t>(size), ' ');
    if (auto got = source.readAll(std::as_writable_bytes(std::span(text)), "header"); !got) return got.problem();
    return parseNpyHeader(text, file);
}

}  // namespace ringside
