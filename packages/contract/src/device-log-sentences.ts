import { type Phrase, phrase } from './phrases.ts'

/** A sentence of the log, in both languages. */
export interface LogSentence extends Phrase {
  /** Portals and devices repeat the call in the background. */
  readonly is_background?: true
}

/** A sentence about an action of a person. */
export const did = (en: string, pt: string): LogSentence => phrase(`{who} ${en}`, `{who} ${pt}`)
/** A background call of portals and devices. */
export const asked = (en: string, pt: string): LogSentence => ({ ...did(en, pt), is_background: true })

/** Sentences of the log about devices. */
export const DEVICE_SENTENCES = {
  // The server writes this entry itself.
  inactivity: did('was deactivated after {days} silent days', 'foi desativado após {days} dias sem contato'),
  'GET challenge': asked('requested a challenge', 'solicitou um desafio'),
  'POST authenticate': did('proved its identity', 'comprovou sua identidade'),
  'GET key': asked('fetched the sealing key', 'buscou a chave de lacre'),
  'GET policy': asked('fetched the policy', 'buscou a política'),
  'GET commands': asked('fetched its commands', 'buscou seus comandos'),
  'PUT commands/{command_reference}': did('reported on the command {command_reference}: {state}', 'informou sobre o comando {command_reference}: {state}'),
  'POST logs': asked('uploaded its logs', 'enviou seus registros'),
  'POST telemetry': asked('uploaded telemetry reports', 'enviou relatórios de telemetria'),
  'POST gps': asked('uploaded its positions', 'enviou suas posições'),
  'POST alerts': did('raised an alert: {subject}', 'disparou um alerta: {subject}'),
  'POST payloads': did('announced recordings', 'anunciou gravações'),
  'PUT uploads': did('uploaded a recording', 'enviou uma gravação'),
  'POST payloads/status': asked('looked up the state of its recordings', 'consultou o estado das suas gravações'),
} as const satisfies Readonly<Record<string, LogSentence>>
