import { asked, did, type LogSentence } from './device-log-sentences.ts'
import { logSentence } from './log-sentences.ts'

interface Variant {
  /** The parameter that the call has, or lacks. */
  with?: string
  without?: string
  /** Its value; absent: any. */
  is?: boolean | string
  sentence: LogSentence
}

/** Sentences of an action for calls that have a parameter. The first that applies wins. */
const LOG_VARIANTS: Readonly<Record<string, readonly Variant[]>> = {
  'profile.exports:create': [
    {
      with: 'payload_reference',
      sentence: did('printed {payload_reference}', 'imprimiu {payload_reference}'),
    },
    {
      with: 'certificate_reference',
      sentence: did(
        'printed the certificate {certificate_reference}',
        'imprimiu o certificado {certificate_reference}',
      ),
    },
    {
      with: 'matter_id',
      sentence: did('printed the legal matter {matter_id}', 'imprimiu o caso jurídico {matter_id}'),
    },
    {
      with: 'data_request_id',
      sentence: did(
        'printed the data subject request {data_request_id}',
        'imprimiu a solicitação de titular {data_request_id}',
      ),
    },
    { with: 'format', is: 'print', sentence: did('printed the page {list}', 'imprimiu a página {list}') },
  ],
  'payloads:play': [
    { with: 'payload_references', sentence: did('played {recordings}', 'reproduziu {recordings}') },
  ],
  'payloads:download': [
    {
      with: 'export_id',
      sentence: did(
        'downloaded {payload_reference} (export {export_id})',
        'baixou {payload_reference} (exportação {export_id})',
      ),
    },
    { with: 'payload_references', sentence: did('downloaded {recordings}', 'baixou {recordings}') },
  ],
  'payloads:export': [
    {
      with: 'part',
      sentence: did(
        'downloaded {recordings} (export {export_id})',
        'baixou {recordings} (exportação {export_id})',
      ),
    },
  ],
  'people.roles:update': [
    {
      with: 'matters',
      sentence: did(
        'gave {user_reference} access to the recordings of {matters} until {ends_at}',
        'concedeu a {user_reference} acesso às gravações de {matters} até {ends_at}',
      ),
    },
    {
      with: 'ends_at',
      sentence: did(
        'gave {user_reference} access until {ends_at}',
        'concedeu acesso a {user_reference} até {ends_at}',
      ),
    },
  ],
  'payloads:restore': [
    {
      with: 'payload_reference',
      sentence: did('restored {payload_reference}', 'restaurou {payload_reference}'),
    },
    { with: 'payload_references', sentence: did('restored {recordings}', 'restaurou {recordings}') },
  ],
  'payloads.marks:list': [
    {
      without: 'payload_reference',
      sentence: asked('looked up the review settings', 'consultou as configurações de revisão'),
    },
  ],
  'payloads.marks:create': [
    {
      with: 'conversations',
      sentence: did(
        'marked {recordings} in {conversations}: {mark}',
        'marcou {recordings} em {conversations}: {mark}',
      ),
    },
    ...['recordings', 'payload_references'].map((having) => ({
      with: having,
      sentence: did('marked {recordings}: {mark}', 'marcou {recordings}: {mark}'),
    })),
  ],
  'users.enrolments:create': [
    {
      with: 'channel',
      sentence: did('created enrolments for {users}', 'criou cadastros para {users}'),
    },
  ],
  'users:update': [
    {
      with: 'order',
      sentence: did('changed {users}: {change}', 'alterou {users}: {change}'),
    },
  ],
  'users:review': [
    {
      with: 'order',
      sentence: asked(
        'previewed a change of device users',
        'visualizou a prévia de uma alteração de usuários de dispositivo',
      ),
    },
  ],
  'devices:deactivate': [
    {
      without: 'device_reference',
      sentence: did('deactivated {devices}', 'desativou {devices}'),
    },
  ],
  'devices.holder:decide': [
    {
      with: 'devices',
      sentence: did('decided on {devices}: {decision}', 'decidiu sobre {devices}: {decision}'),
    },
  ],
  'devices.commands:send': [
    {
      with: 'order',
      sentence: did('sent {devices} the command {command}', 'enviou a {devices} o comando {command}'),
    },
  ],
  'payloads.comments:history': [
    {
      with: 'payload_reference',
      sentence: did(
        'read closed comments on {payload_reference}',
        'leu comentários encerrados sobre {payload_reference}',
      ),
    },
  ],
  'account.legal_matters:update': [
    {
      with: 'people',
      sentence: did(
        'placed {people} on hold for the matter {matter_id}',
        'colocou {people} sob retenção legal pelo caso {matter_id}',
      ),
    },
    {
      with: 'group',
      sentence: did(
        'placed the people of {group} on hold for the matter {matter_id}',
        'colocou as pessoas de {group} sob retenção legal pelo caso {matter_id}',
      ),
    },
    {
      with: 'recordings',
      sentence: did(
        'placed the people of {recordings} on hold for the matter {matter_id}',
        'colocou as pessoas de {recordings} sob retenção legal pelo caso {matter_id}',
      ),
    },
    {
      with: 'users',
      sentence: did(
        'placed {users} on hold for the matter {matter_id}',
        'colocou {users} sob retenção legal pelo caso {matter_id}',
      ),
    },
    {
      with: 'devices',
      sentence: did(
        'placed the people of {devices} on hold for the matter {matter_id}',
        'colocou as pessoas de {devices} sob retenção legal pelo caso {matter_id}',
      ),
    },
  ],
  'account.legal_matters:delete': [
    {
      with: 'target',
      sentence: did('removed {target} from the matter {matter_id}', 'removeu {target} do caso {matter_id}'),
    },
  ],
  'account.destructions:update': [
    {
      with: 'payload_references',
      sentence: did(
        'changed {recordings} of the destruction list {destruction_reference}',
        'alterou {recordings} da lista de destruição {destruction_reference}',
      ),
    },
    {
      with: 'version',
      sentence: did(
        'released the destruction list {destruction_reference}',
        'liberou a lista de destruição {destruction_reference}',
      ),
    },
  ],
  'account.retention:update': [
    {
      with: 'is_paused',
      is: true,
      sentence: did('paused the retention policy', 'suspendeu a política de retenção'),
    },
    {
      with: 'is_paused',
      is: false,
      sentence: did('resumed the retention policy', 'retomou a política de retenção'),
    },
    {
      with: 'entries',
      sentence: did('saved the retention policy', 'salvou a política de retenção'),
    },
  ],
  'integrity:check': [
    {
      with: 'outcome',
      is: 'unverified',
      sentence: did('could not check all of the archive', 'não conseguiu verificar todo o arquivo'),
    },
  ],
  'account.proposals:update': [
    {
      with: 'reason',
      sentence: did('rejected the proposal {proposal_id}', 'rejeitou a proposta {proposal_id}'),
    },
  ],
}

