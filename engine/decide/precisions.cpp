#include "engine/decide/precisions.hpp"

#include <fmt/format.h>

namespace roofcast {
namespace {

std::string supported_list(const Device& device, Task task) {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : precision_presets()) {
    if ((task == Task::training ? policy.training : policy.inference) && device.supports(policy)) {
      names.push_back(policy.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const PrecisionPolicy& policy : precision_presets()) names.push_back(policy.name);
  return names;
}

// The format that the model comes in, or what a card without its arithmetic makes of it, if that is its name.
std::optional<PrecisionPolicy> of_model(const std::optional<StoredFormat>& stored, std::string_view name) {
  if (!stored) return std::nullopt;
  if (stored->precision.name == name) return stored->precision;
  if (PrecisionPolicy weights = weights_only(stored->precision); weights.name == name) return weights;
  return std::nullopt;
}

}  // namespace

bool is_stored(const Graph& model, const PrecisionPolicy& policy) {
  return of_model(model.stored, policy.name).has_value();
}

Result<std::vector<PrecisionPolicy>> precisions_for(const Device& device, const Request& request,
                                                    const std::optional<StoredFormat>& stored) {
  std::vector<PrecisionPolicy> policies;
  const auto for_task = [&](const PrecisionPolicy& policy) {
    return request.task == Task::training ? policy.training : policy.inference;
  };
  if (request.precisions.empty() && stored && request.task == Task::inference) {
    const PrecisionPolicy& own = stored->precision;
    for (const PrecisionPolicy& policy :
         {own, weights_only(own), *find_precision("bf16"), *find_precision("fp16")}) {
      const bool has_16_bits = policies.size() > 1;
      const bool again = !policies.empty() && policy.quantized();
      if (!has_16_bits && !again && device.supports(policy)) policies.push_back(policy);
    }
    return policies;
  }
  if (request.precisions.empty()) {
    for (const PrecisionPolicy& policy : precision_presets()) {
      if (policy.listed && for_task(policy) && device.supports(policy)) policies.push_back(policy);
    }
    return policies;
  }
  Diagnostics problems;
  for (const std::string& name : request.precisions) {
    const std::optional<PrecisionPolicy> own = of_model(stored, name);
    const PrecisionPolicy* policy = own ? &*own : find_precision(name);
    const std::string_view task = request.task == Task::training ? "training" : "inference";
    if (policy == nullptr) {
      const std::vector<std::string> names = preset_names();
      problems.push_back(
          {{},
           fmt::format("unknown precision '{}'", name),
           did_you_mean(name, names, fmt::format("precisions are {}", fmt::join(names, ", ")))});
    } else if (!for_task(*policy) && !policy->autocast) {  // autocast is for inference too, if somebody asks
      problems.push_back(
          {{},
           fmt::format("precision '{}' is not for {}", name, task),
           fmt::format("for {} on this card: {}", task, supported_list(device, request.task))});
    } else if (!device.supports(*policy)) {
      problems.push_back({{},
                          fmt::format("{} has no {}", device.name, name),
                          fmt::format("for {} it has {}", task, supported_list(device, request.task))});
    } else {
      policies.push_back(*policy);
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return policies;
}

}  // namespace roofcast
