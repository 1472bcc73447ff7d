#pragma once
// A library of NVIDIA's that is loaded when it is asked for: programs run without it. It stays until the
// process ends.

#include <string>

#include "engine/base/diagnostics.hpp"

namespace roofcast {

class LoadedLibrary {
 public:
  /// "libnccl" and 2: libnccl.so.2, where the system finds it, else beside the toolkit that this was built
  /// with. Fails if there is none.
  static Result<LoadedLibrary> open(const std::string& name, int version);

  /// Fills in a pointer to the function of this name; null if the library has none.
  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
  }

  /// Fails if a function was not found.
  Result<void> whole() const;

 private:
  void* symbol(const char* name);

  std::string name_{};
  void* handle_ = nullptr;
  std::string missing_{};  ///< the first function that it lacks
};

}  // namespace roofcast
