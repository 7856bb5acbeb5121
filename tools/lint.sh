#!/usr/bin/env bash
# Every linter over the whole tree; all of them run, so that one round of fixing is enough.
#
#   tools/lint.sh          Python and native code
#   tools/lint.sh python   Python alone
#   tools/lint.sh native   C and C++ alone
set -uo pipefail
cd "$(dirname "$0")/.."

part=${1:-all}
bin=.venv/bin
failed=()
check() {
    local name=$1
    shift
    echo "lint: $name" >&2
    "$@" || failed+=("$name")
}

python_folders=()
for folder in src tests benchmarks tools; do
    [ ! -d "$folder" ] || python_folders+=("$folder")
done

if [ "$part" != native ]; then
    check "ruff check" $bin/ruff check --quiet "${python_folders[@]}"
    check "ruff format" $bin/ruff format --quiet --check "${python_folders[@]}"
    check "mypy --strict" $bin/mypy --strict --no-error-summary
    check "plain words" $bin/python tools/plain_words.py
fi

if [ "$part" != python ] && [ -d native ]; then
    mapfile -d '' sources < <(find native -type f \
        \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) -print0)
    if [ ${#sources[@]} -gt 0 ]; then
        check "clang-format" clang-format --dry-run -Werror "${sources[@]}"
        # cppcheck rather than clang-tidy: without parsing DPDK's headers it takes seconds, and what
        # it looks for (uninitialised, out of bounds, leaks, portability) needs none of them.
        check "cppcheck" cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 --std=c++20 \
            --enable=warning,performance,portability --suppress=missingInclude \
            --suppress=missingIncludeSystem --suppress=preprocessorErrorDirective \
            --suppress=unknownMacro --library=googletest \
            -j "$(nproc)" native
    fi
fi

if [ ${#failed[@]} -gt 0 ]; then
    printf 'lint: failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "lint: clean" >&2
