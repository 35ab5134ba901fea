import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../../sync-folder.ts'

// Lines `<hash> <json>`: the hash is the SHA-256 of the previous hash and the JSON; the first previous hash
// is that of the file's name. Each process appends to its own file. After a failed write it begins another
// one.

const FILE = /^([0-9a-f]{16})\.ledger$/
const HASH = 64
const NEWLINE = 10

/** The position up to which a file was read or written. */
export interface Mark {
  file: string
  bytes: number
  hash: string
}

/** A line, and the position after it. */
export interface Line {
  json: string
  mark: Mark
}

/** Destruction records outside the database: append-only, each with the digest of all before it. */
export interface DestructionLedger {
  /** Durable when resolved; resolves to the position after the lines. */
  append(lines: readonly string[]): Promise<Mark>
  /** Bytes of every file, by its name. */
  sizes(): Promise<Map<string, number>>
  start(file: string): Mark
  /** Lines behind a place, up to where the chain breaks: after an incomplete write or an alteration. */
  read(from: Mark): AsyncGenerator<Line>
}

/** The ledger in files of a folder. */
export function ledgerFiles(folder: string): DestructionLedger {
  let mine: Mark | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function write(lines: readonly string[]): Promise<Mark> {
    const mark = mine ?? (await makeFile(folder))
    mine = undefined
    let { hash } = mark
    const rows = lines.map((json) => {
      hash = next(hash, json)
      return `${hash} ${json}\n`
    })
    const bytes = Buffer.from(rows.join(''))
    const file = await open(getPath(folder, mark.file), 'r+')
    try {
      for (let done = 0; done < bytes.length;)
        done += (await file.write(bytes, done, bytes.length - done, mark.bytes + done)).bytesWritten
      await file.datasync()
    } finally {
      await file.close()
    }
    mine = { file: mark.file, bytes: mark.bytes + bytes.length, hash }
    return mine
  }

  return {
    append(lines) {
      const written = last.then(() => write(lines))
      last = written.catch(() => undefined)
      return written
    },
    async sizes() {
      const sizes = new Map<string, number>()
      for (const name of await namesIn(folder)) {
        const file = FILE.exec(name)?.[1]
        if (file) sizes.set(file, (await stat(join(folder, name))).size)
      }
      return sizes
    },
    start: (file) => ({ file, bytes: 0, hash: sha256(file) }),
    async *read({ file, bytes, hash }) {
      const handle = await open(getPath(folder, file), 'r')
      let rest = Buffer.alloc(0)
      for await (const chunk of handle.createReadStream({ start: bytes })) {
        rest = Buffer.concat([rest, chunk as Buffer])
        for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
          const line = rest.toString('utf8', 0, end)
          const json = line.slice(HASH + 1)
          const stated = line.slice(0, HASH)
          if (next(hash, json) !== stated) return
          hash = stated
          bytes += end + 1
          rest = rest.subarray(end + 1)
          yield { json, mark: { file, bytes, hash } }
        }
      }
    },
  }
}

/** Makes an empty file, its name durable. */
async function makeFile(folder: string): Promise<Mark> {
  const file = randomBytes(8).toString('hex')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await (await open(getPath(folder, file), 'wx', 0o600)).close()
  await syncFolder(folder)
  await syncFoldersAbove(folder)
  return { file, bytes: 0, hash: sha256(file) }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

const getPath = (folder: string, file: string) => join(folder, `${file}.ledger`)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const next = (hash: string, json: string) => sha256(`${hash} ${json}`)
