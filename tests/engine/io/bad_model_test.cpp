// What is wrong with a model file, and where: whole messages.

#include <doctest/doctest.h>

#include <random>

#include "engine/decide/estimate.hpp"
#include "engine/graph/typed_graph.hpp"
#include "engine/io/load_model.hpp"
#include "engine/predict.hpp"
#include "tests/toy_model.hpp"

namespace roofcast {
namespace {

std::string complaint(const std::string& text, const Bindings& symbols = {}) {
  const auto graph = load_model(text, "m.toml");
  if (!graph) return to_string(graph.error());
  const auto compiled = compile(*graph, CompileOptions{.overridden = symbols});
  if (!compiled) return to_string(compiled.error());
  const auto slots = slot_values(*compiled, symbols);
  return slots ? "no mistakes\n" : to_string(slots.error());
}

// Nine lines: what follows starts on the tenth.
const std::string head = R"(schema = 1
name = "net"
[symbols]
batch = 2
hidden = 8
[[input]]
name = "x"
shape = ["batch", "hidden"]
# the end of the head
)";

const std::string relu = R"([[node]]
name = "act"
op = "relu"
)";

TEST_CASE("bad model: the head alone is fine") {
  CHECK(complaint(head + relu) == "no mistakes\n");
}

TEST_CASE("bad model: an empty file") {
  CHECK(complaint("") == "m.toml: error: the file is empty\n");
  CHECK(complaint(" \n\t\r\n") == "m.toml: error: the file is empty\n");
  CHECK(complaint("# nothing\n") ==
        "m.toml: error: the model has no [[node]]\n  hint: each operator is one [[node]]\n"
        "m.toml:1:1: error: 'schema' is missing\nm.toml:1:1: error: 'name' is missing\n");
}

TEST_CASE("bad model: a binary file") {
  CHECK(complaint(std::string("\x7f"
                              "ELF\0\1\2",
                              7)) == "m.toml: error: this is a binary file, not TOML\n");
}

TEST_CASE("bad model: a file in another format") {
  CHECK(complaint("{\"schema\": 1}").starts_with("m.toml:1:1: error: not valid TOML: "));
  CHECK(complaint(head + "[[node]\n").starts_with("m.toml:10:"));
  CHECK(complaint("schema = 1\nschema = 1\n").starts_with("m.toml:2:"));
}

TEST_CASE("bad model: text that is no UTF-8") {
  CHECK(complaint("schema = 1\nname = \"\xff\xfe\"\n").starts_with("m.toml:2:"));
}

TEST_CASE("bad model: another schema") {
  CHECK(complaint("schema = 2" + head.substr(10) + relu) ==
        "m.toml:1:10: error: schema 2 is not known\n  hint: this version reads schema = 1\n");
  CHECK(complaint(head.substr(11) + relu) == "m.toml:1:1: error: 'schema' is missing\n");
}

TEST_CASE("bad model: values of the wrong type") {
  CHECK(complaint(head + relu + "inputs = \"x\"\n") ==
        "m.toml:13:10: error: 'node.inputs' must be a list of strings, not a string\n");
  CHECK(complaint(head + relu + "inputs = [1]\n") ==
        "m.toml:13:11: error: 'node.inputs' must be a list of strings, not an integer\n");
  CHECK(complaint(head + relu + "inplace = 1\n") ==
        "m.toml:13:11: error: 'node.inplace' must be true or false, not an integer\n");
  CHECK(complaint(head + "[[node]]\nname = 1\nop = \"relu\"\n") ==
        "m.toml:11:8: error: 'node.name' must be a string, not an integer\n");
  CHECK(complaint(head + "[node]\nname = \"act\"\nop = \"relu\"\n") ==
        "m.toml: error: the model has no [[node]]\n  hint: each operator is one [[node]]\n"
        "m.toml:10:1: error: 'node' must be a list of tables, written [[node]], not a table\n");
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 1.5\n") ==
        "m.toml:13:16: error: 'node.out_features' must be an integer or an expression in quotes, not a "
        "number\n");
  CHECK(complaint("schema = \"1\"" + head.substr(10) + relu)
            .starts_with("m.toml:1:10: error: 'schema' must be an integer, not a string\n"));
}

