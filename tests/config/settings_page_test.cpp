// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
        const std::string item =
            page.substr(start, std::min(page.find("\n* ", start), page.find("\n\n", start)) - start);
        for (const std::string_view choice : field.choices) {
            INFO(choice);
            CHECK(item.find(std::string("`").append(choice).append("`")) != std::string::npos);
        }
    }
}
