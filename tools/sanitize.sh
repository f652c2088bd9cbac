#!/usr/bin/env bash
# The native core under AddressSanitizer and UndefinedBehaviorSanitizer, on the tests' inputs.
#
#     tools/sanitize.sh [tests ...]
#
# Needs cmake, ninja, g++ (or clang++ as CXX) and a Python with the test tools on the PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/sanitize
tree=$build/tree
cmake -S . -B $build -G Ninja -DSYMBED_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
cmake --build $build
rm -rf $tree
mkdir -p $tree
cp -r src/symbed $tree/
rm -f $tree/symbed/engine/_symbed_core.*  # one without sanitizers may lie in the sources
cmake --install $build --prefix $tree

# Python itself is not instrumented, so the run-time library must be there before it starts. Its own
# memory is never all freed: leaks are not looked for.
compiler=${CXX:-g++}
case "$("$compiler" --version)" in
  *clang*) runtime=$("$compiler" -print-file-name=libclang_rt.asan-x86_64.so) ;;
  *) runtime=$("$compiler" -print-file-name=libasan.so) ;;
esac
# The C++ library, too, or exceptions that other extension modules throw end in a failed check.
runtime="$runtime $("$compiler" -print-file-name=libstdc++.so.6)"
if [ $# -eq 0 ]; then
  set -- tests/engine tests/behavior tests/distances tests/workbench tests/test_laws.py
fi

# Reports go to files: what a test, or a process that it starts, writes to its standard error is
# caught, and lost when the process is ended by the first finding. Tests that measure memory are
# left out, since the sanitizer keeps what is freed.
found=$PWD/$build/finding
rm -f "$found".*
ended=0
ASAN_OPTIONS=detect_leaks=0:log_path=$found UBSAN_OPTIONS=print_stacktrace=1:log_path=$found \
  SYMBED_ENGINE=native OPENBLAS_NUM_THREADS=1 \
  LD_PRELOAD="$runtime" PYTHONPATH=$tree PYTHONDONTWRITEBYTECODE=1 \
  python -m pytest -p no:cacheprovider -q -n auto --dist worksteal \
  -k "not memory_does_not_grow" "$@" || ended=$?
for report in "$found".*; do
  if [ -e "$report" ]; then
    cat "$report"
    ended=1
  fi
done
if [ $ended -eq 0 ]; then echo "no findings"; fi
exit $ended
