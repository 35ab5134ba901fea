import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../config.ts'
import { importEscrow, openEscrow, type Decryptor, sealEscrow, type Sealer } from '../key-rotation/escrow.ts'
import { rotateClientKey, rotateStorageKey } from '../key-rotation/rotate.ts'
import { openArchive } from '../open-archive.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { defineCommand, epochSeconds, EXIT, UsageError } from './command.ts'

/** Milliseconds in which every running process has learnt of a new storage key, with as much again to spare. */
const SETTLE = 20_000

/** `custodia keys`: escrow, import and rotation of the keys of the installation that the environment describes (docs/operations.md). */
export const keys = defineCommand({
  usage: `custodia keys <what>

  escrow <file>           seals the keys folder into a new file
  check <file>            opens such a file and says what it holds
  import <file>           puts its keys into the empty keys folder
  rotate                  makes a new storage key, seals everything anew, destroys the older one
  rotate-signing          has another key sign certificates of destruction from now on
  rotate-client <client>  gives a client's devices a new key pair

  --passphrase-file=<file>, or --recipient=<public key.pem> (escrow), --private-key=<key.pem> (check, import)`,
  options: {
    'passphrase-file': { type: 'string' },
    recipient: { type: 'string' },
    'private-key': { type: 'string' },
  },
  async run(values, positionals) {
    const [what, operand = '', ...more] = positionals
    const config = readConfig(process.env)
    const folder = join(config.dataDir, 'keys')
    const pem = async (path: string) => readFile(path, 'utf8')
    const passphrase =
      values['passphrase-file'] && (await pem(values['passphrase-file'])).replace(/\r?\n$/, '')
    const decryptor = async (): Promise<Decryptor> => {
      if (passphrase) return { passphrase }
      if (values['private-key']) return { private_key: createPrivateKey(await pem(values['private-key'])) }
      throw new UsageError('--passphrase-file or --private-key: is missing')
    }
    const sealer = async (): Promise<Sealer> => {
      if (passphrase) return { passphrase }
      if (values.recipient) return { recipient: createPublicKey(await pem(values.recipient)) }
      throw new UsageError('--passphrase-file or --recipient: is missing')
    }
    const isAlone = what === 'rotate' || what === 'rotate-signing'
    if (more.length > 0 || (operand === '') !== isAlone)
      throw new UsageError('what is to be done with the keys?')
    if (what === 'escrow') {
      await writeFile(operand, await sealEscrow(folder, await sealer(), epochSeconds()), {
        flag: 'wx',
        mode: 0o600,
        flush: true,
      })
      console.log(`${operand}: sealed. Try it before you rely on it: custodia keys check ${operand}`)
    } else if (what === 'check') {
      const { files, made_at } = openEscrow(await pem(operand), await decryptor())
      console.log(
        `${operand}: opens; ${Object.keys(files).length} files of ${new Date(made_at * 1000).toISOString()}`,
      )
    } else if (what === 'import') {
      console.log(`${folder}: ${await importEscrow(await pem(operand), await decryptor(), folder)} files`)
    } else if (what === 'rotate-signing') {
      console.log(`key ${await localFileKeys({ folder }).rotateSigning()} signs from now on`)
    } else if (what === 'rotate' || what === 'rotate-client') {
      await rotate(operand)
    } else throw new UsageError('what is to be done with the keys?')
    return EXIT.done

    async function rotate(client: string): Promise<void> {
      const archive = await openArchive(config)
      const parts = { db: archive.db, now: epochSeconds, keys: localFileKeys({ folder }) }
      try {
        if (client !== '') return console.log(`${client}: ${await rotateClientKey(parts, client)}`)
        const { version, rewrapped, retired } = await rotateStorageKey(parts, () => pause(SETTLE))
        console.log(
          `storage key ${version}: ${rewrapped} keys sealed anew, version ${retired.join(', ')} destroyed`,
        )
      } finally {
        await archive.close()
      }
    }
  },
})
