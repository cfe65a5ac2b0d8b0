#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install.sh LIST...: prints and installs the packages of the lists that are missing. Fast if none is missing.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "Ringside: no apt here, so nothing is installed; the packages it needs are listed in packaging/dependencies/." >&2
    exit 0
fi

have() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# apt also knows names of packages that only other packages mention, so an installable version is required.
known() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else
        echo "Ringside: installing packages needs root and there is no sudo. As root, run: apt-get install ${missing[*]}" >&2
        exit 2
    fi
}

# Prints the entries of which no alternative is installed.
lacking() {
    local names alternative found
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@" | while read -r names optional; do
        found=
        for alternative in ${names//|/ }; do have "$alternative" && found=yes; done
        [ -n "$found" ] || echo "$names ${optional:-}"
    done
}

wanted=$(lacking "$@")
stamp="${XDG_CACHE_HOME:-$HOME/.cache}/ringside/unavailable-packages"
if [ -n "$wanted" ] && [ -f "$stamp" ]; then
    wanted=$(grep -vxFf "$stamp" <<<"$wanted" || true)
fi
[ -n "$wanted" ] || exit 0

missing=()
echo "Ringside needs packages that are not installed yet; reading the package lists first (apt-get update)."
as_root apt-get update -qq || echo "Ringside: apt-get update failed; continuing with the existing package lists." >&2
while read -r names optional; do
    chosen=
    for alternative in ${names//|/ }; do
        if [ -z "$chosen" ] && known "$alternative"; then chosen=$alternative; fi
    done
    if [ -n "$chosen" ]; then missing+=("$chosen")
    elif [ "$optional" = "?" ]; then
        mkdir -p "$(dirname "$stamp")"; echo "$names $optional" >>"$stamp"
        echo "Ringside: $names is not available on this system; continuing without it."
    else
        echo "Ringside: the package $names is needed but this system's package lists do not have it. Is the main (Debian) or universe (Ubuntu) section on?" >&2
        exit 2
    fi
done <<<"$wanted"
[ "${#missing[@]}" -gt 0 ] || exit 0
echo "Ringside will install with apt-get: ${missing[*]}"
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
