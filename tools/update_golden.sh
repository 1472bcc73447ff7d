#!/usr/bin/env bash
# Rewrites the reports in tests/golden/ and the example in README.md with the built program (default: release preset).
# Review the difference before you commit it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
simulate=${1:-build/release/tools/simulate}
export TERM=dumb
unset ROOFCAST_DATA COLUMNS
grep -vE '^(#|$)' tests/golden/cases.txt | while read -r file arguments; do
  eval "$simulate $arguments" </dev/null 2>/dev/null >"tests/golden/$file"
done

# In README.md, what stands between "$ tools/run simulate ..." and the end of its code block, if anything does.
awk -v simulate="$simulate" '
  { print }
  /^\$ tools\/run simulate / {
    command = simulate " " substr($0, length("$ tools/run simulate ") + 1) " </dev/null 2>/dev/null"
    if ((getline line) > 0 && line !~ /^```/) {
      while ((command | getline output) > 0) print output
      close(command)
      while ((getline line) > 0 && line !~ /^```/) { }
    }
    print line
  }' README.md >README.md.new
mv README.md.new README.md
git diff --stat -- tests/golden README.md
