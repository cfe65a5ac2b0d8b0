// SPDX-License-Identifier: Apache-2.0
#include "data/loading/channel_moments.h"

#include <algorithm>
#include <cmath>

namespace ringside {

ChannelMoments::ChannelMoments(const Dataset& dataset)
    : m_dataset(dataset),
      m_channels(static_cast<std::size_t>(dataset.shape().channels)),
      m_values(static_cast<std::size_t>(kChunks) * m_channels * 3),
      m_sample(static_cast<std::size_t>(dataset.shape().features)) {}

void ChannelMoments::Moments::merge(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double distance = other.mean - mean;
    squares += other.squares + distance * distance * count * other.count / total;
    mean += distance * other.count / total;
    count = total;
}

ChannelMoments::Moments ChannelMoments::momentsOf(std::span<const float> pixels) {
    Moments moments{.count = static_cast<double>(pixels.size())};
    for (const float value : pixels) moments.mean += value;
    moments.mean /= moments.count;
    for (const float value : pixels) moments.squares += (value - moments.mean) * (value - moments.mean);
    return moments;
}

void ChannelMoments::addChunk(std::int64_t chunk) {
    const std::int64_t size = m_dataset.size();
    const std::int64_t used = std::min(size, kMaxSamples);
    const std::size_t pixels = m_sample.size() / m_channels;
    std::vector<Moments> sums(m_channels);
    for (std::int64_t i = used * chunk / kChunks; i < used * (chunk + 1) / kChunks; ++i) {
        m_dataset.features(i * size / used, m_sample);
        for (std::size_t channel = 0; channel < m_channels; ++channel)
            sums[channel].merge(momentsOf(std::span(m_sample).subspan(channel * pixels, pixels)));
    }
    auto to = m_values.begin() + chunk * static_cast<std::int64_t>(m_channels * 3);
    for (const Moments& one : sums)
        for (const double value : {one.count, one.mean, one.squares}) *to++ = value;
}

ChannelScale ChannelMoments::scale() const {
    ChannelScale scale;
    for (std::size_t channel = 0; channel < m_channels; ++channel) {
        Moments whole;
        for (std::size_t at = channel * 3; at < m_values.size(); at += m_channels * 3)
            whole.merge({m_values[at], m_values[at + 1], m_values[at + 2]});
        const double deviation = whole.count > 0 ? std::sqrt(whole.squares / whole.count) : 0;
        scale.mean.push_back(static_cast<float>(whole.mean));
        // Treats tiny deviations as 0, because rounding errors give a constant channel a deviation of about 1e-16 times
        // its mean.
        const bool constant = deviation <= 1e-12 * std::abs(whole.mean);
        scale.deviation.push_back(constant ? 1.0F : static_cast<float>(deviation));
    }
    return scale;
}

ChannelScale channelScale(const Dataset& dataset) {
    ChannelMoments moments(dataset);
    for (std::int64_t chunk = 0; chunk < ChannelMoments::kChunks; ++chunk) moments.addChunk(chunk);
    return moments.scale();
}

}  // namespace ringside
