import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

const run = promisify(execFile)

const CONFIG = (folder: string) => `
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:true
[tsa]
extendedKeyUsage = critical, timeStamping
[tsa_config]
serial = ${folder}/serial
signer_cert = ${folder}/tsa.crt
signer_key = ${folder}/tsa.key
signer_digest = sha256
certs = ${folder}/ca.crt
default_policy = 1.2.3.4
digests = sha256
`

interface TimeStamps {
  url: string
  /** The file to trust. */
  ca: string
  openssl(...args: string[]): Promise<string>
  /** Alters later answers. */
  alter(alter: (reply: Buffer) => Buffer): void
  close(): void
}

/** Starts a time-stamping authority of OpenSSL with a certificate of its own. */
export async function startTimeStamps(folder: string): Promise<TimeStamps> {
  let altered = (reply: Buffer) => reply
  const openssl = async (...args: string[]) => (await run('openssl', args, { cwd: folder })).stdout
  await writeFile(join(folder, 'config'), CONFIG(folder))
  await writeFile(join(folder, 'serial'), '01')
  const make = (line: string) => openssl(...line.split(' '))
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config config'
  await make(`req -x509 ${key} -days 2 -subj /CN=CA -keyout ca.key -out ca.crt -extensions ca`)
  await make(`req ${key} -subj /CN=TSA -keyout tsa.key -out tsa.csr`)
  await make(
    'x509 -req -in tsa.csr -CA ca.crt -CAkey ca.key -set_serial 2 -days 2 -extfile config -extensions tsa -out tsa.crt',
  )
  const server = createServer((request, response) => {
    void buffer(request)
      .then(async (query) => {
        await writeFile(join(folder, 'query'), query)
        await make('ts -reply -config config -section tsa_config -queryfile query -out reply')
        response
          .writeHead(200, { 'content-type': 'application/timestamp-reply' })
          .end(altered(await readFile(join(folder, 'reply'))))
      })
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    ca: join(folder, 'ca.crt'),
    openssl,
    alter: (alter) => {
      altered = alter
    },
    close: () => server.close(),
  }
}
