# The server with its portal. Build: docker build -t custodia . (docs/operations.md, "In containers").
# Pin the base image by digest with --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS portal
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund && npm run -w @custodia/web build

# The packages that the server needs in production. Optional packages are the embedded PostgreSQL and a second Node.
FROM ${NODE_IMAGE} AS program
WORKDIR /app
COPY . .
# Source maps and types are a third of their bytes.
RUN npm ci --workspace=@custodia/server --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
  && find node_modules \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -type f -delete

# ffmpeg converts recordings that browsers cannot play. pg_dump must be as new as the server: the newest one comes from apt.postgresql.org,
# whose key is in a package that Debian signs. An empty POSTGRESQL_APT takes Debian's own version, POSTGRESQL_VERSION=15.
FROM ${NODE_IMAGE} AS programs
ARG POSTGRESQL_VERSION=18
ARG POSTGRESQL_APT=http://apt.postgresql.org/pub/repos/apt
RUN find /lib /usr/lib -name '*.so*' -printf '%f\n' > /known-libraries && apt-get update && apt-get download postgresql-common \
  && dpkg -x postgresql-common_*.deb /unpacked && if [ -n "$POSTGRESQL_APT" ]; then \
    key=/unpacked/usr/share/postgresql-common/pgdg/apt.postgresql.org.gpg \
    && echo "deb [signed-by=$key] $POSTGRESQL_APT bookworm-pgdg main" > /etc/apt/sources.list.d/postgresql.list && apt-get update; fi \
  && apt-get install -y --no-install-recommends ffmpeg "postgresql-client-$POSTGRESQL_VERSION"
COPY deploy/collect-programs.sh /
RUN /collect-programs.sh /programs /known-libraries /usr/bin/ffmpeg /usr/bin/ffprobe \
  "/usr/lib/postgresql/$POSTGRESQL_VERSION/bin/pg_dump" "/usr/lib/postgresql/$POSTGRESQL_VERSION/bin/pg_restore"

FROM ${NODE_IMAGE}
COPY --from=programs /programs /
WORKDIR /app
COPY --from=program /app/node_modules node_modules
COPY --from=program /app/package.json package.json
COPY --from=program /app/LICENSE /app/THIRD-PARTY.md ./
COPY --from=program /app/bin bin
COPY --from=program /app/packages packages
COPY --from=program /app/apps/server apps/server
COPY --from=portal /app/apps/web/dist apps/web/dist
RUN ldconfig && mkdir /data && chown node:node /data && ln -s /app/bin/custodia /usr/local/bin/custodia
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 CUSTODIA_DATA=/data DEMO=false
USER node
VOLUME /data
EXPOSE 4000
# Asks the process alone; /readyz names the part that is missing.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The program replaces its shell: it gets the signal that asks it to end, and drains. Other commands: docker run … custodia --help
CMD ["custodia", "start"]
