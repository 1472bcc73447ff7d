#include "engine/io/weights/gguf.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/io/weights/ggml_types.hpp"
#include "tests/engine/io/toy_files.hpp"
#include "tests/engine/io/weights/toy_weights.hpp"

namespace roofcast {
namespace {

GgufHeader read(const std::string& bytes, std::size_t file_bytes = 0) {
  auto header = read_gguf_header(bytes, file_bytes == 0 ? bytes.size() : file_bytes, "m.gguf");
  INFO("complaint: ", header ? std::string("none") : to_string(header.error()));
  REQUIRE(header.has_value());
  REQUIRE(header->has_value());
  return **std::move(header);
}

std::string refusal(const std::string& bytes) {
  const auto header = read_gguf_header(bytes, bytes.size(), "m.gguf");
  return header ? "none" : to_string(header.error());
}

TEST_CASE("gguf: bytes of a tensor by its type's blocks") {
  struct Case {
    std::uint32_t type = 0;
    std::string_view name{};
    std::int64_t bytes = 0;  // of two rows of 512
  };
  const std::vector<Case> cases = {{0, "F32", 1024 * 4},           {1, "F16", 1024 * 2},
                                   {30, "BF16", 1024 * 2},         {2, "Q4_0", 1024 / 32 * 18},
                                   {3, "Q4_1", 1024 / 32 * 20},    {6, "Q5_0", 1024 / 32 * 22},
                                   {7, "Q5_1", 1024 / 32 * 24},    {8, "Q8_0", 1024 / 32 * 34},
                                   {10, "Q2_K", 1024 / 256 * 84},  {11, "Q3_K", 1024 / 256 * 110},
                                   {12, "Q4_K", 1024 / 256 * 144}, {13, "Q5_K", 1024 / 256 * 176},
                                   {14, "Q6_K", 1024 / 256 * 210}, {23, "IQ4_XS", 1024 / 256 * 136},
                                   {20, "IQ4_NL", 1024 / 32 * 18}, {39, "MXFP4", 1024 / 32 * 17},
                                   {34, "TQ1_0", 1024 / 256 * 54}, {35, "TQ2_0", 1024 / 256 * 66},
                                   {40, "NVFP4", 1024 / 64 * 36},  {29, "IQ1_M", 1024 / 256 * 56}};
  for (const Case& example : cases) {
    CAPTURE(example.name);
    const GgufHeader header = read(ToyGguf().tensor({"t", {512, 2}, example.type, 4096}).file());
    REQUIRE(header.tensors.size() == 1);
    CHECK(header.tensors[0].dtype == example.name);
    CHECK(header.tensors[0].elements == 512 * 2);
    CHECK(header.tensors[0].bytes == example.bytes);
  }
}

TEST_CASE("ggml_types: every id and every name is there once") {
  std::map<std::uint32_t, int> ids;
  std::map<std::string_view, int> names;
  for (const GgmlType& type : ggml_types()) {
    CHECK(++ids[type.id] == 1);
    CHECK(++names[type.name] == 1);
    CHECK(type.bytes > 0);
  }
}

TEST_CASE("gguf: metadata of every type") {
  const std::string list = little_endian<std::uint32_t>(9) + little_endian<std::uint64_t>(1) +
                           little_endian<std::uint32_t>(0) + little_endian<std::uint64_t>(2) + "ab";
  const GgufHeader header = read(ToyGguf()
                                     .pair("u8", 0, "\x07")
                                     .pair("i8", 1, "\xff")
                                     .pair("u16", 2, little_endian<std::uint16_t>(700))
                                     .pair("i16", 3, little_endian<std::int16_t>(-700))
                                     .pair("i32", 5, little_endian<std::int32_t>(-70000))
                                     .pair("flag", 7, "\x01")
                                     .pair("u64", 10, little_endian<std::uint64_t>(1ULL << 40U))
                                     .pair("huge", 10, little_endian<std::uint64_t>(1ULL << 63U))
                                     .pair("i64", 11, little_endian<std::int64_t>(-5))
                                     .pair("f64", 12, little_endian<double>(0.5))
                                     .pair("lists", 9, list)
                                     .number("f32", 1.5F)
                                     .integer("u32", 70000)
                                     .text("text", "llama")
                                     .integers("same", {8, 8})
                                     .integers("different", {8, 9})
                                     .texts("tokens", 5)
                                     .file());

  CHECK(header.version == 3);
  CHECK(header.integer("u8") == 7);
  CHECK(header.integer("i8") == -1);
  CHECK(header.integer("u16") == 700);
  CHECK(header.integer("i16") == -700);
  CHECK(header.integer("i32") == -70000);
  CHECK(header.integer("u32") == 70000);
  CHECK(header.integer("u64") == std::int64_t{1} << 40);
  CHECK(header.integer("i64") == -5);
  CHECK(header.number("huge") == 9223372036854775808.0);
  CHECK(header.number("f32") == 1.5);
  CHECK(header.number("f64") == 0.5);
  CHECK(std::get<bool>(header.metadata.at("flag")));
  CHECK(header.text("text") == "llama");
  CHECK(header.integer("same") == 8);
  CHECK_FALSE(header.integer("different").has_value());
  CHECK(header.list("different")->integers == std::vector<std::int64_t>{8, 9});
  CHECK(header.list("tokens")->count == 5);
  CHECK(header.list("lists")->count == 1);
}

TEST_CASE("gguf: versions 1 and 2 are read too; version 1 has 32-bit counts") {
  for (const std::uint32_t version : {1U, 2U}) {
    CAPTURE(version);
    const GgufHeader header = read(ToyGguf(version)
                                       .text("general.architecture", "llama")
                                       .texts("tokens", 3)
                                       .tensor({"a", {4}, 0, 16})
                                       .tensor({"b", {4, 2}, 1, 16})
                                       .file());
    CHECK(header.version == version);
    CHECK(header.tensors.size() == 2);
    CHECK(header.tensors[1].bytes == 4 * 2 * 2);
  }
}

TEST_CASE("gguf: a file may end after its header") {
  const ToyGguf toy = ToyGguf().tensor({"a", {4}, 0, 16});

  CHECK(read(toy.file()).has_data);
  const GgufHeader header = read(toy.header());
  CHECK_FALSE(header.has_data);
  CHECK(header.tensors[0].bytes == 16);
}

TEST_CASE("gguf: a start that is too short asks for more, a whole file that is too short is an error") {
  const std::string bytes = ToyGguf().text("key", "value").tensor({"a", {4}, 0, 16}).header();
  for (std::size_t length = 4; length < bytes.size(); ++length) {
    CAPTURE(length);
    const auto start = read_gguf_header(std::string_view(bytes).substr(0, length), bytes.size(), "m.gguf");
    REQUIRE(start.has_value());
    CHECK_FALSE(start->has_value());
    CHECK(refusal(bytes.substr(0, length)) != "none");
  }
}

TEST_CASE("gguf: what is no such file says what it is") {
  CHECK(refusal("") == "m.gguf: error: is no GGUF file: it does not start with 'GGUF'\n");
  CHECK(refusal("tjgg\x03") ==
        "m.gguf: error: is in a format older than GGUF; llama.cpp's scripts convert it\n");
  CHECK(refusal(std::string("GGUF\0\0\0\x03", 8)) ==
        "m.gguf: error: is a big-endian GGUF file; only little-endian ones are read\n");
  CHECK(refusal("GGUF" + little_endian<std::uint32_t>(4)) ==
        "m.gguf: error: is GGUF version 4; 1 to 3 are known\n");
  CHECK(refusal("GGUF" + little_endian<std::uint32_t>(3)) ==
        "m.gguf: error: ends within its header, after 8 bytes\n");
  CHECK(refusal("version https://git-lfs.github.com/spec/v1") ==
        "m.gguf: error: is a Git LFS pointer, not the file itself\n"
        "  hint: `git lfs pull` fetches it\n");
}

TEST_CASE("gguf: hostile counts are refused at once") {
  const std::string head = "GGUF" + little_endian<std::uint32_t>(3);
  const std::string huge = little_endian<std::uint64_t>(std::uint64_t{1} << 62U);
  const std::string none = little_endian<std::uint64_t>(0);

  CHECK(refusal(head + huge + none) ==
        "m.gguf: error: cannot have 4611686018427387904 tensors in 24 bytes\n");
  CHECK(refusal(head + none + huge) ==
        "m.gguf: error: cannot have 4611686018427387904 metadata keys in 24 bytes\n");
  CHECK(refusal(ToyGguf().pair("k", 9, little_endian<std::uint32_t>(0) + huge).file()) ==
        "m.gguf: error: ends within its header, after 64 bytes\n");
  CHECK(refusal(ToyGguf().pair("k", 9, little_endian<std::uint32_t>(8) + huge).file()) ==
        "m.gguf: error: ends within its header, after 64 bytes\n");
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += little_endian<std::uint32_t>(9) + little_endian<std::uint64_t>(1);
  CHECK(refusal(ToyGguf().pair("k", 9, nested).file()) ==
        "m.gguf: error: metadata key 'k': lists are nested too deeply\n");
}

TEST_CASE("gguf: mistakes in metadata and tensors name them") {
  const auto tensor = [](const ToyTensor& toy) { return refusal(ToyGguf().tensor(toy).file()); };

  CHECK(refusal(ToyGguf().pair("k", 99, "").file()) ==
        "m.gguf: error: metadata value of the unknown type 99 at byte 33\n");
  CHECK(refusal(ToyGguf().integer("k", 1).integer("k", 2).file()) ==
        "m.gguf: error: metadata key 'k' is there twice\n");
  CHECK(refusal(ToyGguf().integer("general.alignment", 24).file()) ==
        "m.gguf: error: 'general.alignment' is 24, not a power of two\n");
  CHECK(tensor({"t", {32}, 4, 0}) == "m.gguf: error: tensor 't' has the unknown ggml type 4\n");
  CHECK(tensor({"t", {32}, 4711, 0}) == "m.gguf: error: tensor 't' has the unknown ggml type 4711\n");
  CHECK(tensor({"t", {128, 2}, 12, 0}) ==
        "m.gguf: error: tensor 't': rows of 128 are no whole blocks of Q4_K (256 elements)\n");
  CHECK(tensor({"t", {1ULL << 32U, 1ULL << 32U}, 0, 0}) ==
        "m.gguf: error: tensor 't': shape [4294967296, 4294967296] overflows 64 bits\n");
  CHECK(tensor({"t", {1ULL << 63U}, 0, 0}) ==
        "m.gguf: error: tensor 't' has a dimension of 9223372036854775808\n");
  CHECK(tensor({"t", {1, 1, 1, 1, 1}, 0, 0}) ==
        "m.gguf: error: tensor 't' has 5 dimensions, at most 4 are allowed\n");
  CHECK(refusal(ToyGguf().raw_tensor({"t", {4}, 0, 16}, 16).file()) ==
        "m.gguf: error: tensor 't' is at offset 16, which is no multiple of 32\n");
  CHECK(refusal(ToyGguf().tensor({"t", {4}, 0, 16}).tensor({"t", {4}, 0, 16}).file()) ==
        "m.gguf: error: tensor 't' is there twice\n");
  CHECK(refusal(ToyGguf().tensor({"t", {64}, 0, 0}).tensor({"u", {4}, 0, 16}).file()) ==
        "m.gguf: error: tensors 'u' and 't' overlap\n");
}

TEST_CASE("gguf: a vocabulary is skipped, not kept") {
  const GgufHeader header = read(ToyGguf().texts("tokenizer.ggml.tokens", 150'000).file());

  CHECK(header.list("tokenizer.ggml.tokens")->count == 150'000);
  CHECK(header.list("tokenizer.ggml.tokens")->integers.empty());
}

TEST_CASE("read_gguf_model: parts of a model are added up") {
  const ScratchFolder folder;
  folder.write("m-00001-of-00002.gguf",
               ToyGguf().text("general.architecture", "llama").tensor({"a", {32}, 8, 34}).file());
  folder.write("m-00002-of-00002.gguf", ToyGguf().tensor({"b", {4}, 0, 16}).file());

  for (const char* part : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}) {
    CAPTURE(part);
    const auto model = read_gguf_model(folder.path() / part);
    REQUIRE(model.has_value());
    REQUIRE(model->weights.has_value());
    CHECK(model->header.text("general.architecture") == "llama");
    CHECK(model->weights->bytes == 34 + 16);
    CHECK(model->weights->elements == 32 + 4);
    CHECK(model->weights->files.size() == 2);
    CHECK(model->notes.empty());
  }
}

TEST_CASE("read_gguf_model: without all parts the weights are not known") {
  const ScratchFolder folder;
  folder.write("m-00001-of-00002.gguf", ToyGguf().tensor({"a", {4}, 0, 16}).header());
  const std::string first = (folder.path() / "m-00001-of-00002.gguf").string();
  const std::string second = (folder.path() / "m-00002-of-00002.gguf").string();

  const auto model = read_gguf_model(first);

  REQUIRE(model.has_value());
  CHECK_FALSE(model->weights.has_value());
  CHECK(model->notes ==
        std::vector<std::string>{
            fmt::format("'{}' ends before its tensors do: only its header was needed", first),
            fmt::format("1 of 2 parts are not there ('{}'): weight bytes are not known, and an output matrix "
                        "of its own or biases in them are missed",
                        second)});
}

}  // namespace
}  // namespace roofcast
