#include "engine/io/model_catalogue.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

Result<std::vector<CatalogueEntry>> catalogue(const std::string& rows) {
  const auto table = parse_csv("model_key,file,args,params_m,image_size,note\n" + rows, "lists/models.csv");
  REQUIRE(table.has_value());
  return read_catalogue(*table);
}

std::string complaint(const std::string& rows) {
  const auto entries = catalogue(rows);
  REQUIRE_FALSE(entries.has_value());
  return to_string(entries.error().front());
}

DataFolder data() {
  auto folder = DataFolder::open(ROOFCAST_SOURCE_DIR);
  REQUIRE(folder.has_value());
  return *std::move(folder);
}

TEST_CASE("read_catalogue: files are relative to the table, words become symbols and stated sizes") {
  const auto entries = catalogue(
      "a,../x/a.json,head=span,108.9,,\n"
      "b,,layers=24 hidden=2048 act=relu,1316,,\n"
      "c,c.onnx,image_size=224,5.29,224,\n");

  REQUIRE(entries.has_value());
  REQUIRE(entries->size() == 3);
  CHECK((*entries)[0].file == "lists/../x/a.json");
  CHECK((*entries)[0].symbols == Bindings{{"pooler", 0}, {"span", 1}});
  CHECK((*entries)[0].million_parameters == 108.9);
  CHECK((*entries)[1].file.empty());
  CHECK((*entries)[1].symbols.empty());
  CHECK((*entries)[1].stated == std::map<std::string, std::int64_t>{{"hidden", 2048}, {"layers", 24}});
  CHECK((*entries)[1].where.line == 3);
  CHECK((*entries)[2].image_size == 224);
}

TEST_CASE("read_catalogue: words and values that nobody knows are errors with their line") {
  CHECK(complaint("a,,layer=24,,,\n") ==
        "lists/models.csv:2: error: unknown word 'layer' in 'args'\n  hint: did you mean 'layers'?");
  CHECK(complaint("a,,layers=24,,,\nb,,head=spam,,,\n") ==
        "lists/models.csv:3: error: 'head=spam' in 'args' has a value that is not known");
  CHECK(complaint("a,,layers,,,\n") ==
        "lists/models.csv:2: error: 'layers' in 'args' has a value that is not known");
  CHECK(complaint("a,,image_size=224,,384,\n") ==
        "lists/models.csv:2: error: image_size is 384 in one column and 224 in 'args'");
  CHECK(complaint("a,,,many,,\n") ==
        "lists/models.csv:2: error: 'params_m' is 'many', which is no positive number");
  CHECK(complaint(",,,,,\n") == "lists/models.csv:2: error: 'model_key' is empty");
}

TEST_CASE("find_entry: the row of an image size; a row without one has all") {
  const auto entries = catalogue(
      "a,a224.onnx,,,224,\n"
      "a,a288.onnx,,,288,\n"
      "b,,,,,\n");
  REQUIRE(entries.has_value());

  CHECK(find_entry(*entries, "a")->file == "lists/a224.onnx");
  CHECK(find_entry(*entries, "a", 288)->file == "lists/a288.onnx");
  CHECK(find_entry(*entries, "b", 320)->image_size == 320);
  CHECK_FALSE(find_entry(*entries, "b")->image_size.has_value());

  const auto other_size = find_entry(*entries, "a", 320);
  REQUIRE_FALSE(other_size.has_value());
  CHECK(to_string(other_size.error().front()) == "error: no 'a' at 320 pixels\n  hint: there is 224, 288");
  CHECK(to_string(find_entry(*entries, "aa").error().front()) ==
        "error: unknown model key 'aa'\n  hint: did you mean 'a'?");
}

TEST_CASE("open_entry: our own model of the key, with the row's image size and the caller's symbols") {
  const auto entries = catalogue("vgg16,,,138.36,224,\n");
  REQUIRE(entries.has_value());

  const auto model = open_entry(data(), entries->front(), {{"batch", 8}});

  REQUIRE(model.has_value());
  CHECK(model->graph.name == "vgg16");
  CHECK(model->symbols == Bindings{{"batch", 8}, {"image_size", 224}});
}

TEST_CASE("open_entry: a model that has another size than the row states is an error") {
  const auto entries = catalogue("gpt2,,layers=12 heads=12 positions=2048,124,,\n");
  REQUIRE(entries.has_value());

  const auto model = open_entry(data(), entries->front());

  REQUIRE_FALSE(model.has_value());
  REQUIRE(model.error().size() == 1);
  CHECK(model.error().front().where.line == 2);
  CHECK(model.error().front().message.starts_with("'gpt2' is to have positions = 2048, but "));
  CHECK(model.error().front().message.ends_with(" has max_positions = 1024"));
}

}  // namespace
}  // namespace roofcast
