// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "nn/layer/layer.h"

namespace ringside {

// Squared norm of a model's gradients whose rows (the first dimension) are distributed over ranks.
//
// Each rank writes the sums of squares of the rows that it holds, an all-reduce adds the zeros of the other ranks, and
// each rank then adds the rows of a tensor in the order of the rows and the tensors in the order of the model. The
// result does not depend on which rank holds which rows: it has the bits of Backend::decideUpdate() of whole tensors.
class RowSquares {
  public:
    // parameters: the parameters of the whole model in their order.
    explicit RowSquares(const std::vector<Parameter*>& parameters);

    void clear();
    // Returns the elements for the sums of `count` rows of a parameter, starting at row `first`.
    std::span<double> rows(const std::string& parameter, std::int64_t first, std::int64_t count);
    // Collective over all ranks that hold rows.
    double total(Communicator& ranks);

  private:
    // Range of elements in m_squares.
    struct Place {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    std::vector<Place> m_places;             // range of each parameter
    std::map<std::string, Place> m_placeOf;  // range of each parameter name
    std::vector<double> m_squares;           // sums of squares of all rows of the model
};

}  // namespace ringside