TEST_CASE("bad model: a schema of the wrong type is one mistake") {
  CHECK(complaint("schema = \"1\"" + head.substr(10) + relu) ==
        "m.toml:1:10: error: 'schema' must be an integer, not a string\n");
}

TEST_CASE("bad model: unknown keys come with the key that was meant, or with those that there are") {
  CHECK(complaint(head + relu + "inpts = [\"x\"]\n") ==
        "m.toml:13:1: error: unknown key 'node.inpts'\n  hint: did you mean 'inputs'?\n");
  CHECK(complaint(head + relu + "zzz = 1\n") ==
        "m.toml:13:1: error: unknown key 'node.zzz'\n"
        "  hint: known here: inplace, inputs, name, op, outputs, repeat, weights_of, when\n");
  CHECK(complaint("titel = \"net\"\n" + head + relu).starts_with("m.toml:1:1: error: unknown key 'titel'\n"));
}

TEST_CASE("bad model: unknown operators") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"relus\"\n") ==
        "m.toml:12:6: error: unknown operator 'relus'\n"
        "  hint: did you mean 'relu'? `simulate list operators` prints them all\n");
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"zzzzzz\"\n") ==
        "m.toml:12:6: error: unknown operator 'zzzzzz'\n  hint: `simulate list operators` prints them all\n");
}

TEST_CASE("bad model: operators of the backward pass are not for files") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"linear_weight_gradient\"\n")
            .starts_with("m.toml:12:6: error: unknown operator 'linear_weight_gradient'\n"));
}

TEST_CASE("bad model: missing names, operators and attributes") {
  CHECK(complaint(head + "[[node]]\nop = \"relu\"\n") == "m.toml:10:1: error: 'node.name' is missing\n");
  CHECK(complaint(head + "[[node]]\nname = \"a\"\n") == "m.toml:10:1: error: 'node.op' is missing\n");
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\n") ==
        "m.toml:11:8: error: 'fc' needs 'out_features': size of the last dimension of the result\n");
  CHECK(complaint(head + relu + "[[input]]\nname = \"y\"\n") ==
        "m.toml:13:1: error: input 'y' has no 'shape'\n");
}

TEST_CASE("bad model: unknown element types") {
  CHECK(complaint(head + relu + "[[input]]\nname = \"y\"\nshape = [1]\ndtype = \"float\"\n") ==
        "m.toml:16:9: error: unknown dtype 'float'\n"
        "  hint: real (what the precision stores), or fp32, fp16, bf16, int64, int32, int8, uint8, bool\n");
}

TEST_CASE("bad model: a cycle") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"add\"\ninputs = [\"x\", \"b\"]\n"
                         "[[node]]\nname = \"b\"\nop = \"relu\"\ninputs = [\"a\"]\n") ==
        "m.toml:11:8: error: nodes feed each other in a cycle: 'a', 'b'\n"
        "  hint: what repeats is a block with 'repeat', not a cycle\n");
}

TEST_CASE("bad model: a cycle through a block that is used once") {
  const std::string text = complaint(head +
                                     "[[node]]\nname = \"a\"\nop = \"one\"\ninputs = [\"b\"]\n"
                                     "[[node]]\nname = \"b\"\nop = \"relu\"\ninputs = [\"a\"]\n" +
                                     block("one") + block_node("r", "relu", "\"x\""));
  CHECK(text.find("error: nodes feed each other in a cycle: ") != std::string::npos);
}

