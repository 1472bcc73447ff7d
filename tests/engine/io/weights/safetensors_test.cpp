#include "engine/io/weights/safetensors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/io/toy_files.hpp"
#include "tests/engine/io/weights/toy_weights.hpp"

namespace roofcast {
namespace {

std::string refusal(std::string_view bytes) {
  const auto tensors = read_safetensors_header(bytes, bytes.size(), "m.safetensors");
  return tensors ? "none" : to_string(tensors.error());
}

// One tensor of 6 fp32 values with other text in place of its shape, dtype or offsets.
std::string one_tensor(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"a":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
}

TEST_CASE("safetensors: names, types, shapes and bytes, in the order of the data") {
  const std::string file = safetensors_file(R"({"__metadata__":{"format":"pt"},)"
                                            R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[24,36]},)"
                                            R"("a":{"dtype":"F32","shape":[6],"data_offsets":[0,24]},)"
                                            R"("c":{"dtype":"F4","shape":[4],"data_offsets":[36,38]},)"
                                            R"("s":{"dtype":"I64","shape":[],"data_offsets":[38,46]}}   )",
                                            46);

  const auto tensors = read_safetensors_header(file, file.size(), "m.safetensors");

  REQUIRE(tensors.has_value());
  REQUIRE(tensors->size() == 4);
  CHECK((*tensors)[0].name == "a");
  CHECK((*tensors)[1].dtype == "BF16");
  CHECK((*tensors)[1].shape == std::vector<std::int64_t>{2, 3});
  CHECK((*tensors)[1].elements == 2 * 3);
  CHECK((*tensors)[1].bytes == 2 * 3 * 2);
  CHECK((*tensors)[2].bytes == 4 / 2);  // 4 bits each
  CHECK((*tensors)[3].elements == 1);
  CHECK((*tensors)[3].bytes == 8);
}

TEST_CASE("safetensors: a file without tensors is fine") {
  CHECK(refusal(safetensors_file("{}", 0)) == "none");
}

TEST_CASE("safetensors: only the header is needed") {
  const std::string header = one_tensor("\"F32\"", "[6]", "[0,24]");

  CHECK(read_safetensors_header(safetensors_file(header, 0), 8 + header.size() + 24, "m").has_value());
}

TEST_CASE("safetensors: lengths that cannot be are refused before anything is read") {
  CHECK(refusal("1234567") == "m.safetensors: error: has 7 bytes: too short for a safetensors file\n");
  CHECK(refusal(little_endian<std::uint64_t>(std::uint64_t{1} << 63U)) ==
        "m.safetensors: error: is no safetensors file: its header would have 9223372036854775808 bytes, at "
        "most "
        "100000000 are allowed\n");
  CHECK(refusal(little_endian<std::uint64_t>(3) + "{}") ==
        "m.safetensors: error: is cut off: its header has 3 bytes, the whole file only 10\n");
  CHECK(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\n") ==
        "m.safetensors: error: is a Git LFS pointer, not the file itself\n"
        "  hint: `git lfs pull` fetches it\n");
}

TEST_CASE("safetensors: a header that is no table of tensors") {
  const auto header = [](std::string_view text) { return refusal(safetensors_file(text, 0)); };

  CHECK(header("[]") == "m.safetensors: error: the header is a list, not an object\n");
  CHECK(header("{\"a\":") == "m.safetensors: error: the header is not valid JSON at byte 14\n");
  CHECK(header("{\"a\":7}") == "m.safetensors: error: 'a' is a number, not a tensor\n");
  CHECK(header("{\"a\":{}}") == "m.safetensors: error: tensor 'a' has no 'dtype'\n");
  CHECK(header("{\"a\":{\"dtype\":\"F32\"}}") == "m.safetensors: error: tensor 'a' has no 'shape'\n");
  CHECK(header("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}") ==
        "m.safetensors: error: tensor 'a' has no 'data_offsets'\n");
  CHECK(header("{\"a\":{\"type\":\"F32\"}}") == "m.safetensors: error: tensor 'a': unknown key 'type'\n");
  CHECK(header("{\"a\":{\"shape\":[[1]]}}") ==
        "m.safetensors: error: tensor 'a': 'shape' is or holds a list\n");
  CHECK(header("{\"a\":{\"shape\":[-1]}}") ==
        "m.safetensors: error: tensor 'a': 'shape' is or holds a negative number\n");
  CHECK(header("{\"a\":{\"shape\":[1.5]}}") ==
        "m.safetensors: error: tensor 'a': 'shape' is or holds a fraction\n");
}

