// SPDX-License-Identifier: Apache-2.0
#include "data/sets/builtin/text_dataset.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"

namespace ringside {
namespace {

constexpr const char* kTextClass = R"(
class Text(Dataset):
    """Sequences of characters as numbers; every character is to predict the next one."""

    def __init__(self, tokens, length):
        count = (len(tokens) - 1) // length
        self.x = tokens[: count * length].reshape(count, length)
        self.y = tokens[1 : count * length + 1].reshape(count, length)
        self.targets = self.y[:, -1]  # what a sampler takes for a sample's class

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]

)";

constexpr const char* kLoad = R"(
def load_data(path):
    """A text, its characters numbered in the order of their code points."""
    with open_text(path) as file:
        text = file.read()
    number = {character: i for i, character in enumerate(sorted(set(text)))}
)";

}  // namespace

PythonData pythonCharacters(const PythonDataRequest& request) {
    const bool builtIn = request.path.empty();
    PythonData data{.function = std::string(kTextClass) + kPythonOpenText + kLoad +
                                "    return Text(torch.tensor([number[character] for character in text]), " +
                                std::to_string(request.config.contextLength) + ")\n",
                    .path = pythonText(request.path.string()),
                    .imports = {"gzip"}};
    if (builtIn) {
        data.path = "pathlib.Path(__file__).resolve().with_name(" + pythonText(request.dataName) + ")";
        data.file = builtInText();
    }
    return data;
}

}  // namespace ringside
