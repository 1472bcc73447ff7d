#!/usr/bin/env bash
# Lays out all sources (clang-format 14). With --check it only says which files differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(-i)
[[ "${1:-}" == --check ]] && mode=(--dry-run --Werror)
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 -r clang-format "${mode[@]}"
