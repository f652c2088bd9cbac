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
if [ $# -eq 0 ]; then
  set -- tests/engine tests/behavior tests/distance
fi
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 SYMBED_ENGINE=native \
  LD_PRELOAD=$runtime PYTHONPATH=$tree PYTHONDONTWRITEBYTECODE=1 \
  python -m pytest -p no:cacheprovider -q "$@"
