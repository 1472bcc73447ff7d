#include "tools/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "engine/base/diagnostics.hpp"
#include "tools/output.hpp"
#include "tools/version.hpp"

namespace roofcast {
namespace {

constexpr const char* description =
    "Predicts time and memory of neural networks on GPUs.\n"
    "\n"
    "  simulate --hw a100 --model bert.toml\n"
    "  simulate --hw rtx-3060 --model resnet50 --task training --batch 1..256\n"
    "  simulate explain --hw a100 --model bert --precision fp16 --batch 8\n"
    "  simulate --hw a100 --model bert --batch 1..10000:1 -o sweep.csv\n"
    "\n"
    "Exit codes: 0 answered, 1 internal or input/output error, 2 wrong use or invalid input,\n"
    "3 nothing fits and --require-fit was given, 5 some of several could not be answered.";

// For files that nobody wrote for us.
void add_file_options(CLI::App& app, ModelOptions& run) {
  app.add_option("--shape", run.shapes,
                 "INPUT=1x3x224x224: the shape of an input whose file leaves it open; repeatable");
  app.add_flag("--allow-unknown", run.allow_unknown,
               "Go on with operators that are not known, whose cost is then missing");
}

void add_model_options(CLI::App& app, ModelOptions& run) {
  app.add_option("--hw", run.hardware,
                 "Card: a name, a TOML file or a pattern such as 'rtx-30*'; repeatable");
  app.add_option(
      "--model", run.models,
      "Model: a file (TOML, config.json, GGUF, safetensors), a name of ours or a pattern; repeatable");
  app.add_option("--task", run.task, "inference or training")->capture_default_str();
  app.add_option("--precision", run.precisions,
                 "Comma list such as fp32,fp16; all that the card has if left out");
  app.add_option("--batch", run.batches,
                 "Comma list of batch sizes; 1..256 means the powers of two in between and both ends, "
                 "8..512:8 every eighth size");
  app.add_option(
      "--phase", run.phases,
      "Comma list of a model's phases, such as prefill,decode; all that it has if left out; forward is "
      "a pass with all symbols as they are");
  app.add_option(
      "--set", run.symbols,
      "NAME=VALUE: a size of the model, such as seq=512; 4k is 4096; several values as with --batch "
      "give an answer for each; repeatable");
  add_file_options(app, run);
  app.add_option("--optimizer", run.optimizer, "none, sgd, momentum, adam or adamw (default), for training");
  app.add_option("--runtime", run.runtime,
                 "Framework; `simulate list runtimes` prints them; pytorch-eager if left out");
  app.add_option(
      "--attention", run.attention,
      "fused (one kernel) or unfused (matmul, softmax, matmul); as the runtime has it if left out");
  app.add_flag("--channels-last", run.channels_last, "Images are stored with their channels last (NHWC)");
  app.add_flag("--input-copy", run.input_copy,
               "Add the copy of the inputs from pinned memory of the host to the card, not hidden");
  app.add_option("--input-rate", run.input_rate,
                 "Samples per second that the input pipeline delivers at most, such as 1500");
  app.add_flag("--no-calibration", run.no_calibration,
               "Only the priors of the architecture, though the card has a profile of its own");
  app.add_option("--price", run.price,
                 "US dollars per GPU and hour, such as 1.99; else the cheapest known offer");
}

void add_output_options(CLI::App& app, OutputOptions& output) {
  app.add_option("--format", output.format, "table, csv, markdown or json");
  app.add_flag("--json", output.json, "Short for --format json");
  app.add_option("-o,--output", output.file,
                 "Write to a file; its ending chooses the format (.txt .csv .md .json)");
  app.add_flag("--wide", output.wide, "Do not fit tables to the terminal");
  app.add_flag("--no-color", output.no_color, "No colours, as with the environment variable NO_COLOR");
  app.add_flag("-q,--quiet", output.quiet, "No remarks and no progress on standard error");
}

void add_threads(CLI::App& app, Options& options) {
  app.add_option("--threads", options.threads,
                 "Threads to compute on; all of the machine if left out. The answer does not depend on them");
}

void add_validate_options(CLI::App& app, ValidateOptions& validate) {
  app.add_option("--measured", validate.measured, "Folder with the tables, CSV files")->required();
  app.add_option("--by", validate.by,
                 "Comma list of what rows are grouped by: device, kernel, precision, task, model, source, "
                 "runtime, scope, seen")
      ->capture_default_str();
  app.add_option(
      "--only", validate.only,
      "Comma list of tables (file names) or kinds of rows: operators, network, gemm, softmax, ...");
  app.add_option("--rows", validate.rows, "Write a CSV file with a line for each measured row");
  app.add_flag(
      "--calibrated", validate.calibrated,
      "With the profiles of cards that have one; without it only priors of architectures are compared");
  app.add_option("--baseline", validate.baseline, "roofline: also compare with the plain data sheet");
}

// Every way to begin an argument here, for suggestions.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  return words;
}

int refuse_extras(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  Diagnostics problems;
  for (const std::string& extra : app.remaining(true)) {
    if (extra == "--") continue;
    const std::string word = extra.substr(0, extra.find('='));
    const bool option = word.starts_with('-');
    // A value of an unknown option is no mistake of its own.
    if (!option && !problems.empty()) continue;
    problems.push_back(
        {{},
         fmt::format("{} '{}'", option ? "unknown option" : "unknown command or argument", word),
         did_you_mean(word, known_words(*at), "`simulate --help` lists what there is")});
  }
  return refuse(problems);
}

// CLI11's own messages begin with an option's name or a capital letter and name no way out.
int refuse_other(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  if (error.get_name() == "RequiredError" && message.ends_with(" is required")) {
    const std::string name = message.substr(0, message.size() - 12);
    message = name.starts_with('-') ? name + " is missing" : fmt::format("'{}' is missing", name);
  }
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  const std::string command = at == &app ? std::string{} : at->get_name() + " ";
  return refuse({{{}, message, fmt::format("`simulate {}--help` says how it is used", command)}});
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  Options& options = line.options;
  CLI::App app{description, "simulate"};
  app.set_version_flag("--version", fmt::format("simulate {}", tool_version));
  app.require_subcommand(0, 1);
  add_model_options(app, options.run);
  add_output_options(app, options.output);
  add_threads(app, options);
  app.add_flag("--all", options.all, "Every configuration, not only those up to the recommended one");
  app.add_flag("--require-fit", options.require_fit, "Leave with exit code 3 if nothing fits");

  CLI::App* explain =
      app.add_subcommand("explain", "One configuration, kernel by kernel, with formulas and numbers");
  add_model_options(*explain, options.run);
  add_output_options(*explain, options.output);
  add_threads(*explain, options);
  explain->add_flag("--expand", options.expand, "Show each repetition of a repeated block");

  CLI::App* list =
      app.add_subcommand("list", "What there is: hw, models, operators, runtimes or calibrations");
  list->add_option("what", options.topic, "hw, models, operators, runtimes or calibrations")->required();
  add_output_options(*list, options.output);

  CLI::App* show = app.add_subcommand("show", "One card's data sheet, or a model's counts");
  show->add_option("what", options.topic, "hw or model")->required();
  show->add_option("name", options.name, "Which one")->required();
  show->add_option("--set", options.run.symbols,
                   "NAME=VALUE for a model, such as batch=8 or seq=512; repeatable");
  add_file_options(*show, options.run);
  add_output_options(*show, options.output);

  CLI::App* validate =
      app.add_subcommand("validate", "How far predictions are from tables of measured times");
  add_validate_options(*validate, options.validate);
  add_output_options(*validate, options.output);
  add_threads(*validate, options);

  line.stop = true;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    line.exit_code = refuse_extras(app);
    return line;
  } catch (const CLI::Success& success) {  // --help and --version
    line.exit_code = app.exit(success, std::cout, std::cerr);
    std::cout.flush();
    if (!std::cout) line.exit_code = exit_internal;
    return line;
  } catch (const CLI::ParseError& error) {
    line.exit_code = refuse_other(app, error);
    return line;
  }
  if (app.got_subcommand(explain)) line.command = Command::explain;
  if (app.got_subcommand(list)) line.command = Command::list;
  if (app.got_subcommand(show)) line.command = Command::show;
  if (app.got_subcommand(validate)) line.command = Command::validate;
  const bool predicts = line.command == Command::estimate || line.command == Command::explain;
  if (predicts && (options.run.hardware.empty() || options.run.models.empty())) {
    line.exit_code = refuse({{{},
                              options.run.hardware.empty() ? "--hw is missing" : "--model is missing",
                              "for example: simulate --hw a100 --model bert.toml"}});
    return line;
  }
  line.stop = false;
  return line;
}

}  // namespace roofcast
