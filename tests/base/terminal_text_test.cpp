// SPDX-License-Identifier: Apache-2.0
#include "base/text/terminal_text.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("control characters are not written to a terminal") {
    CHECK(terminalText("plain text, 100 %") == "plain text, 100 %");
    CHECK(terminalText("\x1b]0;title\a\x1b[2J") == "\\x1b]0;title\\x07\\x1b[2J");
    CHECK(terminalText("a\nb\r\tc\x7f") == "a\\x0ab\\x0d\\x09c\\x7f");
    CHECK(terminalText(std::string_view("\0x", 2)) == "\\x00x");
    CHECK(terminalText("\xc2\x9b"
                       "31m") == "\\x9b31m");  // the control sequence introducer as a single character
    CHECK(terminalText("safe\xe2\x80\xae"
                       "gpj.exe") == "safe\\u202egpj.exe");
}

TEST_CASE("letters of all scripts are kept, invalid bytes are written as numbers") {
    CHECK(terminalText("\xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x99\x82") == "\xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\x99\x82");
    CHECK(terminalText("\xff\xfe") == "\\xff\\xfe");
    CHECK(terminalText("\x9b"
                       "2J") == "\\x9b2J");
    CHECK(terminalText("\xc3") == "\\xc3");
    CHECK(terminalText("\xc3(") == "\\xc3(");
    CHECK(terminalText("\xc0\x9b") == "\\xc0\\x9b");           // an overlong encoding
    CHECK(terminalText("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // one half of a surrogate pair
    CHECK(terminalText("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("JSON lines for a terminal keep their values") {
    CHECK(terminalJson("{\"a\":\"\x7f\xc2\x9b\"}\n{}\n") == "{\"a\":\"\\u007f\\u009b\"}\n{}\n");
    CHECK(terminalJson("\x1b[2J\r\xff\n") == "\\u001b[2J\\u000d\\ufffd\n");
}
