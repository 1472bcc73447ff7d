#include "kernels/samples.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/io/measured_table.hpp"

namespace roofcast {
namespace {

namespace fs = std::filesystem;

const SampleOrigin origin{.hardware = "toy", .libraries = "toyblas 1.0, fast", .date = "2026-11-30"};

// A folder that goes away again.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / fmt::format("samples_test_{}", ::getpid())) {
    fs::remove_all(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_{};
};

Sample product() {
  return {.probe = {.op = "gemm", .m = 128, .n = 256, .k = 64, .group = "gemm:n256k64"},
          .timing = {.of_one_run = {.count = 12,
                                    .median = microseconds(21.5),
                                    .deviation = microseconds(0.25),
                                    .low = microseconds(21.25),
                                    .high = microseconds(21.75),
                                    .least = microseconds(20)},
                     .runs_in_batch = 94,
                     .clock = megahertz(2500),
                     .power = Watts{350},
                     .bimodal = true},
          .algorithm = "id=7 tile=20"};
}

Sample stream() {
  return {
      .probe = {.op = "softmax", .m = 16, .n = 1024, .residency = Residency::warm, .group = "softmax:n1024"},
      .failure = "wrong: result 3 is nan, not 1\nat all"};
}

Sample attention() {
  Sample sample = product();
  sample.probe = {.op = "attention_prefill",
                  .precision = "bf16",
                  .m = 2 * 512 * 16,
                  .n = 64,
                  .attention = AttentionSizes{2, 512, 512, 16, 8, 64},
                  .group = "attention:h16kv8d64"};
  return sample;
}

std::size_t fields(const std::string& row) {
  return static_cast<std::size_t>(std::ranges::count(row, ',')) + 1;
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("sample_row: a timing with all that is known about it") {
  CHECK(sample_row(product(), origin) ==
        "calibrate,toy,gemm,fp32,128,256,64,21.5,toyblas 1.0  "
        "fast,bimodal,,1,,gemm:n256k64,calibrate-cold,4,cold,"
        "94,12,0.25,21.25,21.75,20,2500,350,id=7 tile=20,2026-11-30");
  CHECK(fields(sample_row(product(), origin)) == fields(sample_header(SampleTable::products)));
}

TEST_CASE("sample_row: a failure is a row that cannot be used, with its reason") {
  CHECK(sample_row(stream(), origin) ==
        "calibrate,toy,softmax,fp32,16,1024,,toyblas 1.0  fast,,,0,wrong: result 3 is nan  not 1 at all,"
        "softmax:n1024,calibrate-warm,4,warm,,,,,,,,,,2026-11-30");
  CHECK(fields(sample_row(stream(), origin)) == fields(sample_header(SampleTable::streams)));
}

TEST_CASE("SampleFolder: what is written is a folder of measured tables") {
  const TemporaryFolder temporary;
  auto folder = SampleFolder::open(temporary.path(), origin, false);
  REQUIRE(folder);
  REQUIRE(folder->write(product()));
  REQUIRE(folder->write(stream()));

  const auto measured = read_measured_folder(temporary.path());

  REQUIRE(measured);
  REQUIRE(measured->tables.size() == 2);
  const MeasuredTable& products = measured->tables[0];
  CHECK(products.kind == TableKind::products);
  REQUIRE(products.rows.size() == 1);
  CHECK(as_microseconds(products.rows[0].measured) == doctest::Approx(21.5));
  CHECK(products.rows[0].group == "gemm:n256k64");
  CHECK(std::get<OperatorRow>(products.rows[0].what).k == 64);
  const MeasuredTable& streams = measured->tables[1];
  CHECK(streams.kind == TableKind::streams);
  CHECK(streams.rows.empty());
  CHECK(streams.left_out.at("wrong: result 3 is nan  not 1 at all") == 1);
}

TEST_CASE("SampleFolder: attention has a table of its own, with its sizes") {
  const TemporaryFolder temporary;
  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(attention()));
  CHECK(fields(sample_row(attention(), origin)) == fields(sample_header(SampleTable::attention)));

  const auto measured = read_measured_folder(temporary.path());

  REQUIRE(measured);
  REQUIRE(measured->tables.size() == 1);
  CHECK(measured->tables[0].kind == TableKind::attention);
  REQUIRE(measured->tables[0].rows.size() == 1);
  const auto& row = std::get<OperatorRow>(measured->tables[0].rows[0].what);
  CHECK(row.op == "attention_prefill");
  CHECK(row.batch == 2);
  CHECK(row.query_length == 512);
  CHECK(row.key_length == 512);
  CHECK(row.heads == 16);
  CHECK(row.kv_heads == 8);
  CHECK(row.head_size == 64);
  const auto resumed = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE(resumed);
  CHECK(resumed->is_done(attention().probe));
  Probe longer = attention().probe;
  longer.attention->key_length = 513;
  CHECK_FALSE(resumed->is_done(longer));
}

TEST_CASE("SampleFolder: collective operations have a table of their own, with bytes and devices") {
  Sample sample = product();
  sample.probe = {.op = "all_reduce",
                  .precision = "bf16",
                  .collective = CollectiveSizes{.bytes = 65536, .devices = 4},
                  .residency = Residency::warm,
                  .group = "all_reduce:g4"};
  const TemporaryFolder temporary;

  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(sample));