TEST_CASE("bad model: an input that nothing makes") {
  CHECK(complaint(head + relu + "inputs = [\"y\"]\n") ==
        "m.toml:13:10: error: nothing is named 'y' here\n  hint: did you mean 'x'?\n");
  CHECK(complaint(head + relu + "inputs = [\"something\"]\n") ==
        "m.toml:13:10: error: nothing is named 'something' here\n"
        "  hint: a node sees the inputs and the other nodes of its block\n");
  CHECK(complaint("outputs = [\"act2\"]\n" + head + relu) ==
        "m.toml:1:11: error: nothing is named 'act2' here\n  hint: did you mean 'act'?\n");
}

TEST_CASE("bad model: a block sees nothing outside of it but its inputs") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"one\"\n[[block]]\nname = \"one\"\ninputs = [\"y\"]\n"
                         "[[block.node]]\nname = \"r\"\nop = \"relu\"\ninputs = [\"x\"]\n") ==
        "m.toml:19:10: error: nothing is named 'x' here\n  hint: did you mean 'r'?\n");
}

TEST_CASE("bad model: too many or too few inputs") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"add\"\n") ==
        "m.toml:11:8: error: 'add' takes 2 inputs, not 1\n");
  CHECK(complaint(head + relu + "inputs = [\"x\", \"x\"]\n") ==
        "m.toml:11:8: error: 'relu' takes 1 inputs, not 2\n");
  CHECK(complaint(head + relu + "inputs = []\n") == "m.toml:11:8: error: 'relu' takes 1 inputs, not 0\n");
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"concat\"\ninputs = []\n") ==
        "m.toml:11:8: error: 'concat' takes 1 or more inputs, not 0\n");
}

TEST_CASE("bad model: an operator of three or four inputs says so") {
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"attention\"\nheads = 2\ninputs = [\"x\", \"x\", "
                         "\"x\", \"x\", \"x\"]\n") ==
        "m.toml:11:8: error: 'attention' takes 3 to 4 inputs, not 5\n");
}

TEST_CASE("bad model: shapes that do not go together") {
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 9\n"
                         "[[node]]\nname = \"sum\"\nop = \"add\"\ninputs = [\"x\", \"fc\"]\n") ==
        "m.toml:15:8: error: 'sum': shapes [batch, hidden] and [batch, 9] do not go together: 8 and 9 "
        "(hidden with hidden = 8)\n");
  CHECK(complaint(head + "[[node]]\nname = \"conv\"\nop = \"conv\"\nout_channels = 4\nkernel = 3\n") ==
        "m.toml:11:8: error: 'conv': input must be [batch, channels, 1 to 3 spatial axes], not [batch, "
        "hidden]\n");
}

TEST_CASE("bad model: dimensions below 1") {
  CHECK(complaint(head + relu + "[[input]]\nname = \"y\"\nshape = [\"batch\", 0]\n") ==
        "m.toml:15:9: error: input 'y' has a dimension of 0\n  hint: dimensions are at least 1\n");
  CHECK(complaint(head + relu + "[[input]]\nname = \"y\"\nshape = [-4]\n") ==
        "m.toml:15:9: error: input 'y' has a dimension of -4\n  hint: dimensions are at least 1\n");
  CHECK(complaint(head + relu + "[[input]]\nname = \"y\"\nshape = [1]\n") == "no mistakes\n");
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 0\n") ==
        "error: a dimension of 'fc.weight' [0, hidden] is 0: 0\n"
        "  hint: all dimensions must be at least 1; is an input too small for the model?\n");
  CHECK(complaint(head + relu, {{"hidden", -8}}) ==
        "error: a dimension of 'x' [batch, hidden] is -8: hidden with hidden = -8\n"
        "  hint: all dimensions must be at least 1; is an input too small for the model?\n");
}

