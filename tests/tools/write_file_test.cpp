#include "tools/write_file.hpp"

#include <doctest/doctest.h>

#include "engine/io/read_file.hpp"
#include "tests/engine/io/toy_files.hpp"

namespace roofcast {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

TEST_CASE("write_file: a file is replaced as a whole and nothing else is left behind") {
  const ScratchFolder folder;
  folder.write("out.csv", "old and longer");

  CHECK(write_file((folder.path() / "out.csv").string(), "new") == "");

  CHECK(*read_text(folder.path() / "out.csv") == "new");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("write_file: a link stays a link") {
  const ScratchFolder folder;
  folder.write("real.csv", "old");
  std::filesystem::create_symlink(folder.path() / "real.csv", folder.path() / "link.csv");

  CHECK(write_file((folder.path() / "link.csv").string(), "new") == "");

  CHECK(std::filesystem::is_symlink(folder.path() / "link.csv"));
  CHECK(*read_text(folder.path() / "real.csv") == "new");
}

TEST_CASE("write_file: what cannot be written says why") {
  const ScratchFolder folder;

  CHECK(write_file(folder.path().string(), "new") == "is a directory");
  CHECK(write_file((folder.path() / "no" / "out.csv").string(), "new") == "No such file or directory");
  if (std::filesystem::exists("/dev/full"))
    CHECK(write_file("/dev/full", "new") == "No space left on device");
}

}  // namespace
}  // namespace roofcast
