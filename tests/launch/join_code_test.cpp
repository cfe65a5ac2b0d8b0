// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/join_code.h"
#include "launch/classroom/qr_code.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("a join code contains address, port and secret in any spelling") {
    // The expected code was computed in Python: int('00112233445566778899aabbccddeeff', 16) << 2, as 26 digits of
    // Crockford's base 32.
    const JoinCode code{"10.0.0.7", 21345, "00112233445566778899aabbccddeeff"};
    const std::string text = "10.0.0.7:21345/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W";
    CHECK(code.text() == text);
    for (const std::string& typed : std::vector{text, std::string(" 10.0.0.7:21345/\n008j4ct4ank7f24snaxwsqfezw\n"),
                                                std::string("10.0.0.7:21345/oo8J4-CT4AN-K7F24-SNAXW-SQFEZ-W")}) {
        const Result<JoinCode> parsed = JoinCode::parse(typed);
        REQUIRE(parsed.ok());
        CHECK(parsed.value().host == "10.0.0.7");
        CHECK(parsed.value().port == 21345);
        CHECK(parsed.value().token == code.token);
    }
    const Result<JoinCode> v6 = JoinCode::parse("[fe80::1]:2000/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W");
    REQUIRE(v6.ok());
    CHECK(v6.value().host == "fe80::1");
    CHECK(v6.value().text() == "[fe80::1]:2000/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W");
}

TEST_CASE("a mistyped join code is reported with the position") {
    const auto refusal = [](const std::string& text) {
        const Result<JoinCode> code = JoinCode::parse(text);
        REQUIRE_FALSE(code.ok());
        return code.problem().text();
    };
    CHECK(refusal("").find("is empty") != std::string::npos);
    CHECK(refusal("10.0.0.7:21345").find("has no \"/\"") != std::string::npos);
    CHECK(refusal("10.0.0.7/008J4CT4ANK7F24SNAXWSQFEZW").find("has no ADDRESS:PORT") != std::string::npos);
    CHECK(refusal("10.0.0.7:0/008J4CT4ANK7F24SNAXWSQFEZW").find("a port from 1 to 65535") != std::string::npos);
    CHECK(refusal("h:99999/008J4CT4ANK7F24SNAXWSQFEZW").find("has \"99999\"") != std::string::npos);
    CHECK(refusal("h:1/008J4CT4ANK7F24SNAXWSQFEZ").find("has an invalid secret") != std::string::npos);
    CHECK(refusal("h:1/008J4CT4ANK7F24SNAXWSQFEZWW").find("has an invalid secret") != std::string::npos);
    CHECK(refusal("h:1/U08J4CT4ANK7F24SNAXWSQFEZW").find("has an invalid secret") != std::string::npos);
    // The last digit has bits beyond the 128 bits of the token.
    CHECK(refusal("h:1/008J4CT4ANK7F24SNAXWSQFEZX").find("has an invalid secret") != std::string::npos);
    CHECK(refusal(std::string(300, 'a')).find("has more than 256 characters") != std::string::npos);
}

TEST_CASE("a QR code has its three finders and a quiet zone in the terminal") {
    const QrCode code = makeQrCode("10.0.0.7:21345/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W");
    if (code.isEmpty()) {
        WARN("built without libqrencode");
        return;
    }
    CHECK((code.width - 17) % 4 == 0);  // version v has 17 + 4 v modules a side (ISO/IEC 18004)
    const int far = code.width - 7;
    for (const auto& [row, column] : {std::pair{0, 0}, std::pair{0, far}, std::pair{far, 0}}) {
        CHECK(code.isBlack(row, column));
        CHECK_FALSE(code.isBlack(row + 1, column + 1));
        CHECK(code.isBlack(row + 3, column + 3));
    }
    CHECK_FALSE(code.isBlack(-1, 0));
    CHECK_FALSE(code.isBlack(0, code.width));
    CHECK(code.blocks().starts_with("\x1b[30;107m    "));
}