TEST_CASE("bad model: expressions that are none") {
  const std::string hint =
      "\n  hint: expressions are integers, symbols, + - * / (floored) %, parentheses, min(a, b), max(a, b), "
      "ceil_div(a, b), comparisons, and, or, not\n";
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = \"4 *\"\n") ==
        "m.toml:13:16: error: cannot read expression '4 *': it ends too early" + hint);
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = \"hidden / 0\"\n") ==
        "m.toml:13:16: error: cannot read expression 'hidden / 0': it divides by zero" + hint);
}

TEST_CASE("bad model: sizes beyond 64 bits, in the file and when symbols are set") {
  CHECK(
      complaint(head +
                "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = \"4294967296 * 4294967296\"\n")
          .starts_with(
              "m.toml:13:16: error: cannot read expression '4294967296 * 4294967296': it overflows 64 bits"));
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 9223372036854775808\n")
            .starts_with("m.toml:13:"));
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 9223372036854775807\n") ==
        "error: the sizes of model 'net' overflow 64 bits or divide by zero with batch = 2, hidden = 8\n"
        "  hint: are the symbols as large as meant?\n");
  CHECK(complaint(head + relu, {{"hidden", std::int64_t{1} << 58}}) == "no mistakes\n");
  CHECK(complaint(head + relu, {{"hidden", std::int64_t{1} << 61}}) ==
        "error: the sizes of model 'net' overflow 64 bits or divide by zero with batch = 2, "
        "hidden = 2305843009213693952\n  hint: are the symbols as large as meant?\n");
}

TEST_CASE("bad model: symbols that are not defined") {
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = \"4 * hiden\"\n") ==
        "m.toml:13:16: error: unknown symbol 'hiden'\n  hint: did you mean 'hidden'?\n");
  CHECK(complaint(head + "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = \"zzz\"\n") ==
        "m.toml:13:16: error: unknown symbol 'zzz'\n  hint: symbols are defined in [symbols]\n");
  CHECK(complaint("tokens = \"sq\"\n" + head + relu) ==
        "m.toml:1:10: error: unknown symbol 'sq'\n  hint: symbols are defined in [symbols]\n");
}

TEST_CASE("bad model: a symbol defined by itself") {
  CHECK(complaint("schema = 1\nname = \"net\"\n[symbols]\na = \"a + 1\"\n" + input("x", "8") + relu) ==
        "m.toml:4:5: error: symbol 'a' is defined by itself: a -> a\n");
  CHECK(complaint("schema = 1\nname = \"net\"\n[symbols]\na = \"b\"\nb = \"c\"\nc = \"2 * a\"\n" +
                  input("x", "8") + relu) ==
        "m.toml:4:5: error: symbol 'a' is defined by itself: a -> b -> c -> a\n");
}

TEST_CASE("bad model: names that no expression could use") {
  CHECK(complaint("schema = 1\nname = \"net\"\n[symbols]\n\"a-b\" = 1\n" + input("x", "8") + relu) ==
        "m.toml:4:9: error: 'a-b' cannot be the name of a symbol\n"
        "  hint: names are letters, digits and underscores, and not min, max, ceil_div, and, or, not\n");
  CHECK(complaint("schema = 1\nname = \"net\"\n[symbols]\nmin = 1\n" + input("x", "8") + relu) ==
        "m.toml:4:7: error: 'min' cannot be the name of a symbol\n"
        "  hint: names are letters, digits and underscores, and not min, max, ceil_div, and, or, not\n");
}

const std::string one = R"([[node]]
name = "a"
op = "one"
)";
const std::string block_one = R"([[block]]
name = "one"
inputs = ["x"]
[[block.node]]
name = "r"
op = "relu"
)";

TEST_CASE("bad model: a block that contains itself") {
  CHECK(
      complaint(
          head + one +
          "[[block]]\nname = \"one\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"again\"\nop = \"one\"\n") ==
      "m.toml:18:6: error: block 'one' contains itself: one -> one\n  hint: what repeats is a block with "
      "'repeat'\n");
  CHECK(complaint(
            head + one +
            "[[block]]\nname = \"one\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"b\"\nop = \"two\"\n"
            "[[block]]\nname = \"two\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"c\"\nop = \"one\"\n") ==
        "m.toml:24:6: error: block 'one' contains itself: one -> two -> one\n"
        "  hint: what repeats is a block with 'repeat'\n");
}

