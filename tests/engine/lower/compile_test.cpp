#include <doctest/doctest.h>

#include "engine/lower/compiled_program.hpp"
#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

const std::string head = model_head("batch = 2\nhidden = 8") + input("x", "\"batch\", \"hidden\"");

CompiledProgram compiled(const std::string& text, const CompileOptions& options = {}) {
  auto program = compile(load(text), options);
  INFO("complaint: ", program ? std::string("none") : to_string(program.error()));
  REQUIRE(program.has_value());
  return *std::move(program);
}

std::string complaint(const CompiledProgram& program, const Bindings& bindings = {}) {
  const auto slots = slot_values(program, bindings);
  return slots ? "no mistakes" : to_string(slots.error());
}

std::int64_t value(const CompiledProgram& program, Slot slot, const Bindings& bindings = {}) {
  return slot_values(program, bindings).value().at(static_cast<std::size_t>(slot));
}

const std::string two_layers = head + node("a", "linear", "\"x\"", "out_features = 16") +
                               node("act", "relu") +
                               node("b", "linear", {}, "out_features = 4\nbias = false");

TEST_CASE("compile: counts parameters, MACs, layer outputs and nodes") {
  const CompiledProgram program = compiled(two_layers);

  CHECK(value(program, program.parameters) == (8 * 16 + 16) + 16 * 4);
  CHECK(value(program, program.weight_bytes) == 4 * (8 * 16 + 16 + 16 * 4));
  CHECK(value(program, program.forward_macs) == 2 * (8 * 16 + 16 * 4));
  CHECK(value(program, program.macs) == 2 * (8 * 16 + 16 * 4));
  CHECK(value(program, program.layer_elements) == 2 * (16 + 4));
  CHECK(value(program, program.input_bytes) == 4 * 2 * 8);
  CHECK(value(program, program.optimizer_bytes) == 0);
  CHECK(value(program, program.nodes) == 3);
}

TEST_CASE("compile: symbols may be bound again without compiling again") {
  const CompiledProgram program = compiled(two_layers);

  CHECK(value(program, program.forward_macs, {{"batch", 5}}) == 5 * (8 * 16 + 16 * 4));
  CHECK(value(program, program.parameters, {{"hidden", 10}}) == (10 * 16 + 16) + 16 * 4);
}

TEST_CASE("compile: kernels of the same sizes are kept once with their count") {
  const std::string text = head + node("a", "linear", "\"x\"", "out_features = \"hidden\"") +
                           node("b", "linear", {}, "out_features = \"hidden\"") +
                           node("deep", "layer", {}, "repeat = 3") + block("layer") +
                           block_node("c", "linear", "\"x\"", "out_features = \"hidden\"");
  const CompiledProgram program = compiled(text);

  // The first one reads an input, the others what the one before them wrote.
  REQUIRE(program.kernels.size() == 2);
  CHECK(value(program, program.kernels[0].count) == 1);
  CHECK(value(program, program.kernels[1].count) == 1 + 3);
  CHECK(value(program, program.nodes) == 1 + 1 + 3);
  CHECK(value(program, program.parameters) == (1 + 1 + 3) * (8 * 8 + 8));
}

TEST_CASE("compile: an overridden symbol loses its definition") {
  const std::string text = model_head("batch = 2\nhidden = 8\nffn = \"4 * hidden\"") +
                           input("x", "\"batch\", \"hidden\"") +
                           node("a", "linear", "\"x\"", "out_features = \"ffn\"\nbias = false");

  const CompiledProgram defined = compiled(text);
  const CompiledProgram overridden = compiled(text, {.overridden = {{"ffn", 5}}});

  CHECK(value(defined, defined.parameters, {{"hidden", 3}}) == 3 * (4 * 3));
  CHECK(value(overridden, overridden.parameters, {{"ffn", 5}}) == 8 * 5);
}

TEST_CASE("slot_values: a constraint that fails says which, with its numbers and where they come from") {
  const CompiledProgram program = compiled(head + node("fc", "linear", "\"x\"", "out_features = 9") +
                                           node("sum", "add", "\"x\", \"fc\""));

  CHECK(complaint(program, {{"hidden", 9}}) == "no mistakes");
  CHECK(complaint(program) ==
        "m.toml:17:8: error: 'sum': shapes [batch, hidden] and [batch, 9] do not go together: 8 and 9 "
        "(hidden with hidden = 8)\n");
  CHECK(complaint(program, {{"hidden", 10}}) ==
        "m.toml:17:8: error: 'sum': shapes [batch, hidden] and [batch, 9] do not go together: 10 and 9 "
        "(hidden with hidden = 10)\n");
}

TEST_CASE("slot_values: a constraint between numbers needs no explanation") {
  const CompiledProgram program =
      compiled(head + node("conv", "reshape", "\"x\"", "shape = [\"batch\", 4, 2]") +
               node("norm", "group_norm", {}, "groups = 3"));

  CHECK(complaint(program) ==
        "m.toml:17:8: error: 'norm': channels are no multiple of 'groups': the remainder is 1\n");
}

