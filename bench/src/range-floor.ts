/** The floor of the Range measurements: one plain file over node:http, read in the same steps of 1 MiB as sealed objects. */
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'

const { PORT, FILE = '' } = process.env
const { size } = process.platform === 'linux' && FILE ? statSync(FILE) : { size: 0 }

createServer((request, response) => {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  const start = Number(match?.[1] ?? 0)
  const end = match?.[2] ? Number(match[2]) : size - 1
  response.writeHead(match ? 206 : 200, {
    'content-length': end - start + 1,
    ...(match ? { 'content-range': `bytes ${start}-${end}/${size}` } : {}),
  })
  pipeline(createReadStream(FILE, { start, end, highWaterMark: 2 ** 20 }), response).catch(() =>
    response.destroy(),
  )
}).listen(Number(PORT), '127.0.0.1')