TEST_CASE("bad model: a block that is never used, or has no nodes, or no inputs") {
  CHECK(complaint(head + relu + block_one) ==
        "m.toml:13:1: error: block 'one' is never used\n  hint: name it as the 'op' of a node, or take it "
        "out\n");
  CHECK(complaint(head + one + "[[block]]\nname = \"one\"\ninputs = [\"x\"]\n") ==
        "m.toml:13:1: error: block 'one' has no [[block.node]]\n");
  CHECK(
      complaint(head + one +
                "[[block]]\nname = \"one\"\n[[block.node]]\nname = \"r\"\nop = \"arange\"\nshape = [1]\n") ==
      "m.toml:13:1: error: block 'one' has no 'inputs'\n");
}

TEST_CASE("bad model: names that are used twice") {
  CHECK(complaint(head + relu + relu) ==
        "m.toml:14:8: error: the name 'act' is used twice\n  hint: names are unique within a block\n");
  CHECK(complaint(head + "[[node]]\nname = \"x\"\nop = \"relu\"\n") ==
        "m.toml:11:8: error: the name 'x' is used twice\n  hint: names are unique within a block\n");
  CHECK(complaint(head + "[[input]]\nname = \"x\"\nshape = [1]\n" + relu) ==
        "m.toml:10:1: error: there are two inputs named 'x'\n");
  CHECK(complaint(head + one + block_one + block_one)
            .starts_with("m.toml:20:8: error: there are two blocks named 'one'\n"));
  CHECK(
      complaint(head + relu +
                "[[block]]\nname = \"relu\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"r\"\nop = \"gelu\"\n")
          .starts_with("m.toml:14:8: error: block 'relu' has the name of an operator\n"));
}

TEST_CASE("bad model: repeats below 0, and repeats of what is no block") {
  CHECK(complaint(head + one + "repeat = 0\n" + block_one) == "no mistakes\n");
  CHECK(complaint(head + one + "repeat = -1\n" + block_one) ==
        "m.toml:11:8: error: 'a' repeats -1 times\n"
        "  hint: a block repeats as often as you like, or 0 times to be left out\n");
  CHECK(complaint(head + one + "repeat = 1\n" + block_one) == "no mistakes\n");
  CHECK(complaint(head + one + "repeat = \"batch\"\n" + block_one, {{"batch", 0}})
            .find("error: block 'a' repeats 0 times: batch with batch = 0\n") != std::string::npos);
  CHECK(complaint(head + relu + "repeat = 2\n") ==
        "m.toml:13:10: error: 'act' repeats, but 'relu' is no block\n  hint: only blocks repeat: make one of "
        "it\n");
}

TEST_CASE("bad model: a block that hands on more than it takes cannot repeat") {
  CHECK(complaint(
            head + one +
            "repeat = 2\n[[block]]\nname = \"one\"\ninputs = [\"x\"]\noutputs = [\"r\", \"s\"]\n"
            "[[block.node]]\nname = \"r\"\nop = \"relu\"\n[[block.node]]\nname = \"s\"\nop = \"relu\"\n") ==
        "m.toml:11:8: error: block 'one' cannot repeat: it has 1 inputs and 2 outputs\n"
        "  hint: each output of a repetition becomes the input of the next one at the same place\n");
}

