// `npm run phone`: a simulated device for a first try. It enrols with the demo, records, seals and uploads a payload;
// `online` stays and executes commands. `-- enrolment` prints the input of a real test device; `--enrol <text>` uses
// an enrolment of the portal.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readEnrolment } from '@custodia/device-sdk'
import { type DemoAccount, stayOnline, TRIES, type TryOptions, tryPhone } from '@custodia/simulator'
import { readConfig } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'

const USAGE = `npm run phone -- [call | message | video | diagnostics | online | enrolment] [options]
  --enrol <text>      the text of an enrolment that the portal shows; the phone is whose it says
  --as <first name>   holder of the phone; default: Harriet, in the group North
  --text <text>       what the message says
  --file <path>       what was recorded, in the place of what comes along
  --account <name>    account of the printed enrolment; default: acme
  --server <address>  origin of the server`

const config = readConfig(process.env, [])
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    enrol: { type: 'string' },
    as: { type: 'string', default: 'Harriet' },
    text: { type: 'string' },
    file: { type: 'string' },
    account: { type: 'string', default: 'acme' },
    server: { type: 'string', default: config.publicUrl },
  },
})
const [request = 'call'] = positionals
const folder = demoFolder(config.dataDir)

const what = TRIES.find((each) => each === request)
if (request === 'enrolment') {
  const account = (await demoAccounts()).find(({ account_reference }) => account_reference === values.account)
  if (!account) sayAndExit(`The demo has no account ${values.account}.`)
  const { account_reference, enrolment } = account
  console.log(JSON.stringify({ server_url: values.server, account_reference, enrolment }, null, 2))
} else if (what || request === 'online') {
  const phone = values.enrol === undefined ? await phoneOfDemo(values.as) : phoneWith(values.enrol)
  const { server_url } = phone
  const failed = (error: unknown) => sayAndExit(`The phone could not hand it over to ${server_url}: ${error}`)
  if (what) {
    const file = values.file ? { path: values.file, title: values.file, seconds: 0 } : undefined
    const now = Math.floor(Date.now() / 1000)
    const payload_reference = await tryPhone({ ...phone, what, text: values.text, file, now }).catch(failed)
    console.log(
      `${server_url}/dashboard/services/${what === 'diagnostics' ? `${what}?preview=` : `${what}s/`}${payload_reference}`,
    )
  } else await stayOnline(phone, new AbortController().signal).catch(failed)
} else {
  sayAndExit(USAGE)
}

type OpenedPhone = Omit<TryOptions, 'what' | 'text' | 'now'>

/** Enrolment of a demo person's device: the roll-out's code. */
async function phoneOfDemo(first_name: string): Promise<OpenedPhone> {
  const found = (await demoAccounts())
    .flatMap((account) => account.people.map((person) => ({ account, person })))
    .find(({ person }) => person.first_name === first_name)
  if (!found) return sayAndExit(`The demo has no person called ${first_name}.`)
  return {
    server_url: values.server,
    ...found,
    folder: join(folder, 'tries', found.person.email),
    say: console.error,
  }
}

/** A device with only the enrolment that the portal shows. */
function phoneWith(text: string): OpenedPhone {
  try {
    const { server_url, ...account } = readEnrolment(text)
    const [reference = ''] = account.enrolment.split('.')
    return { server_url, account, person: null, folder: join(folder, 'tries', reference), say: console.error }
  } catch (error) {
    return sayAndExit(`--enrol: ${(error as Error).message}`)
  }
}

function demoAccounts(): Promise<DemoAccount[]> {
  return readFile(join(folder, 'enrolments.json'), 'utf8').then(
    (text) => JSON.parse(text) as DemoAccount[],
    () => sayAndExit(`There is no demo in ${config.dataDir}: run npm start first, or set CUSTODIA_DATA.`),
  )
}

/** Prints why a command failed, and exits with 1. Without a stack, which only helps for defects of the product. */
function sayAndExit(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError
  console.error(error instanceof Error && !isOurs ? error.message : error)
  process.exit(1)
}
