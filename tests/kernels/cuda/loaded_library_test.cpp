#include "kernels/cuda/loaded_library.hpp"

#include <doctest/doctest.h>

namespace roofcast {
namespace {

TEST_CASE("LoadedLibrary: finds functions, and tells the first one that is not there") {
  auto library = LoadedLibrary::open("libm", 6);
  REQUIRE(library);
  double (*cosine)(double) = nullptr;
  library->find(cosine, "cos");
  REQUIRE((cosine != nullptr));
  CHECK(cosine(0) == 1);
  CHECK(library->whole().has_value());

  double (*absent)(double) = cosine;
  library->find(absent, "no_such_function");
  library->find(absent, "nor_this");
  CHECK((absent == nullptr));
  const auto whole = library->whole();
  REQUIRE_FALSE(whole);
  CHECK(whole.error().front().message == "libm.so.6 lacks no_such_function");
}

TEST_CASE("LoadedLibrary: one that is nowhere is told") {
  const auto library = LoadedLibrary::open("libnowhere", 1);
  REQUIRE_FALSE(library);
  CHECK(library.error().front().message == "there is no libnowhere.so.1");
}

}  // namespace
}  // namespace roofcast