TEST_CASE("bad model: parameters of a block") {
  const std::string sized =
      "[[block]]\nname = \"one\"\ninputs = [\"x\"]\nparameters = [\"width\"]\n[[block.node]]\n"
      "name = \"fc\"\nop = \"linear\"\nout_features = \"width\"\n";
  CHECK(complaint(head + one + "width = 4\n" + sized) == "no mistakes\n");
  CHECK(complaint(head + one + sized) == "m.toml:11:8: error: 'a' needs 'width' of block 'one'\n");
  CHECK(complaint(head + one + "width = 4\nwidht = 4\n" + sized) ==
        "m.toml:11:8: error: block 'one' has no parameter 'widht'\n  hint: did you mean 'width'?\n");
  CHECK(complaint(head + one + "width = 4\n" + block_one) ==
        "m.toml:11:8: error: block 'one' has no parameter 'width'\n  hint: it takes none\n");
  CHECK(complaint(head + one +
                  "[[block]]\nname = \"one\"\ninputs = [\"x\"]\nparameters = [\"hidden\"]\n[[block.node]]\n"
                  "name = \"fc\"\nop = \"linear\"\nout_features = \"hidden\"\n")
            .starts_with("m.toml:16:14: error: parameter 'hidden' hides a symbol of that name\n"));
}

TEST_CASE("bad model: a block takes as many inputs as it names") {
  CHECK(complaint(head + one + "inputs = [\"x\", \"x\"]\n" + block_one) ==
        "m.toml:11:8: error: block 'one' takes 1 inputs, not 2\n");
}

TEST_CASE("bad model: shared weights name an earlier node of the same block") {
  const std::string linear = "[[node]]\nname = \"fc\"\nop = \"linear\"\nout_features = 8\nweights_of = ";
  CHECK(complaint(head + relu + linear + "\"atc\"\n") ==
        "m.toml:14:8: error: 'weights_of' names 'atc', which is no earlier node here\n  hint: did you mean "
        "'act'?\n");
  CHECK(complaint(head + relu + linear + "\"act\"\n") ==
        "m.toml:14:8: error: 'fc' shares the weights of a node that has none before it\n"
        "  hint: let 'weights_of' name an earlier node with a weight\n");
  CHECK(complaint(head + one + "weights_of = \"a\"\n" + block_one) ==
        "m.toml:13:14: error: 'a' is a block and cannot share weights\n");
}

TEST_CASE("bad model: a loss that nothing makes, or none at all") {
  CHECK(complaint(head + relu + "[training]\nloss = \"los\"\n") ==
        "m.toml:14:8: error: nothing is named 'los' here\n"
        "  hint: a node sees the inputs and the other nodes of its block\n");
  CHECK(complaint(head + relu + "[training]\n") == "m.toml:13:1: error: 'training.loss' is missing\n");
}

TEST_CASE("bad model: an output that exists only in training") {
  const std::string text =
      "outputs = [\"loss\"]\n" + head + relu +
      "[training]\nloss = \"loss\"\n[[training.node]]\nname = \"loss\"\nop = \"mse_loss\"\n"
      "inputs = [\"act\", \"x\"]\n";
  CHECK_NOTHROW(complaint(text));
}

TEST_CASE("bad model: all mistakes come at once, in the order of the file") {
  CHECK(
      complaint(head +
                "[[node]]\nname = \"a\"\nop = \"relus\"\n[[node]]\nname = \"b\"\nop = \"linear\"\nzzzzz = 1\n"
                "out_features = \"hiden\"\n") ==
      "m.toml:12:6: error: unknown operator 'relus'\n"
      "  hint: did you mean 'relu'? `simulate list operators` prints them all\n"
      "m.toml:16:1: error: unknown key 'node.zzzzz'\n"
      "  hint: known here: bias, inputs, name, op, out_features, outputs, repeat, weights_of, when\n"
      "m.toml:17:16: error: unknown symbol 'hiden'\n  hint: did you mean 'hidden'?\n");
}

TEST_CASE("bad model: control characters of a name do not reach the terminal") {
  CHECK(complaint(head + "[[node]]\nname = \"a\\u001b[2J\"\nop = \"relus\"\n").find('\x1b') ==
        std::string::npos);
  CHECK(complaint(head + "[[node]]\nname = \"a\"\nop = \"\\u001b[2J\"\n").find('\x1b') == std::string::npos);
}

