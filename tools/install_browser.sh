#!/usr/bin/env bash
# Installs Debian's Chromium for the tests of the web page, where that needs no password. Where it
# cannot be had those tests are skipped, and the last line of `make test` says so.
set -u

for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done

if ! command -v apt-get >/dev/null; then
  echo "no Chromium here, and no apt-get to install it" >&2
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || { echo "no Chromium here, and no right to install it" >&2; exit 0; }
  as_root=(sudo -n)
fi
install() {
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends chromium >/dev/null 2>&1
}
echo "installing Chromium for the tests of the web page"
# The lists of packages may be absent or old; they are fetched only if they have to be.
install || { ${as_root[@]+"${as_root[@]}"} apt-get update -q >/dev/null 2>&1; install; } \
  || echo "Chromium could not be installed" >&2
exit 0
