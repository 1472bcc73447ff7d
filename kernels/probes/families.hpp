#pragma once
// One function for each family of probes; kernels/probe_list.cpp lists them.

#include <vector>

#include "kernels/probe_list.hpp"

namespace roofcast {

std::vector<Probe> stream_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> transfer_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> product_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> convolution_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> elementwise_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> row_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> attention_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> optimizer_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> latency_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> collective_probes(Extent extent, const ProbeLimits& limits);
std::vector<Probe> rate_probes(Extent extent, const ProbeLimits& limits);

}  // namespace roofcast
