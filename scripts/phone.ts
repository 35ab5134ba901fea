// `npm run phone`: a pretend phone for one's own first try. It enrols with the running demo, records, seals and hands over a call or a
// message, which then stands in the portal; `online` stays and obeys what the portal tells it. `npm run phone -- enrolment` prints what a real test phone is given.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type DemoAccount, stayOnline, TRIES, tryPhone } from '@custodia/simulator'
import { readConfig } from '../apps/server/src/config.ts'
import { demoFolder } from '../apps/server/src/demo/seed.ts'
import { sayAndExit } from './say-and-exit.ts'

const USAGE = `npm run phone -- [call | message | online | enrolment] [options]
  --as <first name>   whose phone; Harriet unless told, in the group North
  --text <text>       what the message says
  --account <name>    whose enrolment is printed; acme unless told
  --server <address>  origin of the server`

const config = readConfig(process.env, [])
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: 'string', default: 'Harriet' },
    text: { type: 'string' },
    account: { type: 'string', default: 'acme' },
    server: { type: 'string', default: config.publicUrl },
  },
})
const [wish = 'call'] = positionals
const server_url = values.server
const folder = demoFolder(config.dataDir)
const accounts = await readFile(join(folder, 'enrolments.json'), 'utf8').then(
  (text) => JSON.parse(text) as DemoAccount[],
  () => sayAndExit(`There is no demo in ${config.dataDir}: run npm start first, or set CUSTODIA_DATA.`),
)

const what = TRIES.find((each) => each === wish)
if (wish === 'enrolment') {
  const account = accounts.find(({ account_reference }) => account_reference === values.account)
  if (!account) sayAndExit(`The demo has no account ${values.account}.`)
  const { account_reference, account_key } = account
  console.log(JSON.stringify({ server_url, account_reference, account_key }, null, 2))
} else if (what || wish === 'online') {
  const found = accounts
    .flatMap((account) => account.people.map((person) => ({ account, person })))
    .find(({ person }) => person.first_name === values.as)
  if (!found) sayAndExit(`Nobody in the demo is called ${values.as}.`)
  const phone = {
    server_url,
    ...found,
    folder: join(folder, 'tries', found.person.email),
    say: console.error,
  }
  const failed = (error: unknown) => sayAndExit(`The phone could not hand it over to ${server_url}: ${error}`)
  if (what) {
    const now = Math.floor(Date.now() / 1000)
    const payload_reference = await tryPhone({ ...phone, what, text: values.text, now }).catch(failed)
    console.log(`${server_url}/dashboard/services/${what}s/${payload_reference}`)
  } else await stayOnline(phone, new AbortController().signal).catch(failed)
} else {
  sayAndExit(USAGE)
}
