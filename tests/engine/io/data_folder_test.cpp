#include "engine/io/data_folder.hpp"

#include <doctest/doctest.h>

#include "tests/engine/io/toy_files.hpp"

namespace roofcast {
namespace {

std::string with(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

// Two cards: "toy" is ambiguous and taken as the small one; "big" is an exact alias of the other.
class ToyFolder : public ScratchFolder {
 public:
  ToyFolder() {
    write("hardware_db/gpus/toy-8gb.toml", toy_device_file);
    std::string big = with(toy_device_file, "toy = \"toy names two cards; taken as 8 GB\"", "");
    big = with(big, "NVIDIA Toy 8GB", "NVIDIA Toy 16GB");
    write("hardware_db/gpus/toy-16gb.toml", with(big, "toy-sxm", "big 1"));
    write("models/bert.toml", "");
  }
  DataFolder open() const { return *DataFolder::open(path()); }
};

TEST_CASE("DataFolder: a root without models is an error") {
  const ScratchFolder folder;
  folder.write("hardware_db/gpus/toy.toml", "");

  const auto data = DataFolder::open(folder.path());

  REQUIRE_FALSE(data.has_value());
  CHECK(to_string(data.error()) == folder.path().string() +
                                       ": error: no folder 'models' in here\n"
                                       "  hint: the data folder holds hardware_db/ and models/\n");
}

TEST_CASE("find_device: slug, name and alias mean one card, however they are written") {
  const ToyFolder folder;

  for (const char* name : {"toy-8gb", "Toy 8GB", "NVIDIA Toy 8GB", "geforce toy_sxm", "toy-8gb.toml"}) {
    CAPTURE(name);
    const auto found = folder.open().find_device(name);
    REQUIRE(found.has_value());
    CHECK(found->device.slug == "toy-8gb");
    CHECK(found->note.empty());
  }
  CHECK(folder.open().find_device("BIG1")->device.slug == "toy-16gb");
}

TEST_CASE("find_device: an ambiguous name says what it was taken for") {
  const ToyFolder folder;

  const auto found = folder.open().find_device("Toy");

  REQUIRE(found.has_value());
  CHECK(found->device.slug == "toy-8gb");
  CHECK(found->note == "toy names two cards; taken as 8 GB");
}

TEST_CASE("find_device: an exact alias wins over an assumed one") {
  const ToyFolder folder;
  folder.write("hardware_db/gpus/zoo.toml",
               with(with(with(toy_device_file, "NVIDIA Toy 8GB", "Zoo"), "toy-sxm", "toy"),
                    "toy = \"toy names two cards; taken as 8 GB\"", ""));

  CHECK(folder.open().find_device("toy")->device.slug == "zoo");
}

TEST_CASE("find_device: an unknown name gets a suggestion") {
  const ToyFolder folder;

  const auto found = folder.open().find_device("toy-9gb");

  REQUIRE_FALSE(found.has_value());
  CHECK(
      to_string(found.error()) ==
      "error: unknown card 'toy-9gb'\n  hint: did you mean 'toy-8gb'? `simulate list hw` prints them all\n");
}

TEST_CASE("find_device: an empty name and a bare brand are unknown, not the first card") {
  const ToyFolder folder;

  CHECK(to_string(folder.open().find_device("").error()) ==
        "error: unknown card ''\n  hint: `simulate list hw` prints them all\n");
  CHECK_FALSE(folder.open().find_device("nvidia").has_value());
}

TEST_CASE("find_device: a broken file of another card does not matter") {
  const ToyFolder folder;
  folder.write("hardware_db/gpus/broken.toml", "schema = ");

  CHECK(folder.open().find_device("toy").has_value());
  CHECK(folder.open().find_device("toy-8gb").has_value());
}

TEST_CASE("find_device: a path is read as it is, and a missing one is named") {
  const ToyFolder folder;
  folder.write("mine.toml", toy_device_file);

  CHECK(folder.open().find_device((folder.path() / "mine.toml").string())->device.slug == "mine");
  CHECK(folder.open().find_device((folder.path() / "mine").string())->device.slug == "mine");
  CHECK(to_string(folder.open().find_device("no/such").error()) == "no/such: error: no such file\n");
  CHECK(to_string(folder.open().find_device("/").error()) == "/: error: is a directory, not a file\n");
}

TEST_CASE("offers_for: only clouds that name the card are read") {
  const ToyFolder folder;
  folder.write("hardware_db/clouds/a.toml", R"(schema = 1
name = "a"
title = "A"
[[offer]]
gpu = "toy-8gb"
instance = "one"
gpu_count = 1
usd_per_hour = 1
source = "page"
[[offer]]
gpu = "toy-16gb"
instance = "two"
gpu_count = 1
usd_per_hour = 2
source = "page"
)");
  folder.write("hardware_db/clouds/b.toml", "broken");

  const auto offers = folder.open().offers_for("toy-8gb");

  REQUIRE(offers.has_value());
  REQUIRE(offers->size() == 1);
  CHECK(offers->front().instance == "one");
  CHECK(folder.open().offers_for("toy-99gb")->empty());
}

TEST_CASE("profile_beside: has the name of the card's file") {
  CHECK(profile_beside("folder/local.toml") == "folder/local.profile.toml");
}

TEST_CASE("find_device: a card file is remembered as where it was asked for") {
  const ToyFolder folder;

  const std::string file = folder.path().string() + "/hardware_db/gpus/toy-8gb.toml";

  CHECK(folder.open().find_device(file)->device.file == file);
  CHECK(folder.open().find_device("toy-8gb")->device.file.empty());
}

TEST_CASE("find_model_path: a model of the folder is found by name, with or without .toml") {
  const ToyFolder folder;

  CHECK(*folder.open().find_model_path("bert") == folder.path() / "models/bert.toml");
  CHECK(*folder.open().find_model_path("bert.toml") == folder.path() / "models/bert.toml");
  CHECK(to_string(folder.open().find_model_path("bret").error()) ==
        "error: unknown model 'bret'\n"
        "  hint: did you mean 'bert'? `simulate list models` prints them all; a file of yours needs its "
        "path\n");
}

TEST_CASE("runtime: a name never leaves its folder") {
  const ToyFolder folder;
  folder.write("hardware_db/runtimes/toy.toml", "");

  CHECK(to_string(folder.open().runtime("../gpus/toy-8gb").error()) ==
        "error: unknown runtime '../gpus/toy-8gb'\n  hint: known: toy\n");
}

TEST_CASE("find_model_path: a name with the ending of a file with weights is that file") {
  const ToyFolder folder;

  for (const char* name : {"m.gguf", "m.safetensors", "model.safetensors.index.json"}) {
    CAPTURE(name);
    CHECK(*folder.open().find_model_path(name) == name);
  }
}

}  // namespace
}  // namespace roofcast
