# The server with its portal. Build: docker build -t custodia . — see docs/operations.md, "In containers".
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm run -w @custodia/web build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
# ffmpeg plays what phones record in formats that browsers do not know; postgresql-client brings pg_dump for backups.
RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg postgresql-client && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data && ln -s /app/bin/custodia /usr/local/bin/custodia
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 CUSTODIA_DATA=/data DEMO=false
USER node
VOLUME /data
EXPOSE 4000
# Asks the process alone; /readyz names the part that is missing.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The program replaces its shell: it gets the signal that asks it to end, and drains. Other commands: docker run … custodia --help
CMD ["custodia", "start"]
