// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "config/config_fields.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;

TEST_CASE("docs/experiments.md explains every setting and offers every choice") {
    std::ifstream file(sourceFile("docs/experiments.md"));
    std::stringstream buffer;
    buffer << file.rdbuf();
    const std::string page = buffer.str();
    for (const ConfigField& field : configFields()) {
        const std::size_t start = page.find(std::string("* `").append(field.path).append("` "));
        INFO(field.path << ": add a line for it to docs/experiments.md");
        REQUIRE(start != std::string::npos);
        const std::string line = page.substr(start, page.find('\n', start) - start);
        for (const std::string_view choice : field.choices) {
            INFO(choice);
            CHECK(line.find(std::string("`").append(choice).append("`")) != std::string::npos);
        }
    }
}