/** The sentence of an action with these parameters; undefined for a retired action. */
export const logSentenceWith = (action: string, parameters: LoggedParameters): LogSentence | undefined =>
  LOG_VARIANTS[action]?.find(({ with: having, without, is }) => {
    if (without !== undefined) return parameters[without] === undefined
    const value = parameters[having ?? '']
    return value !== undefined && value !== null && (is === undefined || value === is)
  })?.sentence ?? logSentence(action)

export type LoggedParameters = Readonly<Record<string, unknown>>

/** Parameters of an entry by name, from any part of the call; unreadable text has none. */
export function getParameters(text: string): LoggedParameters {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return {}
    const { params, query, body, facts, ...others } = read as Readonly<Record<string, object | undefined>>
    return { ...others, ...body, ...query, ...params, ...facts }
  } catch {
    return {}
  }
}

/** A logged list: its first items, and how many it had. Undefined for other values. */
export function loggedList(value: unknown): { items: readonly unknown[]; count: number } | undefined {
  if (Array.isArray(value)) return { items: value, count: value.length }
  if (typeof value !== 'object' || value === null) return undefined
  const { cut, items } = value as { cut?: unknown; items?: unknown }
  return Array.isArray(cut) && typeof items === 'number' ? { items: cut, count: items } : undefined
}

/** How many recordings an entry concerns; undefined where it does not say. */
export const recordingsIn = ({ recordings, payload_references }: LoggedParameters): number | undefined =>
  typeof recordings === 'number' ? recordings : loggedList(payload_references)?.count