// Blocks of two uses of the next block: `levels` doublings. `last` is the [[block]] at the bottom.
std::string doubling(int levels, const std::string& last) {
  std::string text = head + "[[node]]\nname = \"r\"\nop = \"b0\"\n";
  for (int i = 0; i < levels; ++i) {
    text += fmt::format(
        "[[block]]\nname = \"b{0}\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"p\"\nop = \"b{1}\"\n"
        "[[block.node]]\nname = \"q\"\nop = \"b{1}\"\n",
        i, i + 1);
  }
  return text + fmt::format("[[block]]\nname = \"b{}\"\n", levels) + last;
}

TEST_CASE("bad model: blocks that double forty times stop with a message" * doctest::timeout(60)) {
  CHECK(complaint(doubling(40, "inputs = [\"x\"]\n[[block.node]]\nname = \"r\"\nop = \"relu\"\n")) ==
        "m.toml: error: the model has more than 200000 operators once its blocks are put in place\n");
}

// Each place where the mistake shows would take its time otherwise: 2^20 of them.
TEST_CASE("bad model: a mistake at the bottom of doubling blocks is found at once" * doctest::timeout(20)) {
  CHECK(complaint(doubling(20, "inputs = [\"x\", \"y\"]\n[[block.node]]\nname = \"r\"\nop = \"relu\"\n"))
            .find("error: block 'b20' takes 2 inputs, not 1\n") != std::string::npos);
}

TEST_CASE("bad model: doubling blocks that contain themselves are found at once" * doctest::timeout(20)) {
  CHECK(complaint(doubling(20, "inputs = [\"x\"]\n[[block.node]]\nname = \"r\"\nop = \"b0\"\n"))
            .find("error: block 'b0' contains itself: b0 -> b1 ") != std::string::npos);
}

