// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "data/sets/builtin/text_dataset.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<float> charactersOf(const Dataset& data, std::int64_t index) {
    std::vector<float> values(static_cast<std::size_t>(data.shape().features));
    data.features(index, values);
    return values;
}

std::vector<std::int64_t> labelsOf(const Dataset& data, std::int64_t index) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(data.shape().labels()));
    data.labels(index, values);
    return values;
}

std::string refusal(const std::string& text, std::int64_t length) {
    return TextDataset::make(text, length, "t.txt").problem().text();
}

}  // namespace

TEST_CASE("a text becomes samples of characters, each labelled with the one after it") {
    const auto data = TextDataset::make("cab a cab", 3, "t.txt").value();  // ' ' a b c are 0 1 2 3
    CHECK(data->size() == 2);
    CHECK(data->classCount() == 4);
    CHECK(charactersOf(*data, 0) == std::vector<float>{3, 1, 2});
    CHECK(labelsOf(*data, 0) == std::vector<std::int64_t>{1, 2, 0});
    CHECK(charactersOf(*data, 1) == std::vector<float>{0, 1, 0});
    CHECK(labelsOf(*data, 1) == std::vector<std::int64_t>{1, 0, 3});
    CHECK(data->label(1) == 3);
    CHECK(data->text(1) == " a ");
    CHECK(data->className(0) == "space");
    CHECK(data->className(3) == "c");
}

TEST_CASE("characters are code points of UTF-8 in their order, without a byte order mark") {
    const auto data = TextDataset::make("\xef\xbb\xbf\xe2\x82\xac\xc3\xa9\xf0\x9f\x99\x82z\n", 2, "t.txt").value();
    CHECK(data->classCount() == 5);
    CHECK(data->className(0) == "\\n");
    CHECK(data->className(1) == "z");
    CHECK(data->className(2) == "\xc3\xa9");          // e with acute, U+00E9
    CHECK(data->className(3) == "\xe2\x82\xac");      // euro sign, U+20AC
    CHECK(data->className(4) == "\xf0\x9f\x99\x82");  // U+1F642
    CHECK(data->text(0) == "\xe2\x82\xac\xc3\xa9");
}

TEST_CASE("a text that cannot be used is refused with the byte or the limit") {
    CHECK(refusal("ab", 1) ==
          "t.txt has 2 characters; the minimum with dataset.context_length 1 is 3: use a longer text or lower "
          "dataset.context_length");
    CHECK(refusal("aaaa", 1) == "t.txt has 1 distinct characters; the limits are 2 to 65,535: choose another text");
    for (const char* bad : {"ab\xff", "ab\xc0\x80", "ab\xed\xa0\x80", "ab\xe2\x82", "ab\xf4\x90\x80\x80"})
        CHECK(refusal(bad, 1) == "t.txt is not UTF-8 text: byte 2 does not start a character: save the text as UTF-8");
}

TEST_CASE("without a file the sonnets are used, split as any other data set") {
    DatasetConfig config;
    config.kind = DatasetKind::kText;
    const DataSplit split = loadDataset(config).value();
    // 14,128 characters: (14128 - 1) / 64 = 220 samples, a fifth of which validate.
    CHECK(split.summary == "176 training, 44 validation samples, 64 characters");
    CHECK(split.training->shape().isSequence);
    CHECK(builtInText().starts_with("Shall I compare thee to a summer's day?\n"));
}
