// SPDX-License-Identifier: Apache-2.0
#include "data/sets/builtin/text_dataset.h"
#include "export/pytorch/pytorch_data.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
PythonData pythonCharacterData(const PythonDataRequest& request) {
    const bool builtIn = request.path.empty();
    PythonData data{.function = pythonPiece("text") + pythonPiece("open_text") + pythonPiece("load_text") +
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
