// `simulate validate` as a user runs it; whole outputs are in tests/golden.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/golden/run_simulate.hpp"

namespace roofcast {
namespace {

const std::string example = "validate --measured tests/validation/example";

/// A folder of its own with one file, removed at the end.
class Folder {
 public:
  explicit Folder(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("roofcast-measured-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "ops.csv") << text;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("simulate validate: mistakes in options are told together, with the way out") {
  const ProcessResult result = run_simulate(example + " --by kernal,device --only sofmax --baseline ceiling");

  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.error ==
        "error: --by: unknown 'kernal'\n"
        "  hint: did you mean 'kernel'?\n"
        "error: --baseline: unknown 'ceiling'\n"
        "  hint: known: roofline\n"
        "error: --only: no table and no kind of row 'sofmax'\n"
        "  hint: did you mean 'softmax'?\n");
}

TEST_CASE("simulate validate: a folder that is none, and none given") {
  CHECK(run_simulate("validate --measured no/such/folder").error.starts_with("no/such/folder: error: "));
  CHECK(run_simulate("validate").exit_code == 2);
}

TEST_CASE("simulate validate: a table with a mistake is not compared in part") {
  const Folder folder(
      "source,hw,op,precision,m,n,latency_us\nlab,t4,relu,fp16,8,8,1\nlab,t4,relu,fp16,eight,8,1\n");

  const ProcessResult result = run_simulate("validate --measured " + folder.path());

  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.error == folder.path() + "/ops.csv:3:18: error: 'm' must be a number, not 'eight'\n");
}

TEST_CASE("simulate validate: --only takes tables and kinds of rows") {
  const auto kinds = [](const std::string& only) {
    const ProcessResult result = run_simulate(example + " --json --only " + only);
    REQUIRE(result.exit_code == 0);
    std::vector<std::string> names;
    const auto json = nlohmann::json::parse(result.out);
    for (const auto& group : json["groups"]) names.push_back(group["key"]["kernel"].get<std::string>());
    return names;
  };

  CHECK(kinds("softmax,bmm") == std::vector<std::string>{"bmm", "softmax"});
  CHECK(kinds("streams.csv") == std::vector<std::string>{"add_tensor", "softmax", "sort"});
  CHECK(kinds("network") == std::vector<std::string>{"network"});
  CHECK(kinds("products,operators") ==
        std::vector<std::string>{"add_tensor", "bmm", "gemm", "softmax", "sort"});
}

TEST_CASE("simulate validate: --rows writes a line for each row compared") {
  const Folder folder("source,hw,op,precision,m,n,latency_us\nlab,t4,relu,fp16,8,8,1\n");
  const std::string file = folder.path() + "/rows.txt";

  const ProcessResult result = run_simulate("validate --measured " + folder.path() + " --rows " + file);

  CHECK(result.exit_code == 0);
  const std::string text = file_text(file);
  CHECK(std::ranges::count(text, '\n') == 2);
  CHECK(text.starts_with("file,line,source,hw,device,kernel,"));
  CHECK(text.find("/ops.csv,2,lab,t4,t4,relu,fp16,forward,") != std::string::npos);
}

}  // namespace
}  // namespace roofcast
