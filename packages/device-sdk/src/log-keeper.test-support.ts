/** A phone of its own process, for tests that kill it: keeps logs for ever and says which are durable, or hands over what it has. */
import { type Enrolment, folderStore, openPhone } from './index.ts'
import { getLog } from './pretend-server.test-support.ts'

const [folder = '', mode = '', enrolment = ''] = process.argv.slice(2)
const phone = await openPhone({
  enrolment: JSON.parse(enrolment) as Enrolment,
  identity: { model: 'Pixel 9', os_version: '16', app_version: '1.0', phone_numbers: [], imeis: [] },
  store: await folderStore(folder),
})
if (mode === 'hand-over') await phone.handOverLogs()
for (let n = 0; mode === 'keep'; n++) {
  await phone.keepLogs([getLog(n)])
  process.stdout.write(`${n}\n`)
}
