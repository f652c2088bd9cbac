#!/usr/bin/env bash
# Installs from Debian what the tests drive and pip does not have, where that needs no password: a
# browser for the page, and the shells whose completion is tried. What cannot be had is skipped, and
# the last line of `make test` says so.
set -u

wanted=()
command -v chromium chromium-browser google-chrome >/dev/null || wanted+=(chromium)
for shell in zsh fish; do
  command -v "$shell" >/dev/null || wanted+=("$shell")
done
[ ${#wanted[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "not here, and no apt-get to install: ${wanted[*]}" >&2
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || { echo "not here, and no right to install: ${wanted[*]}" >&2; exit 0; }
  as_root=(sudo -n)
fi
install() {
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1
}
echo "installing for the tests: ${wanted[*]}"
# The lists of packages may be absent or old; they are fetched only if they have to be. One package
# that a distribution does not have must not keep the others away, so the last try is one by one.
install "${wanted[@]}" && exit 0
${as_root[@]+"${as_root[@]}"} apt-get update -q >/dev/null 2>&1
install "${wanted[@]}" && exit 0
for package in "${wanted[@]}"; do
  install "$package" || echo "$package could not be installed" >&2
done
exit 0
