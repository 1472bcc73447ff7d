#include "tools/load_run.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>

#include "tools/glob.hpp"
#include "tools/parse_values.hpp"

namespace roofcast {
namespace {

void add(Diagnostics& problems, const Diagnostics& more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

void complain(Diagnostics& problems, std::string message, std::string hint = {}) {
  problems.push_back({{}, std::move(message), std::move(hint)});
}

// Patterns become the slugs that match; other names stay.
std::vector<std::string> expand_hardware(const DataFolder& data, const std::vector<std::string>& names,
                                         Diagnostics& problems) {
  std::vector<std::string> expanded;
  for (const std::string& name : names) {
    if (!is_pattern(name)) {
      expanded.push_back(name);
      continue;
    }
    const std::vector<std::string> found = matches(name, data.devices());
    if (found.empty()) {
      complain(problems, fmt::format("no card matches '{}'", name), "`simulate list hw` prints them all");
    }
    expanded.insert(expanded.end(), found.begin(), found.end());
  }
  return expanded;
}

std::vector<std::string> files_matching(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

// Patterns become files of the current folder, or if there are none models of the data folder.
std::vector<std::string> expand_models(const DataFolder& data, const std::vector<std::string>& names,
                                       Diagnostics& problems) {
  std::vector<std::string> expanded;
  for (const std::string& name : names) {
    if (!is_pattern(name)) {
      expanded.push_back(name);
      continue;
    }
    std::vector<std::string> found = files_matching(name);
    if (found.empty())
      found = matches(name.ends_with(".toml") ? name.substr(0, name.size() - 5) : name, data.models());
    if (found.empty()) complain(problems, fmt::format("no model file matches '{}'", name));
    expanded.insert(expanded.end(), found.begin(), found.end());
  }
  return expanded;
}

Result<NamedPlatform> load_platform(const DataFolder& data, const std::string& name, const Runtime& runtime,
                                    const std::optional<Price>& price, bool calibrated) {
  auto found = data.find_device(name);
  if (!found) return tl::make_unexpected(found.error());
  auto priors = data.priors_for(found->device);
  if (!priors) return tl::make_unexpected(priors.error());
  NamedPlatform named{.asked_for = name, .note = found->note};
  named.platform = {
      .device = std::move(found->device), .runtime = runtime, .priors = *std::move(priors), .price = price};
  if (calibrated) {
    const Device& device = named.platform.device;
    const auto own = data.calibration_for(device);
    if (!own) return tl::make_unexpected(own.error());
    if (*own) named.platform.priors = priors_of((*own)->calibration, device, (*own)->file);
  }
  if (price) return named;
  const auto offers = data.offers_for(named.platform.device.slug);
  if (!offers) return tl::make_unexpected(offers.error());
  named.platform.price = cheapest_on_demand(*offers);
  return named;
}

void read_task(const ModelOptions& options, Request& request, Diagnostics& problems) {
  if (options.task == "training") {
    request.task = Task::training;
  } else if (options.task != "inference") {
    complain(problems, fmt::format("--task: unknown task '{}'", options.task),
             options.task.starts_with("train") ? "did you mean 'training'?" : "known: inference, training");
  }
  if (options.optimizer.empty()) return;
  if (const auto optimizer = parse_optimizer(options.optimizer)) {
    request.optimizer = *optimizer;
  } else {
    complain(problems, fmt::format("--optimizer: unknown optimizer '{}'", options.optimizer),
             did_you_mean(options.optimizer, {"none", "sgd", "momentum", "adam", "adamw"},
                          "known: none, sgd, momentum, adam, adamw"));
  }
}

void read_precisions(const ModelOptions& options, Request& request, Diagnostics& problems) {
  if (options.precisions.empty()) return;
  std::vector<std::string> known;
  for (const PrecisionPolicy& policy : precision_presets()) known.push_back(policy.name);
  for (std::string name : split_list(options.precisions)) {
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (find_precision(name) == nullptr) {
      complain(problems, fmt::format("--precision: unknown precision '{}'", name),
               did_you_mean(name, known, fmt::format("known: {}", fmt::join(known, ", "))));
    } else if (std::ranges::find(request.precisions, name) == request.precisions.end()) {
      request.precisions.push_back(name);
    }
  }
}

// What people use who say nothing.
std::string default_runtime(Task /*task*/) {
  return "pytorch-eager";
}

void read_input_supply(const ModelOptions& options, Request& request, Diagnostics& problems) {
  request.input.copied = options.input_copy;
  if (options.input_rate.empty()) return;
  if (const auto rate = parse_rate(options.input_rate)) {
    request.input.samples_per_second = *rate;
  } else {
    add(problems, rate.error());
  }
}

// The runtime that is asked for, with what other options change of it.
Result<Runtime> read_runtime(const DataFolder& data, const ModelOptions& options, Task task) {
  auto runtime = data.runtime(options.runtime.empty() ? default_runtime(task) : options.runtime);
  Diagnostics problems;
  if (!runtime) problems = runtime.error();
  const bool known = options.attention == "fused" || options.attention == "unfused";
  if (!options.attention.empty() && !known) {
    complain(problems, fmt::format("--attention: unknown kind '{}'", options.attention),
             did_you_mean(options.attention, {"fused", "unfused"}, "known: fused, unfused"));
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  if (known) runtime->fused_attention = options.attention == "fused";
  return runtime;
}

Request read_request(const ModelOptions& options, Diagnostics& problems) {
  Request request;
  request.channels_last = options.channels_last;
  read_input_supply(options, request, problems);
  read_task(options, request, problems);
  read_precisions(options, request, problems);
  if (!options.phases.empty()) {
    for (const std::string& phase : split_list(options.phases)) {
      if (std::ranges::find(request.phases, phase) == request.phases.end()) request.phases.push_back(phase);
    }
  }
  if (!options.batches.empty()) {
    const auto batches = parse_batches(options.batches);
    if (batches) {
      request.batches = *batches;
    } else {
      add(problems, batches.error());
    }
  }
  return request;
}

// The combinations of the values that `--set` lists; the request takes the first.
std::vector<Bindings> read_symbols(const ModelOptions& options, Request& request, Diagnostics& problems) {
  const auto symbols = parse_symbols(options.symbols);
  if (!symbols) {
    add(problems, symbols.error());
    return {};
  }
  if (symbols->contains("batch"))
    complain(problems, "--set: the batch size has its own option", "write --batch");
  for (const auto& [name, values] : *symbols) {
    if (values.size() > 1) request.listed.push_back(name);
  }
  auto combinations = combinations_of(*symbols);
  if (!combinations) {
    add(problems, combinations.error());
    return {};
  }
  request.symbols = combinations->front();
  return *std::move(combinations);
}

OpenOptions read_open_options(const ModelOptions& options, const Request& request, Diagnostics& problems) {
  OpenOptions open{.symbols = request.symbols, .allow_unknown = options.allow_unknown};
  if (auto shapes = parse_shapes(options.shapes)) {
    open.shapes = *std::move(shapes);
  } else {
    add(problems, shapes.error());
  }
  return open;
}

std::vector<std::pair<std::string, std::string>> inputs_of(const ModelOptions& options,
                                                           const Request& request) {
  std::vector<std::pair<std::string, std::string>> inputs;
  const auto add_if_given = [&](std::string name, const std::string& value) {
    if (!value.empty()) inputs.emplace_back(std::move(name), value);
  };
  for (const std::string& name : options.hardware) inputs.emplace_back("hw", name);
  for (const std::string& name : options.models) inputs.emplace_back("model", name);
  inputs.emplace_back("task", options.task);
  add_if_given("precision", options.precisions);
  add_if_given("batch", options.batches);
  add_if_given("phase", options.phases);
  for (const auto& [name, value] : request.symbols) {
    if (std::ranges::find(request.listed, name) == request.listed.end())
      inputs.emplace_back("set", fmt::format("{}={}", name, value));
  }
  for (const std::string& text : options.symbols) {
    if (std::ranges::find(request.listed, text.substr(0, text.find('='))) != request.listed.end())
      inputs.emplace_back("set", text);
  }
  for (const std::string& shape : options.shapes) inputs.emplace_back("shape", shape);
  if (options.allow_unknown) inputs.emplace_back("allow-unknown", "true");
  if (request.task == Task::training)
    inputs.emplace_back("optimizer", std::string(to_string(request.optimizer)));
  inputs.emplace_back("runtime", options.runtime.empty() ? default_runtime(request.task) : options.runtime);
  add_if_given("attention", options.attention);
  if (options.channels_last) inputs.emplace_back("channels-last", "true");
  if (options.input_copy) inputs.emplace_back("input-copy", "true");
  add_if_given("input-rate", options.input_rate);
  add_if_given("price", options.price);
  if (options.no_calibration) inputs.emplace_back("no-calibration", "true");
  return inputs;
}

// What is known of it before anything is computed; precisions and phases that are not named come on top.
void check_count(const Run& run, Diagnostics& problems) {
  double count = 1;
  for (const std::size_t choices : {run.request.batches.size(), run.request.precisions.size(),
                                    run.combinations.size(), run.platforms.size(), run.models.size()}) {
    count *= static_cast<double>(std::max<std::size_t>(choices, 1));
  }
  if (count > most_configurations) {
    complain(problems, fmt::format("{:.0f} configurations are more than {}", count, most_configurations),
             "ask for fewer cards, models, sizes or precisions at a time");
  }
}

std::vector<Warning> warnings_of(const Run& run, const ModelOptions& options) {
  std::vector<Warning> warnings;
  if (!options.optimizer.empty() && run.request.task == Task::inference) {
    warnings.push_back({"W-UNUSED", "--optimizer only matters with --task training"});
  }
  std::vector<std::string> unpriced;
  std::vector<std::string> undated;
  for (const NamedPlatform& named : run.platforms) {
    if (!named.note.empty()) warnings.push_back({"W-NAME", named.note});
    const std::optional<Price>& price = named.platform.price;
    if (!price) unpriced.push_back(named.platform.device.slug);
    if (price && price->cloud != "user" && price->as_of.empty())
      undated.push_back(named.platform.device.slug);
  }
  if (!unpriced.empty()) {
    warnings.push_back(
        {"W-NO-PRICE", fmt::format("no price is known for {}: --price sets one", fmt::join(unpriced, ", "))});
  }
  if (!undated.empty()) {
    warnings.push_back({"W-OLD-PRICE", fmt::format("the price has no date for {}: --price sets another",
                                                   fmt::join(undated, ", "))});
  }
  for (const NamedModel& model : run.models) {
    for (const std::string& note : model.graph.notes) {
      warnings.push_back({"W-MODEL", fmt::format("{}: {}", model.graph.name, note)});
    }
  }
  return warnings;
}

}  // namespace

Result<SymbolValues> parse_symbols(const std::vector<std::string>& assignments) {
  SymbolValues symbols;
  Diagnostics problems;
  for (const std::string& text : assignments) {
    auto assignment = parse_assignment(text);
    if (!assignment) {
      add(problems, assignment.error());
    } else if (!symbols.insert(*std::move(assignment)).second) {
      complain(problems, fmt::format("--set: '{}' is set twice", text.substr(0, text.find('='))));
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return symbols;
}

Result<std::vector<Bindings>> combinations_of(const SymbolValues& symbols) {
  constexpr std::size_t most = 10'000;  // each is read and compiled by itself
  std::vector<Bindings> combinations{{}};
  for (const auto& [name, values] : symbols) {
    if (values.size() > most / combinations.size()) {
      return fail(fmt::format("--set: more than {} combinations of values", most), {}, "take larger steps");
    }
    std::vector<Bindings> longer;
    for (const Bindings& combination : combinations) {
      for (const std::int64_t value : values) {
        longer.push_back(combination);
        longer.back()[name] = value;
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

Result<InputShapes> parse_shapes(const std::vector<std::string>& texts) {
  InputShapes shapes;
  Diagnostics problems;
  for (const std::string& text : texts) {
    auto shape = parse_shape(text);
    if (!shape) {
      add(problems, shape.error());
    } else if (!shapes.insert(*std::move(shape)).second) {
      complain(problems, fmt::format("--shape: '{}' is given twice", text.substr(0, text.rfind('='))));
    }
  }
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  return shapes;
}

Result<NamedModel> load_named_model(const DataFolder& data, const std::string& name,
                                    const OpenOptions& options) {
  const auto path = data.find_model_path(name);
  if (!path) return tl::make_unexpected(path.error());
  auto graph = open_model(data, *path, options);
  if (!graph) return tl::make_unexpected(graph.error());
  return NamedModel{*std::move(graph), path->string()};
}

Result<Run> load_run(const DataFolder& data, const ModelOptions& options) {
  Run run;
  Diagnostics problems;
  run.request = read_request(options, problems);
  run.combinations = read_symbols(options, run.request, problems);
  std::optional<Price> price;
  if (!options.price.empty()) {
    const auto given = parse_price(options.price);
    if (given) {
      price = *given;
    } else {
      add(problems, given.error());
    }
  }
  const auto runtime = read_runtime(data, options, run.request.task);
  if (!runtime) add(problems, runtime.error());
  for (const std::string& name : expand_hardware(data, options.hardware, problems)) {
    auto platform = load_platform(data, name, runtime ? *runtime : Runtime{}, price, !options.no_calibration);
    if (!platform) {
      add(problems, platform.error());
      continue;
    }
    const bool known = std::ranges::any_of(run.platforms, [&](const NamedPlatform& other) {
      return other.platform.device.slug == platform->platform.device.slug;
    });
    if (!known) run.platforms.push_back(*std::move(platform));
  }
  run.open_options = read_open_options(options, run.request, problems);
  for (const std::string& name : expand_models(data, options.models, problems)) {
    auto model = load_named_model(data, name, run.open_options);
    if (model) {
      run.models.push_back(*std::move(model));
    } else {
      add(problems, model.error());
    }
  }
  check_count(run, problems);
  if (!problems.empty()) return tl::make_unexpected(std::move(problems));
  run.inputs = inputs_of(options, run.request);
  run.warnings = warnings_of(run, options);
  return run;
}

}  // namespace roofcast
