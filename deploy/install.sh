#!/bin/sh
# Makes the checkout in /opt/custodia a service of a Debian machine: packages of npm, portal, user, folders, settings, units, nginx site and
# the command custodia. Run it as root, again after an upgrade. It keeps settings and site.
set -eu
cd "$(dirname "$0")"
(cd .. && node scripts/ensure.mjs && PATH=$PWD/node_modules/.bin:$PATH node scripts/build-portal.ts)
id custodia >/dev/null 2>&1 || useradd --system --home-dir /var/lib/custodia --shell /usr/sbin/nologin custodia
install -d -m 700 -o custodia -g custodia /var/lib/custodia
install -d -m 750 -g custodia /etc/custodia
settings=/etc/custodia/custodia.env
[ -e "$settings" ] || install -m 640 -g custodia custodia.env.example "$settings"
for kind in api worker all; do
  install -m 644 custodia@.service "/etc/systemd/system/custodia-$kind@.service"
done
site=/etc/nginx/sites-enabled/custodia
[ ! -d /etc/nginx/sites-enabled ] || [ -e "$site" ] || install -m 644 nginx.conf "$site"
systemctl enable --quiet custodia-api@4001 custodia-api@4002 custodia-worker@4003 custodia-worker@4004
ln -sf /opt/custodia/bin/custodia /usr/local/bin/custodia
