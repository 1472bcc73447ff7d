#include "kernels/cuda/loaded_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace roofcast {

Result<LoadedLibrary> LoadedLibrary::open(const std::string& name, int version) {
  LoadedLibrary library;
  library.name_ = fmt::format("{}.so.{}", name, version);
  for (const std::string& place :
       {library.name_, fmt::format("{}/{}", ROOFCAST_CUDA_LIBRARIES, library.name_)}) {
    library.handle_ = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) return library;
  }
  return fail(fmt::format("there is no {}", library.name_));
}

Result<void> LoadedLibrary::whole() const {
  if (missing_.empty()) return {};
  return fail(fmt::format("{} lacks {}", name_, missing_));
}

void* LoadedLibrary::symbol(const char* name) {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

}  // namespace roofcast
