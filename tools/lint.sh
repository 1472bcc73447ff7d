#!/usr/bin/env bash
# clang-tidy on the sources that differ from a revision (default: HEAD), or on the files given. Needs a configured
# `clang` preset for its compile commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $# -gt 0 && -e "$1" ]]; then
  files=("$@")
else
  mapfile -t files < <(git diff --name-only --diff-filter=d "${1:-HEAD}" -- '*.cpp'; git ls-files --others --exclude-standard -- '*.cpp')
fi
[[ ${#files[@]} -eq 0 ]] && { echo "nothing to lint"; exit 0; }
[[ -e build/clang/compile_commands.json ]] || cmake --preset clang >/dev/null
clang-tidy -p build/clang --quiet "${files[@]}"
