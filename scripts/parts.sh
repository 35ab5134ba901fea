#!/bin/bash
# Installs the outside parts that the tests use on Debian (S3 server, malware scanner, SFTP server, mail server, media tools, identity
# provider, a PostgreSQL to replicate, strace to inject faults, Python for an example, nginx, and promtool of Prometheus).
# The server itself needs none of them. Starts nothing; does nothing when all is there.
set -eu

packages=(ceph-mon ceph-osd radosgw ceph-common clamav-daemon openssh-server ffmpeg time openssl python3 postgresql strace
  unzip p7zip-full gnupg exim4-daemon-light nginx-light prometheus iproute2 sudo)
# LemonLDAP::NG, with what it loads without depending on it.
packages+=(liblemonldap-ng-portal-perl lemonldap-ng-fastcgi-server libcrypt-openssl-bignum-perl libgd-securityimage-perl
  libimage-magick-perl libio-string-perl libstring-random-perl)
# Tools of `npm run test:long`, which builds the image, and checks the sealed log with Go's checksum database.
if [ "${1:-}" = long ]; then
  packages+=(buildah debootstrap golang-go golang-golang-x-mod-dev)
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "parts: this system has no apt. Install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

if [ "$(id -u)" -ne 0 ]; then
  echo "parts: missing ${missing[*]}. Run as root: bash scripts/parts.sh" >&2
  exit 1
fi

echo "parts: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt_get=(apt-get -o DPkg::Lock::Timeout=900 -q)
"${apt_get[@]}" update

# While this runs, packages may not start the services they bring; a policy that is there already stays.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
"${apt_get[@]}" install -y --no-install-recommends "${missing[@]}"