TEST_CASE("slot_values: all constraints that fail are reported") {
  const CompiledProgram program =
      compiled(head + node("a", "linear", "\"x\"", "out_features = 9") + node("b", "add", "\"x\", \"a\"") +
               node("c", "linear", "\"x\"", "out_features = 10") + node("d", "add", "\"x\", \"c\""));

  CHECK(slot_values(program, {}).error().size() == 2);
}

TEST_CASE("slot_values: dimensions are at least 1") {
  const CompiledProgram program = compiled(two_layers);

  CHECK(complaint(program, {{"batch", 1}}) == "no mistakes");
  CHECK(complaint(program, {{"batch", 0}}) ==
        "error: a dimension of 'x' [batch, hidden] is 0: batch with batch = 0\n"
        "  hint: all dimensions must be at least 1; is an input too small for the model?\n");
  CHECK(complaint(program, {{"batch", -3}}) ==
        "error: a dimension of 'x' [batch, hidden] is -3: batch with batch = -3\n"
        "  hint: all dimensions must be at least 1; is an input too small for the model?\n");
}

TEST_CASE("slot_values: an image that is too small for its windows names the layer") {
  const std::string text = model_head("batch = 1\nsize = 9") + input("image", "\"batch\", 3, \"size\"") +
                           node("conv", "conv", "\"image\"", "out_channels = 4\nkernel = 7");
  const CompiledProgram program = compiled(text);

  CHECK(complaint(program, {{"size", 7}}) == "no mistakes");
  CHECK(complaint(program, {{"size", 6}}) ==
        "error: a dimension of 'conv' [batch, 4, size - 6] is 0: size - 6 with size = 6\n"
        "  hint: all dimensions must be at least 1; is an input too small for the model?\n");
}

TEST_CASE("slot_values: a block repeats at least once") {
  const CompiledProgram program = compiled(model_head("batch = 2\nlayers = 3") + input("x", "\"batch\", 8") +
                                           node("deep", "layer", "\"x\"", "repeat = \"layers - 1\"") +
                                           block("layer") + block_node("r", "relu", "\"x\""));

  CHECK(complaint(program, {{"layers", 2}}) == "no mistakes");
  CHECK(complaint(program, {{"layers", 1}}) ==
        "m.toml:12:8: error: block 'deep' repeats 0 times: layers - 1 with layers = 1\n"
        "  hint: a block repeats at least once\n");
}

TEST_CASE("slot_values: an unknown symbol gets a suggestion") {
  const CompiledProgram program = compiled(two_layers);

  CHECK(complaint(program, {{"hiden", 4}}) ==
        "error: model 'net' has no symbol 'hiden'\n  hint: did you mean 'hidden'?\n");
  CHECK(complaint(program, {{"zzz", 4}}) ==
        "error: model 'net' has no symbol 'zzz'\n  hint: it has batch, hidden\n");
  const CompiledProgram without =
      compiled("schema = 1\nname = \"net\"\n" + input("x", "2, 8") + node("r", "relu", "\"x\""));
  CHECK(complaint(without, {{"batch", 4}}) ==
        "error: model 'net' has no symbol 'batch'\n  hint: it has no symbols at all\n");
}

TEST_CASE("slot_values: sizes that leave 64 bits are an error with the values that did it") {
  const CompiledProgram program = compiled(two_layers);

  CHECK(complaint(program, {{"batch", std::int64_t{1} << 50}}) == "no mistakes");
  CHECK(
      complaint(program, {{"batch", std::int64_t{1} << 60}}) ==
      "error: the sizes of model 'net' overflow 64 bits or divide by zero with batch = 1152921504606846976, "
      "hidden = 8\n  hint: are the symbols as large as meant?\n");
}

TEST_CASE("slot_values: division by zero is an error") {
  const CompiledProgram program =
      compiled(model_head("batch = 2\nparts = 2") + input("x", "\"batch\", 8") +
               node("r", "reshape", "\"x\"", "shape = [\"batch\", \"parts\", \"8 / parts\"]"));

  CHECK(complaint(program, {{"parts", 4}}) == "no mistakes");
  CHECK(complaint(program, {{"parts", 0}})
            .starts_with("error: the sizes of model 'net' overflow 64 bits or divide by zero"));
}

TEST_CASE("fill_slots: agrees with slot_values, without words") {
  const CompiledProgram program = compiled(two_layers);
  std::vector<std::int64_t> slots(program.tape.slots());
  const auto fills = [&](const Bindings& bindings) {
    return fill_slots(program, input_values(program, bindings).value(), slots);
  };

  CHECK(fills({{"batch", 3}}));
  CHECK(slots == slot_values(program, {{"batch", 3}}).value());
  CHECK_FALSE(fills({{"batch", 0}}));
  CHECK_FALSE(fills({{"batch", std::int64_t{1} << 60}}));
}

}  // namespace
}  // namespace roofcast