TEST_CASE("safetensors: a tensor whose type, shape and place do not agree") {
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return refusal(safetensors_file(one_tensor(dtype, shape, offsets), 24));
  };

  CHECK(tensor("\"F32\"", "[6]", "[0,24]") == "none");
  CHECK(tensor("\"F33\"", "[6]", "[0,24]") ==
        "m.safetensors: error: tensor 'a' has the unknown dtype 'F33'\n");
  CHECK(tensor("\"F32\"", "[5]", "[0,24]") ==
        "m.safetensors: error: tensor 'a': F32 of shape [5] takes 20 bytes, but its data_offsets span 24\n");
  CHECK(tensor("\"F32\"", "[4294967296,4294967296]", "[0,24]") ==
        "m.safetensors: error: tensor 'a': shape [4294967296, 4294967296] overflows 64 bits\n");
  CHECK(tensor("\"F4\"", "[5]", "[0,24]") ==
        "m.safetensors: error: tensor 'a': 5 elements of F4 are no whole bytes\n");
  CHECK(tensor("\"F32\"", "[6]", "[24,0]") ==
        "m.safetensors: error: tensor 'a' ends at byte 0, before its start at 24\n");
  CHECK(tensor("\"F32\"", "[6]", "[4,28]") ==
        "m.safetensors: error: tensor 'a' starts at byte 4 of the data, but the header ends at 0\n");
  CHECK(tensor("\"F32\"", "[7]", "[0,28]") ==
        "m.safetensors: error: is cut off: tensor 'a' ends at byte 28 of the data, but there are only 24\n");
  CHECK(tensor("\"F32\"", "[5]", "[0,20]") == "m.safetensors: error: has 4 bytes after its last tensor\n");
  CHECK(tensor("\"F32\"", "[18446744073709551615]", "[0,24]") ==
        "m.safetensors: error: tensor 'a': 18446744073709551615 in 'shape' is too large\n");
  CHECK(tensor("\"F32\"", "[6]", "[0,24,48]") ==
        "m.safetensors: error: tensor 'a': 'data_offsets' has too many numbers\n");
}

TEST_CASE("safetensors: two tensors of one name, or in one place") {
  const auto two = [](std::string_view second, std::string_view offsets) {
    return refusal(safetensors_file(fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},)"
                                                R"("{}":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                                                second, offsets),
                                    8));
  };

  CHECK(two("b", "[4,8]") == "none");
  CHECK(two("a", "[4,8]") == "m.safetensors: error: tensor 'a' is there twice\n");
  CHECK(two("b", "[2,6]") ==
        "m.safetensors: error: tensor 'b' starts at byte 2 of the data, but 'a' ends at 4\n");
}