TEST_CASE("bad model: nested repeats multiply without being written out") {
  std::string text = head + "[[node]]\nname = \"r\"\nop = \"b0\"\nrepeat = 1000\n";
  for (int i = 0; i < 5; ++i) {
    text += fmt::format(
        "[[block]]\nname = \"b{}\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"p\"\nop = \"b{}\"\nrepeat = "
        "1000\n",
        i, i + 1);
  }
  text += "[[block]]\nname = \"b5\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"r\"\nop = \"relu\"\n";

  CHECK(complaint(text).starts_with("error: the sizes of model 'net' overflow 64 bits"));
  CHECK(summarize(load(text.replace(text.find("b0\"\nrepeat = 1000"), 17, "b0\"\nrepeat = 1   ")))->nodes ==
        1'000'000'000'000'000);
}

TEST_CASE("bad model: blocks nest sixty-four deep and no deeper") {
  const auto chain = [](int levels) {
    std::string text = head + "[[node]]\nname = \"r\"\nop = \"b1\"\n";
    for (int i = 1; i < levels; ++i) {
      text += fmt::format(
          "[[block]]\nname = \"b{}\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"p\"\nop = \"b{}\"\n", i,
          i + 1);
    }
    return text +
           fmt::format(
               "[[block]]\nname = \"b{}\"\ninputs = [\"x\"]\n[[block.node]]\nname = \"p\"\nop = \"relu\"\n",
               levels);
  };

  CHECK(complaint(chain(64)) == "no mistakes\n");
  CHECK(complaint(chain(65)).find("error: blocks are nested more than 64 deep\n") != std::string::npos);
}

TEST_CASE("bad model: ten megabytes of noise end in one short message" * doctest::timeout(60)) {
  std::mt19937_64 random(20260705);
  std::string bytes(10'000'000, ' ');
  std::string letters(10'000'000, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(random() & 0xffU);
    letters[i] = static_cast<char>(' ' + static_cast<char>(random() % 95));
  }

  CHECK(complaint(bytes) == "m.toml: error: this is a binary file, not TOML\n");
  CHECK(complaint(letters).size() < 1000);
}

TEST_CASE("bad model: ten megabytes of nodes are too many" * doctest::timeout(120)) {
  std::string text = head;
  for (int i = 0; text.size() < 10'000'000; ++i)
    text += fmt::format("[[node]]\nname = \"n{}\"\nop = \"relu\"\n", i);

  CHECK(complaint(text) ==
        "m.toml: error: the model has more than 200000 operators once its blocks are put in place\n");
}

TEST_CASE("bad model: brackets without end stop at the parser's depth") {
  CHECK(complaint(head + "a = " + std::string(1'000'000, '['))
            .starts_with("m.toml:10:261: error: not valid TOML: "));
}

TEST_CASE("bad model: thousands of unknown symbols do not take minutes" * doctest::timeout(20)) {
  std::string text = "schema = 1\nname = \"net\"\n[symbols]\n";
  for (int i = 0; i < 5'000; ++i) text += fmt::format("symbol{0} = \"nothing{0}\"\n", i);

  CHECK(complaint(text + input("x", "8") + relu).find("error: unknown symbol 'nothing0'\n") !=
        std::string::npos);
}

TEST_CASE("bad model: thousands of dangling inputs do not take minutes" * doctest::timeout(20)) {
  std::string text = head;
  for (int i = 0; i < 5'000; ++i)
    text += fmt::format("[[node]]\nname = \"n{0}\"\nop = \"relu\"\ninputs = [\"missing{0}\"]\n", i);

  CHECK(complaint(text).find("error: nothing is named 'missing0' here\n") != std::string::npos);
}

// Skipped while it ends in a stack overflow: a key of a hundred thousand parts.
TEST_CASE("bad model: a dotted key without end is an error") {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";

  CHECK(complaint(key + " = 1\n" + head + relu).find("error: ") != std::string::npos);
}

TEST_CASE("bad model: phases redefine symbols that there are, once around") {
  const auto with = [](std::string_view phase) {
    return complaint(model_head("batch = 2\nseq = 4\nprompt = \"seq\"") + std::string(phase) +
                     input("x", "\"batch\", \"seq\"") + node("act", "relu", "\"x\""));
  };

  CHECK(with("[phase.decode]\nseq = 1\n") == "no mistakes\n");
  CHECK(with("[phase.decode]\nsek = 1\n") ==
        "m.toml:9:7: error: phase 'decode' sets 'sek', which is no symbol\n  hint: did you mean 'seq'?\n");
  CHECK(with("[phase.decode]\nbatch = 1\n") ==
        "m.toml:9:9: error: phase 'decode' sets 'batch'\n  hint: all phases run at the batch sizes asked "
        "for\n");
  CHECK(with("[phase.decode]\nseq = \"prompt\"\n") ==
        "m.toml:7:10: error: symbol 'prompt' is defined by itself: prompt -> seq -> prompt\n");
  CHECK(with("[phase.forward]\nseq = 1\n")
            .starts_with("m.toml:8:1: error: 'forward' cannot be the name of a phase\n"));
  CHECK(with("[phase]\ndecode = 3\n").starts_with("m.toml:9:10: error: "));
}

TEST_CASE("bad model: a format of weights that nobody knows") {
  const auto with = [](std::string_view more) {
    return complaint(model_head("batch = 2", more) + input("x", "\"batch\", 4") +
                     node("act", "relu", "\"x\""));
  };

  CHECK(with("weight_format = \"w4a16\"\nweight_group = 32") == "no mistakes\n");
  CHECK(with("weight_format = \"w4a17\"") ==
        "m.toml:3:17: error: unknown format of weights 'w4a17'\n  hint: did you mean 'w4a16'?\n");
  CHECK(with("weight_group = 32") == "m.toml:3:16: error: 'weight_group' needs a 'weight_format'\n");
}

}  // namespace
}  // namespace roofcast
