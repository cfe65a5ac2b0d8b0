// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>
#include <vector>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "telemetry/events/event_fields.h"
#include "telemetry/events/script_topic.h"

using namespace ringside;

namespace {

// Visitor of fields() that lists the names and types of all fields, including optional ones.
class FieldTable {
  public:
    std::string text() const { return m_text; }

    bool includes(bool) const { return true; }

    template <class... More>
    void integer(const char* key, More&&...) {
        add(key, "integer");
    }
    template <class... More>
    void real(const char* key, More&&...) {
        add(key, "real");
    }
    template <class... More>
    void text(const char* key, More&&...) {
        add(key, "text");
    }
    template <class... More>
    void flag(const char* key, More&&...) {
        add(key, "flag");
    }
    template <class... More>
    void tree(const char* key, More&&...) {
        add(key, "tree");
    }
    template <class... More>
    void lines(const char* key, More&&...) {
        add(key, "texts");
    }
    template <class... More>
    void column(const char* key, const std::vector<std::int64_t>&, More&&...) {
        add(key, "integers");
    }
    template <class... More>
    void column(const char* key, const std::vector<double>&, More&&...) {
        add(key, "reals");
    }
    template <class Holds>
    void check(const char*, const char*, const Holds&) {}

  private:
    void add(const char* key, const char* type) {
        m_text += std::string("        \"") + key + "\": \"" + type + "\",\n";
    }

    std::string m_text;
};

template <class... E>
std::string pythonTable(std::type_identity<std::variant<E...>>) {
    std::string text =
        "# SPDX-License-Identifier: Apache-2.0\n"
        "\"\"\"Fields of each telemetry event, in the order in which they are written.\n\n"
        "Generated from engine/telemetry/events/event_fields.h by the test program test_codec. Do not edit.\n"
        "\"\"\"\n\nFIELDS = {\n";
    const auto add = [&text]<class One>(std::type_identity<One>) {
        FieldTable table;
        One event;
        fields(table, event);
        text += "    \"" + std::string(kKind<One>) + "\": {\n" + table.text() + "    },\n";
    };
    (add(std::type_identity<E>{}), ...);
    return text + "}\n";
}

}  // namespace

TEST_CASE("the table of event fields for Python equals the fields that the codec writes") {
    const std::string expected = pythonTable(std::type_identity<Event>{});
    const std::string path = sourceFile("python/ringside_watch/_fields.py");
    const std::string copy = testProgram("_fields.py");
    std::ofstream(copy) << expected;
    const Result<std::string> found = readFile(path, 1 << 20);
    INFO("copy the expected table from " + copy + " to " + path);
    REQUIRE(found.ok());
    CHECK((found.value() == expected));
}

TEST_CASE("docs/watch-protocol.md describes every topic of facts that the program compares") {
    const std::string page = readFile(sourceFile("docs/watch-protocol.md"), 1U << 20).value();
    for (const std::string_view topic : kNamesOf<ScriptTopic>) {
        INFO(topic);
        CHECK(page.find("\n* `" + std::string(topic) + "`: ") != std::string::npos);
    }
    CHECK(topicOf({0, "pass_end", "{}", 0}) == ScriptTopic::kPassEnd);
    CHECK_FALSE(topicOf({0, "of a newer version", "{}", 0}));
}