TEST_CASE("safetensors: deep nesting and a hundred thousand tensors take no time") {
  CHECK(refusal(safetensors_file(std::string(1'000'000, '['), 0)) ==
        "m.safetensors: error: the header is a list, not an object\n");
  std::string header = "{\"__metadata__\":{}";
  for (int i = 0; i < 100'000; ++i)
    header += fmt::format(",\"t{}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", i);
  CHECK(refusal(safetensors_file(header + "}", 0)) == "none");
}

// Two shards, of 2 x 4 and 3 x 2 bytes.
const std::string first_shard =
    safetensors_file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
const std::string second_shard =
    safetensors_file(R"({"b":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}})", 6);
const std::string index_text =
    R"({"metadata":{"total_size":14},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})";

TEST_CASE("read_safetensors: one file") {
  const ScratchFolder folder;
  folder.write("model.safetensors", first_shard);

  const auto weights = read_safetensors(folder.path() / "model.safetensors");

  REQUIRE(weights.has_value());
  CHECK(weights->format == "safetensors");
  CHECK(weights->bytes == 2 * 4);
  CHECK(weights->elements == 2);
  CHECK(weights->files.size() == 1);
}

TEST_CASE("read_safetensors: an index with its files has the sums of all") {
  const ScratchFolder folder;
  folder.write("model.safetensors.index.json", index_text);
  folder.write("1.safetensors", first_shard);
  folder.write("2.safetensors", second_shard);

  const auto weights = read_safetensors(folder.path() / "model.safetensors.index.json");

  REQUIRE(weights.has_value());
  CHECK(weights->bytes == 2 * 4 + 3 * 2);
  CHECK(weights->elements == 2 + 3);
  CHECK(weights->bytes_by_dtype == std::vector<std::pair<std::string, std::int64_t>>{{"F32", 8}, {"F16", 6}});
  CHECK(weights->notes.empty());
}

TEST_CASE("read_safetensors: an index alone has its total") {
  const ScratchFolder folder;
  folder.write("model.safetensors.index.json", index_text);
  folder.write("2.safetensors", second_shard);

  const auto weights = read_safetensors(folder.path() / "model.safetensors.index.json");

  REQUIRE(weights.has_value());
  CHECK(weights->bytes == 14);
  CHECK_FALSE(weights->elements.has_value());
  CHECK(weights->notes ==
        std::vector<std::string>{
            "1 of 2 weight files are not there ('1.safetensors'): weight bytes are the total in the index"});
}

TEST_CASE("read_safetensors: an index that its files contradict") {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "model.safetensors.index.json").string();
  folder.write("1.safetensors", first_shard);
  const auto complaint = [&](std::string_view text) {
    folder.write("model.safetensors.index.json", text);
    const auto weights = read_safetensors(file);
    return weights ? fmt::format("{}", fmt::join(weights->notes, "")) : to_string(weights.error());
  };

  CHECK(complaint(R"({"weight_map":{"b":"1.safetensors"}})") ==
        file + ": error: tensor 'b' is not in '1.safetensors'\n");
  CHECK(complaint(R"({"weight_map":{}})").empty());
  CHECK(complaint(R"({"metadata":{"total_size":9.0},"weight_map":{"a":"1.safetensors"}})") ==
        "the index states 9 bytes of weights, its files hold 8");
  CHECK(complaint(R"({"weight_map":{"a":"none.safetensors"}})") ==
        file +
            ": error: 1 of 1 weight files are not there ('none.safetensors'), and the index has no "
            "'total_size'\n");
}

TEST_CASE("safetensors index: what is none") {
  const auto complaint = [](std::string_view text) {
    const auto index = read_safetensors_index(text, "i.json");
    return index ? "none" : to_string(index.error());
  };

  CHECK(complaint("{}") == "i.json: error: has no 'weight_map': not an index of safetensors files\n");
  CHECK(complaint("7") == "i.json: error: is no object\n");
  CHECK(complaint("{\"weight_map\":{\"a\":7}}") == "i.json: error: the file of tensor 'a' is no text\n");
  CHECK(complaint("{\"weight_map\":{\"a\":\"../x\"}}") ==
        "i.json: error: tensor 'a' is said to be in '../x', which is no file name\n");
  CHECK(complaint("{\"metadata\":{\"total_size\":-1},\"weight_map\":{}}") ==
        "i.json: error: 'total_size' is negative\n");
  CHECK(complaint("{\"a\":" + std::string(100'000, '[')) == "i.json: error: is nested too deeply\n");
}

TEST_CASE("safetensors_beside: the index before the file, and no guess between several") {
  const ScratchFolder folder;
  CHECK_FALSE(safetensors_beside(folder.path()).has_value());
  folder.write("x.safetensors", "");
  CHECK(safetensors_beside(folder.path())->filename() == "x.safetensors");
  folder.write("y.safetensors", "");
  CHECK_FALSE(safetensors_beside(folder.path()).has_value());
  folder.write("model.safetensors", "");
  CHECK(safetensors_beside(folder.path())->filename() == "model.safetensors");
  folder.write("model.safetensors.index.json", "");
  CHECK(safetensors_beside(folder.path())->filename() == "model.safetensors.index.json");
}

}  // namespace
}  // namespace roofcast
