// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_data.h"

#include <array>

#include "data/sets/builtin/digits_dataset.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
namespace {

PythonData digits(const PythonDataRequest& request) {
    const std::string images = request.flat ? "" : ".reshape(-1, 1, 8, 8)";
    const std::string text =
        pythonSamples(false) + pythonPiece("open_text") +
        "\ndef load_data(path):\n"
        "    \"\"\"Handwritten digits: every line has 64 pixels from 0 to 16, then the digit.\"\"\"\n"
        "    with open_text(path) as file:\n"
        "        rows = torch.tensor([[float(cell) for cell in row] for row in csv.reader(file)])\n"
        "    return Samples(rows[:, :64]" +
        images + " / 16, rows[:, 64].long())\n";
    return {.function = text,
            .path = "pathlib.Path(__file__).resolve().with_name(" + pythonText(request.dataName) + ")",
            .imports = {"csv", "gzip"},
            .file = std::string(packedDigits())};
}

}  // namespace

std::string pythonSamples(bool bytes) {
    const char* const item = bytes ? "        return self.x[index].float() / 255, self.targets[index]  # pixels\n\n"
                                   : "        return self.x[index], self.targets[index]\n\n";
    return pythonPiece("samples") + item;
}

std::string pythonShape(const PythonDataRequest& request) {
    const SampleShape shape = request.data.training->shape();
    if (request.flat || !shape.isImage()) return std::string("(") + std::to_string(shape.features) + ",)";
    return std::string("(") + std::to_string(shape.channels) + ", " + std::to_string(shape.height) + ", " +
           std::to_string(shape.width) + ")";
}

Result<PythonData> pythonData(const PythonDataRequest& request) {
    switch (request.config.kind) {
        case DatasetKind::kDigits:
            return digits(request);
        case DatasetKind::kCsv:
            return pythonTable(request);
        case DatasetKind::kIdx:
        case DatasetKind::kNpy:
            return pythonArrays(request);
        case DatasetKind::kCifar10:
        case DatasetKind::kCifar100:
            return pythonCifar(request);
        case DatasetKind::kImageFolder:
            return pythonImageFolder(request);
        case DatasetKind::kSynthetic:
            return pythonSynthetic(request);
        case DatasetKind::kExternal:
            return Problem{"dataset.kind", "is external: the samples belong to a script that Ringside only watched",
                           "choose another data set"};
        case DatasetKind::kText:
            break;
    }
    return pythonCharacterData(request);
}

}  // namespace ringside
