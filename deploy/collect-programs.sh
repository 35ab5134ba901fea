#!/bin/sh
# Used by the Dockerfile. Copies programs with the libraries that they load, and nothing else of their packages, into a folder:
#     collect-programs.sh <folder> <libraries of the base image> <program>…
# The packages of ffmpeg alone need four times as much, for drivers and sounds that a server does not have.
set -eu
folder=$1 known=$2
shift 2
mkdir -p "$folder/usr/local/bin" "$folder/var/lib/dpkg/status.d"
copy() { # <file> <place>
  mkdir -p "$folder/$(dirname "$2")"
  cp -L "$1" "$folder/$2"
  # Scanners for vulnerabilities read the versions here, as in distroless images.
  package=$(dpkg-query -S "*/$(basename "$(readlink -f "$1")")" | head -n 1 | cut -d : -f 1)
  dpkg-query -s "$package" > "$folder/var/lib/dpkg/status.d/$package"
  mkdir -p "$folder/usr/share/doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$folder/usr/share/doc/$package/"
}
for program; do copy "$program" "usr/local/bin/$(basename "$program")"; done
ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r library; do
  grep -qx "$(basename "$library")" "$known" && continue
  copy "$library" "$(realpath "$(dirname "$library")")/$(basename "$library")"
done