  CHECK(fields(sample_row(sample, origin)) == fields(sample_header(SampleTable::collectives)));
  const std::string table = content(temporary.path() / "collectives.csv");
  CHECK(table.find(",bytes,n_gpus,") != std::string::npos);
  CHECK(table.find(",65536,4,") != std::string::npos);
  const auto resumed = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE(resumed);
  CHECK(resumed->is_done(sample.probe));
  sample.probe.collective->devices = 2;
  CHECK_FALSE(resumed->is_done(sample.probe));
}

TEST_CASE("SampleFolder: a product under sustained load is another row, which says so") {
  const TemporaryFolder temporary;
  Sample sample = product();
  sample.probe.load = Load::sustained;
  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(sample));

  const auto measured = read_measured_folder(temporary.path());
  const auto resumed = SampleFolder::open(temporary.path(), origin, true);

  REQUIRE(measured);
  CHECK(measured->tables[0].rows[0].runtime == "calibrate-sustained");
  REQUIRE(resumed);
  CHECK(resumed->is_done(sample.probe));
  CHECK_FALSE(resumed->is_done(product().probe));
}

TEST_CASE("SampleFolder: tables that are there are only continued with resume") {
  const TemporaryFolder temporary;
  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(product()));

  const auto refused = SampleFolder::open(temporary.path(), origin, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().message == "exists already");

  auto resumed = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE(resumed);
  CHECK(resumed->done() == 1);
  CHECK(resumed->is_done(product().probe));
  CHECK_FALSE(resumed->is_done(stream().probe));
  Probe warm = product().probe;
  warm.residency = Residency::warm;
  CHECK_FALSE(resumed->is_done(warm));
  REQUIRE(resumed->write(stream()));
  CHECK(SampleFolder::open(temporary.path(), origin, true)->done() == 2);
}

TEST_CASE("SampleFolder: convolutions have a table of their own, which is read as such") {
  const TemporaryFolder temporary;
  const Sample convolution{.probe = {.op = "conv2d",
                                     .precision = "fp16",
                                     .convolution = ConvolutionSizes{.batch = 8,
                                                                     .in_channels = 3,
                                                                     .out_channels = 64,
                                                                     .kernel = 7,
                                                                     .in_size = 224,
                                                                     .stride = 2,
                                                                     .padding = 3},
                                     .group = "ic3oc64k7"},
                           .timing = {.of_one_run = {.count = 10, .median = microseconds(40)}}};
  Sample gradient = convolution;
  gradient.probe.op = "conv2d_wgrad";
  auto samples = SampleFolder::open(temporary.path(), origin, false);
  REQUIRE(samples);
  CHECK_FALSE(fs::exists(temporary.path() / "convolutions.csv"));

  REQUIRE(samples->write(convolution));
  REQUIRE(samples->write(gradient));

  auto resumed = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE(resumed);
  CHECK(resumed->is_done(convolution.probe));
  CHECK(resumed->is_done(gradient.probe));
  const auto csv = read_csv(temporary.path() / "convolutions.csv");
  REQUIRE(csv);
  const auto table = read_measured_table(*csv);
  REQUIRE(table);
  CHECK(table->kind == TableKind::convolutions);
  REQUIRE(table->rows.size() == 2);
  const auto& row = std::get<OperatorRow>(table->rows.front().what);
  CHECK(row.op == "conv2d");
  CHECK(row.batch == 8);
  CHECK(row.in_channels == 3);
  CHECK(row.out_channels == 64);
  CHECK(row.kernel_size == 7);
  CHECK(row.input_size == 224);
  CHECK(row.stride == 2);
  CHECK(row.padding == 3);
  CHECK(as_microseconds(table->rows.front().measured) == doctest::Approx(40));
}

TEST_CASE("SampleFolder: a row that was broken off is measured again") {
  const TemporaryFolder temporary;
  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(product()));
  const fs::path table = temporary.path() / "products.csv";
  const std::string before = content(table);
  std::ofstream(table, std::ios::app) << "calibrate,toy,gemm,fp32,1";

  const auto resumed = SampleFolder::open(temporary.path(), origin, true);

  REQUIRE(resumed);
  CHECK(resumed->done() == 1);
  CHECK(content(table) == before);
}

TEST_CASE("SampleFolder: a header that was broken off is written again") {
  const TemporaryFolder temporary;
  fs::create_directories(temporary.path());
  std::ofstream(temporary.path() / "products.csv") << "source,hw";

  auto folder = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE(folder);
  REQUIRE(folder->write(product()));

  CHECK(content(temporary.path() / "products.csv") ==
        sample_header(SampleTable::products) + "\n" + sample_row(product(), origin) + "\n");
}

TEST_CASE("SampleFolder: rows of another card or of another program are errors") {
  const TemporaryFolder temporary;
  REQUIRE(SampleFolder::open(temporary.path(), origin, false)->write(product()));

  const auto other = SampleFolder::open(temporary.path(), {.hardware = "toy-2"}, true);
  REQUIRE_FALSE(other);
  CHECK(other.error().front().message == "a row of 'toy', but this is 'toy-2'");

  std::ofstream(temporary.path() / "products.csv") << "op,m,n,k\n";
  const auto foreign = SampleFolder::open(temporary.path(), origin, true);
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().front().message == "the columns are not those of this version");
}

}  // namespace
}  // namespace roofcast
